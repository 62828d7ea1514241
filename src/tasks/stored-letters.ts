/** @file Answers of a run to the unedited texts as letters, by example and without texts. Stored in baselines. */
import { z } from 'zod';
import type { FoundLetters } from '../results/comparison/found-letters.js';

export const foundShape = { truth: z.string().regex(/^[01]*$/), found: z.string().regex(/^[01-]*$/) };

export const numbersSchema = z.array(z.number().nullable());

const letter = (yes: boolean): string => (yes ? '1' : '0');
/** An errored example has no answers, so its `truth` is only a placeholder. */
const join = (letters: readonly (string | undefined)[], n: number): string =>
  Array.from({ length: n }, (_, at) => letters[at] ?? '-').join('');

export function letterColumn() {
  const [truth, found]: [string[], string[]] = [[], []];
  return {
    set(at: number, is: boolean, answer: boolean | undefined): void {
      truth[at] = letter(is);
      found[at] = answer === undefined ? '-' : letter(answer);
    },
    letters: (n: number): FoundLetters => ({ truth: join(truth, n).replaceAll('-', '0'), found: join(found, n) }),
  };
}

export const padded = <T>(values: readonly (number | null)[], n: number, missing: T): (number | T)[] =>
  Array.from({ length: n }, (_, at) => values[at] ?? missing);

/** The letters of these examples, in this order. */
export const lettersAt = <T extends FoundLetters>(one: T, places: readonly number[]): T => {
  const letters = (of: string): string => places.map((at) => of[at]).join('');
  return { ...one, truth: letters(one.truth), found: letters(one.found) };
};

export const valuesAt = <T>(values: readonly T[], places: readonly number[]): T[] =>
  places.map((at) => values[at] as T);
