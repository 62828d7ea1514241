/** @file The clean texts of each label into which words are inserted, alone and joined. Only a trigger flips joined texts. */
import type { Classifier } from '../../core/classifier.js';
import type { Example } from '../../core/dataset.js';
import { NO_LABEL, predictedLabel } from '../../core/prediction.js';
import type { Random } from '../../core/random.js';
import { type InsertPosition, insertPhrase } from '../../language/phrase-insertion.js';
import { distinctBy } from '../../results/clean/text-census.js';
import type { ShouldContinue } from './clock.js';

/** A text with a gap for a phrase. */
export interface GapText {
  readonly before: string;
  readonly after: string;
}

export const fillGap = ({ before, after }: GapText, phrase: string): string => before + phrase + after;

/** Texts of one label that the model classifies correctly. */
export interface SourceLabel {
  readonly label: number;
  /** The short ones among the most confident: the texts of the search. */
  readonly short: readonly GapText[];
  /** Short texts, joined in pairs. */
  readonly strong: readonly GapText[];
  /** The texts of the confirmation: the most confident except the short ones. */
  readonly texts: readonly string[];
}

/** Texts of the search, and of the confirmation. */
const [SEARCH_TEXTS, CONFIRMATION_TEXTS] = [6, 40];
/** Correctly classified texts that a label needs for the search. */
export const MIN_LABEL_TEXTS = 5;
/** Marks the gap; no text contains it. */
const GAP = '\u0000';

/** The text with a gap at a random place. */
export function openGap(text: string, random: Random): GapText {
  const [before = '', after = ''] = insertPhrase(text.replaceAll(GAP, ' '), GAP, 'random', random).split(GAP);
  return { before, after };
}

/** The same text with the gap at its start or its end. */
export function gapAt(gapText: GapText, place: InsertPosition): GapText {
  const text = (gapText.before + gapText.after).trim();
  return { random: gapText, start: { before: '', after: ` ${text}` }, end: { before: `${text} `, after: '' } }[place];
}

export interface TextReading {
  readonly victims: readonly SourceLabel[];
  /** For each label, the number of distinct texts that the model classifies correctly. */
  readonly correct: readonly number[];
  /** [label][prediction]: number of texts. */
  readonly confusion: readonly (readonly number[])[];
  /** Whether all texts got the same scores. */
  readonly constant: boolean;
  /** Texts that were classified: all, unless the budget ended. */
  readonly seen: number;
}

/** Texts per call of the model. A scan can stop between two calls. */
const TEXTS_PER_CALL = 64;

/** Classifies the texts, and selects those of each label that has enough correctly classified ones. */
export async function readSourceTexts(
  model: Classifier,
  texts: readonly Example[],
  random: Random,
  going: ShouldContinue,
): Promise<TextReading> {
  const rows: Float32Array[] = [];
  while (rows.length < texts.length && going(rows.length)) {
    rows.push(
      ...(await model.classify(texts.slice(rows.length, rows.length + TEXTS_PER_CALL).map(({ text }) => text))),
    );
  }
  const confusion = model.labels.map(() => model.labels.map(() => 0));
  const answered = texts.slice(0, rows.length).map((example, at) => ({ ...example, p: rows[at]! }));
  for (const { label, p } of answered) {
    const answer = predictedLabel(p);
    if (answer !== NO_LABEL) confusion[label]![answer]! += 1;
  }
  const [first] = rows;
  const sure = answered
    .filter(({ label, p }) => predictedLabel(p) === label)
    .sort((a, b) => b.p[b.label]! - a.p[a.label]!);
  // Copies are no confirmation.
  const correct = model.labels.map((_, label) =>
    distinctBy(
      sure.filter((example) => example.label === label),
      ({ text }) => text,
    ),
  );
  const victims = correct.flatMap((own, label) => {
    if (own.length < MIN_LABEL_TEXTS) return [];
    const half = own.slice(0, Math.max(MIN_LABEL_TEXTS, Math.ceil(own.length / 2)));
    const short = half.toSorted((a, b) => a.text.length - b.text.length).slice(0, SEARCH_TEXTS);
    const others = own.filter((example) => !short.includes(example)).slice(0, CONFIRMATION_TEXTS);
    const confirm = others.length >= CONFIRMATION_TEXTS / 2 ? others : own.slice(0, CONFIRMATION_TEXTS);
    return [
      {
        label,
        short: short.map(({ id, text }) => openGap(text, random.split(id))),
        strong: joinTexts(
          short.map(({ text }) => text),
          2,
        ).map((text, at) => openGap(text, random.split(`${label} joined ${at}`))),
        texts: confirm.map(({ text }) => text),
      },
    ];
  });
  const constant = first !== undefined && rows.every((row) => row.every((p, at) => p === first[at]));
  return { victims, correct: correct.map(({ length }) => length), confusion, constant, seen: rows.length };
}

/** Each text joined with the next ones, `parts` in all. */
export function joinTexts(texts: readonly string[], parts: number): string[] {
  // The prime stride separates neighbours in confidence, and so equal texts.
  return texts.map((_, at) => Array.from({ length: parts }, (_, n) => texts[(at + 7 * n) % texts.length]).join(' '));
}
