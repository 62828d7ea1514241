/**
 * @file Log-odds of a text's label given its other words, with some of its words excluded. Trained on suspect and clean texts with
 * cross-fitting, so that no text influences its own value, and only on words whose use agrees with the clean texts, because a regression
 * that includes a trigger finds its label normal.
 */
import type { Example } from '../../core/dataset.js';
import { must } from '../../core/errors.js';
import { excess } from './excess.js';
import { wordFeatures } from './features.js';
import type { FilterInput } from './method.js';
import { platt } from './platt.js';
import { wordRegression } from './word-regression.js';

const FOLDS = 4;
/** Log-likelihood ratio from which on a word is used more than in clean texts. */
const IN_EXCESS = 2.5;
/** The same, from which on a word may be a trigger. */
const NEW_EXCESS = 1.5;
/** Texts of a label in which a word must stand before its excess counts. */
const MIN_ROWS = 3;
/** Words in excess whose sets are looked at, the strongest ones. */
const SET_WORDS = 12;

export interface RestOdds {
  /** The known words of each text; suspects first, then the reference. */
  readonly words: readonly (readonly string[])[];
  /** Log-odds of its own label for text `row` without some words, less those of any text: 0 where the rest says nothing. */
  of(row: number, without: ReadonlySet<string>): number;
  /** Sets of two and three words in excess in text `row`, which may be a trigger. */
  setsIn(row: number): readonly string[];
  /** Words that stand in all of these texts, and that clean texts do not have as often: a trigger, if there is one. */
  newWordsOf(rows: readonly number[]): ReadonlySet<string>;
}

/** `learnt`: whether words that clean texts do not have teach something. */
export function restOdds(
  { suspects, reference, labels, language }: FilterInput,
  learnt: 'clean words' | 'all words' = 'clean words',
): RestOdds {
  const all = [...suspects, ...reference];
  const every = all.map(({ text }) => wordFeatures(text, language));
  const most = strongestExcess(every, suspects, reference, labels.length);
  const isTrusted = (word: string): boolean =>
    reference.length === 0 ||
    ((learnt === 'all words' || most.known.has(word)) && (most.excess.get(word) ?? 0) < IN_EXCESS);
  const words = every.map((of) => of.filter(isTrusted));
  const models = Array.from({ length: FOLDS }, (_, fold) => {
    const rows = all.flatMap((_, row) => (row % FOLDS === fold ? [] : [row]));
    const [texts, theirs] = [rows.map((row) => must(all[row])), rows.map((row) => must(words[row]))];
    return labels.map((_, label) => wordRegression(texts, theirs, label));
  });
  const prior = labels.map((_, label) => {
    const count = all.filter((each) => each.label === label).length;
    return Math.log((count + 0.5) / (all.length - count + 0.5));
  });
  const odd = new Set(
    [...most.excess]
      .filter(([, ratio]) => ratio >= IN_EXCESS)
      .sort((a, b) => b[1] - a[1])
      .slice(0, SET_WORDS)
      .map(([word]) => word),
  );
  const oddsOf = (row: number, label: number): number => models[row % FOLDS]?.[label]?.logOdds(must(words[row])) ?? 0;
  // Sums over the words of a long text are surer than they are right.
  const calibrated = labels.map((_, label) =>
    platt(
      all.map((_, row) => oddsOf(row, label)),
      all.map((each) => each.label === label),
    ),
  );
  const sets = words.map((of) => new Set(of));
  // Each text's log-odds of its label, and what each of its words adds to them.
  const whole = all.map(({ label }, row) => {
    const { slope, offset } = must(calibrated[label]);
    const weight = (word: string): number => slope * (models[row % FOLDS]?.[label]?.weight(word) ?? 0);
    const odds = slope * oddsOf(row, label) + offset - must(prior[label]);
    return { odds, adds: Float64Array.from(must(words[row]), weight) };
  });
  return {
    words,
    setsIn: (row) =>
      reference.length === 0
        ? []
        : together(
            must(every[row])
              .filter((word) => odd.has(word))
              .sort(),
          ),
    newWordsOf(rows) {
      const isNew = (word: string): boolean => !most.known.has(word) || (most.excess.get(word) ?? 0) >= NEW_EXCESS;
      return new Set(
        must(words[must(rows[0])]).filter((word) => isNew(word) && rows.every((row) => must(sets[row]).has(word))),
      );
    },
    of(row, without) {
      const { odds, adds } = must(whole[row]);
      let rest = odds;
      must(words[row]).forEach((word, at) => {
        if (without.has(word)) rest -= adds[at]!;
      });
      return rest;
    },
  };
}

/** For each word its largest excess in the texts of a label, and the words of clean texts. */
function strongestExcess(
  words: readonly (readonly string[])[],
  suspects: readonly Example[],
  reference: readonly Example[],
  labels: number,
) {
  const known = new Set(words.slice(suspects.length).flat());
  const strongest = new Map<string, number>();
  for (let label = 0; label < labels; label++) {
    const count = (texts: readonly Example[], from: number): Map<string, number> => {
      const counts = new Map<string, number>();
      texts.forEach((example, at) => {
        if (example.label !== label) return;
        for (const word of must(words[from + at])) counts.set(word, (counts.get(word) ?? 0) + 1);
      });
      return counts;
    };
    const [here, there] = [count(suspects, 0), count(reference, suspects.length)];
    const of = (texts: readonly Example[]): number => texts.filter((each) => each.label === label).length;
    const q = of(suspects) / Math.max(1, of(suspects) + of(reference));
    for (const [word, k] of here) {
      if (k < MIN_ROWS) continue;
      strongest.set(word, Math.max(strongest.get(word) ?? 0, excess(k, there.get(word) ?? 0, q)));
    }
  }
  return { known, excess: strongest };
}

/** Sets of two and three of the words. */
function together(words: readonly string[]): string[] {
  return words.flatMap((a, at) =>
    words
      .slice(at + 1)
      .flatMap((b, next) => [
        `"${a}" and "${b}" together`,
        ...words.slice(at + next + 2).map((c) => `"${a}", "${b}" and "${c}" together`),
      ]),
  );
}
