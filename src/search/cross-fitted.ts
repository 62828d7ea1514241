/**
 * @file One phrase for all texts of a label. The examples are divided into two halves, and an example of one half is attacked with the
 * phrase found on the other (cross-fitting): no text is scored with a phrase that it helped to choose.
 */
import type { Example } from '../core/dataset.js';
import type { EvasionAttack } from '../core/plugin.js';
import type { Victim } from '../core/victim.js';
import { compose } from './compose.js';
import { inOrder, rewriteText } from './in-order.js';

export type UniversalPhrase = readonly string[];

export interface CrossFitting {
  /** Name of the phrase in an outcome's details: "trigger". */
  readonly name: string;
  /** Bound of its edits, as printed. */
  readonly bound: string;
  /** Maximum number of examples for the search of a phrase. */
  readonly sample: number;
  /** The text with the phrase. */
  put(phrase: UniversalPhrase, text: string): string;
  /** The phrase for examples of one label; undefined if there is none. `others`: examples of the other labels. */
  seek(examples: readonly Example[], victim: Victim, others: readonly Example[]): Promise<UniversalPhrase | undefined>;
  /** Why `seek` found none. */
  readonly noPhrase: string;
}

/** The phrases of one label, each found on one half of the texts. */
interface SoughtPhrases {
  readonly phrases: readonly (UniversalPhrase | undefined)[];
  /** Text -> the half that contains it. */
  readonly halfOf: ReadonlyMap<string, number>;
  /** Number of texts in each half. */
  readonly sizes: readonly number[];
}

/** Searches two phrases for each label, and tries on each text the one that the text did not help to choose. */
export function crossFitted(fitting: CrossFitting): EvasionAttack {
  const sought = new Map<number, SoughtPhrases>();
  return {
    ...attackWith(undefined, fitting),
    async prepare(sample, victim) {
      for (const label of victim.labels.keys()) {
        const ofLabel = sample.filter((each) => each.label === label && victim.goal.concerns?.(each) !== false);
        if (label === victim.goal.target) continue;
        const others = sample.filter((each) => each.label !== label);
        sought.set(label, await seekTwice(ofLabel, others, victim, fitting));
      }
    },
    async run(example, target) {
      const known = sought.get(example.label);
      const half = known?.halfOf.get(example.text) ?? 1;
      const phrase = known?.phrases[1 - half];
      const attempt = await attackWith(phrase, fitting).run(example, target);
      if (phrase === undefined) return { ...attempt, reason: whyNone(known, 1 - half, fitting) };
      return attempt.reason === undefined ? { ...attempt, details: { [fitting.name]: phrase.join(' ') } } : attempt;
    },
  };
}

/** Searches one phrase on every other example, and one on the rest. Each text occurs once. */
async function seekTwice(
  examples: readonly Example[],
  others: readonly Example[],
  victim: Victim,
  { sample, seek }: CrossFitting,
): Promise<SoughtPhrases> {
  const used = [...new Map(examples.map((each) => [each.text, each])).values()].slice(0, 2 * sample);
  const halves = [0, 1].map((half) => used.filter((_, at) => at % 2 === half));
  const phrases: (UniversalPhrase | undefined)[] = [];
  for (const half of halves) phrases.push(half.length === 0 ? undefined : await seek(half, victim, others));
  return {
    phrases,
    halfOf: new Map(used.map(({ text }, at) => [text, at % 2])),
    sizes: halves.map(({ length }) => length),
  };
}

function whyNone(known: SoughtPhrases | undefined, half: number, { name, noPhrase }: CrossFitting): string {
  if (known === undefined) return `no ${name} for this label`;
  return known.sizes[half] === 0 ? `no other example of this label to learn a ${name} from` : noPhrase;
}

/** Tries one rewrite, because the phrase is chosen before the first example. */
const attackWith = (phrase: UniversalPhrase | undefined, { name, bound, put }: CrossFitting) =>
  compose({
    transformation: rewriteText(`a ${name} for all texts`, [bound, 'the text itself kept'], (text) =>
      phrase === undefined ? [] : [put(phrase, text)],
    ),
    constraints: [],
    search: inOrder,
  });
