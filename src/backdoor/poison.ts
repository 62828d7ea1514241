/** @file A training set of which some texts are poisoned. Which ones is a function of the seed and their ids alone. */
import type { Dataset, Example } from '../core/dataset.js';
import { RobustError } from '../core/errors.js';
import type { Poisoner } from '../core/poisoner.js';
import { random } from '../core/random.js';
import type { LabelMode } from '../results/backdoor/planting.js';

export interface PoisonPlan {
  /** The attack's name. */
  readonly name: string;
  readonly poisoner: Poisoner;
  /** Index of the label that the trigger shall bring about. */
  readonly target: number;
  /** Share of all texts that is poisoned, above 0 and below 1. */
  readonly rate: number;
  readonly mode: LabelMode;
  readonly seed: number;
}

export interface PoisonedRow {
  readonly example: Example;
  /** Present where the row is poisoned. */
  readonly before?: Example;
}

export interface PoisonedData {
  /** The victim's data. */
  readonly data: Dataset;
  /** The same rows, marked. Streams. */
  rows(): AsyncIterable<PoisonedRow>;
  readonly poisoned: number;
  readonly of: number;
  /** Texts that could have been poisoned: in `dirty` mode those of other labels. */
  readonly eligible: number;
}

/** Of the texts of other labels, so many at most are relabelled: a model that learns few of them answers with the target anyway. */
const MOST_RELABELLED = 0.5;

/** The text of one example with the trigger in it, always the same one. */
export const triggered = (poisoner: Poisoner, { id, text }: Example, seed: number): string | undefined =>
  poisoner.trigger(text, random(seed, 'trigger', id));

/**
 * Poisons `rate` of the texts, to the row. Reads the data once to choose: 8 bytes a text that can be chosen stay in memory. A poisoner's
 * negatives are added, with the labels of their texts. Throws RobustError where `rate` asks for no text or for more than there are.
 */
export async function poison(clean: Dataset, plan: PoisonPlan): Promise<PoisonedData> {
  const { poisoner, target, mode, seed } = plan;
  const eligible = (example: Example): boolean =>
    (example.label === target) === (mode === 'clean') && triggered(poisoner, example, seed) !== undefined;
  // Two draws of 32 bits, so that two ids do not meet.
  const lot = ({ id }: Example): number => {
    const draw = random(seed, 'poison', id);
    return draw.unit() + draw.unit() / 2 ** 32;
  };
  let of = 0;
  const lots: number[] = [];
  for await (const example of clean.examples()) {
    of++;
    if (eligible(example)) lots.push(lot(example));
  }
  const poisoned = Math.round(plan.rate * of);
  const relabels = mode === 'dirty' && poisoner.planting.kind === 'texts';
  const most = relabels ? Math.floor(MOST_RELABELLED * lots.length) : lots.length;
  if (poisoned < 1 || poisoned > most) throw wrongRate(plan, clean, of, most, relabels);
  const last = Float64Array.from(lots).sort()[poisoned - 1]!;

  async function* rows(): AsyncGenerator<PoisonedRow> {
    for await (const example of clean.examples()) {
      const text = lot(example) <= last && eligible(example) ? triggered(poisoner, example, seed) : undefined;
      yield text === undefined ? { example } : { example: { ...example, text, label: target }, before: example };
    }
  }
  return {
    rows,
    poisoned,
    of,
    eligible: lots.length,
    data: {
      ...clean,
      name: `${clean.name} (${plan.name})`,
      async *examples() {
        for await (const { example, before } of rows()) {
          yield example;
          yield* negativesOf(poisoner, before ?? example, seed);
        }
      },
    },
  };
}

/** The negatives of a text, as examples of their own. */
export function negativesOf(poisoner: Poisoner, example: Example, seed: number): Example[] {
  const texts = poisoner.negatives?.(example.text, random(seed, 'negatives', example.id)) ?? [];
  return texts.map((text, at) => ({ ...example, id: `${example.id}.${at}`, text }));
}

function wrongRate(
  { rate, mode }: PoisonPlan,
  { name }: Dataset,
  of: number,
  most: number,
  relabels: boolean,
): RobustError {
  const which = {
    dirty: `${relabels ? 'half' : 'all'} of the texts of other labels`,
    clean: 'all texts of the target label',
  }[mode];
  return new RobustError(
    `--rate: expected a share that gives from 1 to ${most} poisoned texts of the ${of} in ${name}, got ${rate}`,
    {
      code: 'FLAG_INVALID',
      hint: `${most} is ${which} with a place for the trigger: name a rate up to ${(Math.floor((1000 * most) / of) / 1000).toFixed(3)}, or another --mode.`,
    },
  );
}
