/**
 * @file A proof from the votes of a classifier (src/core/certificate.ts) that no choice of replacements changes its prediction, such as one
 * synonym or none for each word, for any number of words or at most one or two.
 *
 * The lead of the predicted label over another one is a sum over windows, and each window sees a few neighbouring tokens. So the smallest lead
 * over all choices is the shortest path through the tokens from left to right: what is chosen further on depends on the last tokens only
 * (dynamic programming, as in the Viterbi algorithm). Apart from rounding it is exact, and its cost grows with the length of the text, not
 * with the number of choices. Interval bounds for replaced words (Jia, Raghunathan, Göksel and Liang, EMNLP 2019, section 3; Huang et al.,
 * EMNLP 2019) hold for any layers, and are loose: they replace a window's words independently of one another.
 *
 * The text is cut at the replaced stretches. Tokens must not join across a cut. Each single replacement is checked for this. For several at
 * once it follows if a blank or a punctuation mark lies between them, because the tokenizers split there, whatever the neighbours are.
 */
import type { WindowVotes } from '../core/certificate.js';
import { must } from '../core/errors.js';
import { isPlain, roundingOf, SPECIAL } from './bounds.js';
import type { EditPlace } from './edits.js';

/** A stretch of a text and its possible texts, the original first. */
interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly texts: readonly string[];
}

/** Token ids of a stretch's texts, or the one of the text between stretches. */
type Choices = readonly (readonly number[])[];

/**
 * Whether no text that replaces at most `edits` places, each by one of its edits, is given another label than `label`; 0 for any number. False
 * proves nothing.
 */
export function withstandsReplacements(
  text: string,
  label: number,
  { places, edits }: { readonly places: Iterable<EditPlace>; readonly edits: 0 | 1 | 2 },
  model: WindowVotes,
): boolean {
  const stretches = stretchesOf(text, places);
  const choices = stretches && choicesOf(text, stretches, model);
  if (choices === undefined) return false;
  const longest = choices.reduce((sum, each) => sum + Math.max(...each.map(({ length }) => length)), 0) + SPECIAL;
  if (longest > model.maximum) return false;
  const [first, last] = specialTokens(model);
  const path: Choices[] = [[[first]], ...choices, [[last]]];
  const { labels, half } = model.votes([first, last]);
  const lead = new SmallestLead(model, half, label);
  return Array.from({ length: labels }, (_, other) => other).every(
    (other) => other === label || lead.over(other, path, edits) > roundingOf(longest),
  );
}

/** The places of a text, ascending. Undefined if they overlap, or nothing splits the text between two of them. */
function stretchesOf(text: string, places: Iterable<EditPlace>): Stretch[] | undefined {
  const stretches: Stretch[] = [];
  for (const place of places) {
    const edits = [...place.edits()];
    if (edits.length === 0) continue;
    let start = Math.min(...edits.map((edit) => edit.start));
    let end = Math.max(...edits.map((edit) => edit.end));
    // An edit may be of a part of a word, and of the article before it.
    while (start > 0 && !SPLIT.test(text[start - 1] as string)) start--;
    while (end < text.length && !SPLIT.test(text[end] as string)) end++;
    const texts = edits.map((edit) => text.slice(start, edit.start) + edit.text + text.slice(edit.end, end));
    stretches.push({ start, end, texts: [text.slice(start, end), ...texts] });
  }
  stretches.sort((a, b) => a.start - b.start);
  const apart = stretches.every(({ start }, at) => at === 0 || SPLIT.test(text.slice(stretches[at - 1]?.end, start)));
  return apart ? stretches : undefined;
}

/** At any of these both kinds of tokenizers split. */
const SPLIT = /[ \t\n\r!-/:-@\\^-`{-~]/;

/** The token ids of each part of the text. Undefined if a replacement changes how the rest is read. */
function choicesOf(text: string, stretches: readonly Stretch[], model: WindowVotes): Choices[] | undefined {
  const read = (part: string): number[] => Array.from(model.tokens(part)).slice(1, -1);
  const cuts = [0, ...stretches.flatMap(({ start, end }) => [start, end]), text.length];
  const parts = cuts.slice(1).map((cut, at) => text.slice(cuts[at], cut));
  const choices = parts.map((part, at) => (at % 2 === 0 ? [part] : (stretches[(at - 1) / 2] as Stretch).texts));
  // A bracket may begin the name of a special token.
  if (!choices.flat().every((each) => isPlain(each) && !each.includes('['))) return undefined;
  const ids = choices.map((texts) => texts.map(read));
  const asRead = choices.every((texts, at) =>
    texts.every((replaced, which) => {
      const whole = parts.map((part, other) => (other === at ? replaced : part)).join('');
      const joined = ids.flatMap((each, other) => each[other === at ? which : 0] as number[]);
      return read(whole).join() === joined.join();
    }),
  );
  return asRead ? ids : undefined;
}

function specialTokens(model: WindowVotes): [number, number] {
  const [first = 0, last = 0] = Array.from(model.tokens(''));
  return [first, last];
}

/** A way to read the text so far: of all that end alike, the one with the smallest lead. */
interface PartialPath {
  /** The last tokens, one fewer than a window has; at the beginning of a text all. */
  readonly tail: readonly number[];
  /** For each number of replacements. */
  readonly leads: Float64Array;
}

/** The smallest lead of `label` over `other` in the sum of votes, over all choices; each window is computed once. */
class SmallestLead {
  readonly #votes = new Map<string, { readonly values: Float64Array; readonly error: number }>();

  constructor(
    readonly model: WindowVotes,
    readonly half: number,
    readonly label: number,
  ) {}

  /** `edits`: most parts of which another than the first choice is taken; 0 for any number. */
  over(other: number, path: readonly Choices[], edits: 0 | 1 | 2): number {
    const start = new Float64Array(edits + 1).fill(Number.POSITIVE_INFINITY);
    start[0] = 0;
    let readings: PartialPath[] = [{ tail: [], leads: start }];
    for (const choices of path) {
      const next = new Map<string, PartialPath>();
      for (const { tail, leads } of readings)
        for (const [which, ids] of choices.entries()) {
          const begun = { tail, leads: which > 0 && edits > 0 ? oneMore(leads) : leads };
          keepSmaller(
            next,
            ids.reduce<PartialPath>((reading, id) => this.#append(reading, id, other), begun),
          );
        }
      readings = [...next.values()];
    }
    return Math.min(
      ...readings.flatMap(({ tail, leads }) => [...leads].map((lead) => lead + this.#atEnd(tail, other))),
    );
  }

  /** Appends a token, which completes the window whose last token it is. */
  #append({ tail, leads }: PartialPath, id: number, other: number): PartialPath {
    const window = [...tail, id];
    const kept = window.slice(Math.max(0, window.length - 2 * this.half));
    if (window.length <= this.half) return { tail: kept, leads };
    const lead = this.#leadOf(window, window.length - 1 - this.half, other);
    return { tail: kept, leads: leads.map((each) => each + lead) };
  }

  /** The leads of the windows that reach beyond the last token. */
  #atEnd(tail: readonly number[], other: number): number {
    let sum = 0;
    for (let behind = 1; behind <= Math.min(this.half, tail.length); behind++) {
      const window = tail.slice(-this.half - behind);
      sum += this.#leadOf(window, window.length - behind, other);
    }
    return sum;
  }

  /** A lower bound of how much more the window with this token in its middle votes for the label than for `other`. */
  #leadOf(window: readonly number[], middle: number, other: number): number {
    const key = `${middle}:${window.join()}`;
    let known = this.#votes.get(key);
    if (known === undefined) {
      const { labels, values, errors } = this.model.votes(window);
      known = { values: values.slice(middle * labels, (middle + 1) * labels), error: must(errors[middle]) };
      this.#votes.set(key, known);
    }
    const { values, error } = known;
    return must(values[this.label]) - must(values[other]) - error;
  }
}

const oneMore = (leads: Float64Array): Float64Array =>
  leads.map((_, count) => leads[count - 1] ?? Number.POSITIVE_INFINITY);

function keepSmaller(readings: Map<string, PartialPath>, { tail, leads }: PartialPath): void {
  const known = readings.get(tail.join());
  readings.set(tail.join(), {
    tail,
    leads: known ? leads.map((each, at) => Math.min(each, must(known.leads[at]))) : leads,
  });
}
