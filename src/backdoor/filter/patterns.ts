/**
 * @file Patterns of form that more suspects of a label have than clean texts suggest: conjunctions of up to three traits, found by beam search. They are
 * cross-fitted: the patterns that judge a text were found without it and its fold, and must hold in the fold as well.
 */
import { must } from '../../core/errors.js';
import { lazily } from '../../language/data-files.js';
import type { FilterInput } from './method.js';

const FOLDS = 4;
/** Traits of a pattern, patterns that are extended, and patterns kept per label. */
const [MAX_TRAITS, BEAM, KEPT] = [3, 12, 30];
/** Suspects of a label that a pattern must match, and texts of all kinds that a trait must occur in. */
const [MIN_MATCHES, MIN_TEXTS] = [5, 8];
/** Suspects of a label below which nothing is learnt of it. */
const MIN_LABEL_TEXTS = 20;
/** Texts of other labels that count as much as one clean text of the label does: as many pseudo-texts have their share of a trait. Chosen on design sets. */
const PSEUDO_TEXTS = 10;
/** Texts of other labels that must match before they show that the files differ. */
const PSEUDO_MATCHES = 5;

/** A pattern that a text matches. */
export interface FormMatch {
  readonly score: number;
  /** In words. */
  readonly pattern: string;
  /** Its counts in both files. */
  readonly reason: string;
}

interface TraitTexts {
  readonly labelOf: readonly number[];
  readonly suspects: number;
  /** Traits of each text, as numbers. */
  readonly traits: readonly Int32Array[];
  readonly names: readonly string[];
}

/** Texts of a label among the suspects and among the clean, and those of all other labels. */
interface GroupCounts {
  readonly suspects: number;
  readonly clean: number;
  readonly otherSuspects: number;
  readonly otherClean: number;
}

interface FormPattern {
  readonly traits: readonly number[];
  readonly rows: readonly number[];
  readonly score: number;
}

/** For each text the strongest pattern that it matches, if any: suspects first, then the reference. */
export function patternsIn(
  { suspects, reference, labels, random }: Pick<FilterInput, 'suspects' | 'reference' | 'labels' | 'random'>,
  traits: readonly (readonly string[])[],
): (FormMatch | undefined)[] {
  const all = [...suspects, ...reference];
  const texts: TraitTexts = { labelOf: all.map(({ label }) => label), suspects: suspects.length, ...numbered(traits) };
  const order = random.shuffle([...all.keys()]);
  const foldOf = new Int32Array(all.length);
  order.forEach((row, at) => {
    foldOf[row] = at % FOLDS;
  });
  const best: (FormMatch | undefined)[] = all.map(() => undefined);
  for (let fold = 0; fold < FOLDS; fold++) {
    const [learnt, held] = [order.filter((row) => foldOf[row] !== fold), order.filter((row) => foldOf[row] === fold)];
    for (const [label, name] of labels.entries()) {
      for (const pattern of strongestPatterns(texts, learnt, label)) {
        const words = lazily(() => inWords(texts, pattern, label, name));
        keepStronger(best, judged(texts, pattern, held, label), words);
      }
    }
  }
  return best;
}

function keepStronger(
  best: (FormMatch | undefined)[],
  scores: readonly [row: number, score: number][],
  words: () => Omit<FormMatch, 'score'>,
): void {
  for (const [row, score] of scores) if (score > (best[row]?.score ?? 0)) best[row] = { score, ...words() };
}

function numbered(traits: readonly (readonly string[])[]): Pick<TraitTexts, 'traits' | 'names'> {
  const counts = new Map<string, number>();
  for (const trait of traits.flat()) counts.set(trait, (counts.get(trait) ?? 0) + 1);
  const names = [...counts].filter(([, count]) => count >= MIN_TEXTS).map(([name]) => name);
  const ids = new Map(names.map((name, id) => [name, id]));
  return { names, traits: traits.map((of) => Int32Array.from(of.flatMap((name) => ids.get(name) ?? [])).sort()) };
}

const groupOf = ({ labelOf, suspects }: TraitTexts, row: number, label: number): keyof GroupCounts => {
  if (labelOf[row] === label) return row < suspects ? 'suspects' : 'clean';
  return row < suspects ? 'otherSuspects' : 'otherClean';
};

const byGroup = <T>(of: (group: keyof GroupCounts) => T): Record<keyof GroupCounts, T> => ({
  suspects: of('suspects'),
  clean: of('clean'),
  otherSuspects: of('otherSuspects'),
  otherClean: of('otherClean'),
});

function countsOf(texts: TraitTexts, rows: readonly number[], label: number): GroupCounts {
  const counts = { suspects: 0, clean: 0, otherSuspects: 0, otherClean: 0 };
  for (const row of rows) counts[groupOf(texts, row, label)]++;
  return counts;
}

/** The pattern, and its counts in all texts. */
function inWords(texts: TraitTexts, { traits }: FormPattern, label: number, name: string): Omit<FormMatch, 'score'> {
  const pattern = traits.map((trait) => texts.names[trait]).join(' and ');
  const rows = [...texts.traits.keys()];
  const total = countsOf(texts, rows, label);
  const matched = countsOf(texts, matching(texts, traits, rows), label);
  return {
    pattern,
    reason: `${pattern} in ${matched.suspects} of ${total.suspects} texts labelled ${name} and in ${matched.clean} of ${total.clean} clean ones; in ${matched.otherSuspects} of ${total.otherSuspects} of other labels`,
  };
}

const matching = ({ traits }: TraitTexts, pattern: readonly number[], rows: readonly number[]): number[] =>
  rows.filter((row) => pattern.every((trait) => includes(must(traits[row]), trait)));

/** Beam search: each round adds one trait to the strongest patterns. */
function strongestPatterns(texts: TraitTexts, rows: readonly number[], label: number): FormPattern[] {
  const total = countsOf(texts, rows, label);
  if (total.suspects < MIN_LABEL_TEXTS) return [];
  let front: FormPattern[] = [{ traits: [], rows, score: 0 }];
  const found: FormPattern[] = [];
  for (let round = 0; round < MAX_TRAITS; round++) {
    front = distinct(front.flatMap((pattern) => extensions(texts, pattern, total, label)));
    found.push(...front);
  }
  return found.sort((a, b) => b.score - a.score).slice(0, KEPT);
}

/** The strongest patterns that match different texts; of equal ones the first, which is the more readable one. */
function distinct(patterns: readonly FormPattern[]): FormPattern[] {
  const kept = new Map<string, FormPattern>();
  for (const pattern of patterns.toSorted((a, b) => b.score - a.score || order(a) - order(b))) {
    const key = pattern.rows.join(' ');
    if (!kept.has(key)) kept.set(key, pattern);
    if (kept.size === BEAM) break;
  }
  return [...kept.values()];
}

const order = ({ traits }: FormPattern): number => Math.max(...traits);

function extensions(
  texts: TraitTexts,
  { traits, rows }: FormPattern,
  total: GroupCounts,
  label: number,
): FormPattern[] {
  const width = texts.names.length;
  const counts = byGroup(() => new Int32Array(width));
  for (const row of rows) {
    const group = counts[groupOf(texts, row, label)];
    for (const trait of must(texts.traits[row])) group[trait]!++;
  }
  const scored: { trait: number; score: number }[] = [];
  for (let trait = 0; trait < width; trait++) {
    if (counts.suspects[trait]! < MIN_MATCHES || traits.includes(trait)) continue;
    scored.push({
      trait,
      score: evidence(
        byGroup((group) => counts[group][trait]!),
        total,
      ),
    });
  }
  return scored
    .sort((a, b) => b.score - a.score || a.trait - b.trait)
    .slice(0, BEAM)
    .map(({ trait, score }) => ({
      traits: [...traits, trait].sort((a, b) => a - b),
      rows: rows.filter((row) => includes(must(texts.traits[row]), trait)),
      score,
    }));
}

/** Binary search in a text's traits. */
function includes(sorted: Int32Array, trait: number): boolean {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < trait) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === trait;
}

/**
 * How much more suspects of the label match than expected: the share of them that is not expected, times the log-likelihood ratio (Poisson), over the root
 * of their number. Expected is the rate in clean texts of the label, with pseudo-texts that have the rate of all other texts; more where suspects of other
 * labels match more often than clean texts of theirs, which shows that the two files differ in more than poison.
 */
function evidence(matched: GroupCounts, total: GroupCounts): number {
  const others = total.otherSuspects + total.otherClean;
  const elsewhere = (matched.otherSuspects + matched.otherClean + 0.5) / (others + 1);
  const rate = (matched.clean + PSEUDO_TEXTS * elsewhere) / (total.clean + PSEUDO_TEXTS);
  const expectedElsewhere = (matched.otherClean * total.otherSuspects) / Math.max(1, total.otherClean);
  const drift = (matched.otherSuspects + PSEUDO_MATCHES) / (expectedElsewhere + PSEUDO_MATCHES);
  const [k, expected] = [matched.suspects, total.suspects * rate * Math.max(1, drift)];
  if (k <= expected) return 0;
  return ((1 - expected / k) * (k * Math.log(k / expected) - (k - expected))) / Math.sqrt(k);
}

/** Scores of the held texts that match: the weaker of the evidence where the pattern was found and in the fold without the text itself. */
function judged(
  texts: TraitTexts,
  { traits, score }: FormPattern,
  held: readonly number[],
  label: number,
): [number, number][] {
  const total = countsOf(texts, held, label);
  const rows = matching(texts, traits, held);
  const matched = countsOf(texts, rows, label);
  return rows.flatMap((row): [number, number][] => {
    const group = groupOf(texts, row, label);
    if (group !== 'suspects' && group !== 'clean') return [];
    const without = { ...matched, [group]: matched[group] - 1 };
    // The fold is a third of the texts in which the pattern was found, and evidence grows with the root of their number.
    return [[row, Math.min(score, evidence(without, total) * Math.sqrt(FOLDS - 1))]];
  });
}
