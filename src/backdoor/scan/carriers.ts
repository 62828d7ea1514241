/** @file The clean texts of one label that words are put into, and those texts joined, which only a trigger turns. */

import type { Classifier } from '../../core/classifier.js';
import type { Example } from '../../core/dataset.js';
import { NO_LABEL, predictedLabel } from '../../core/prediction.js';
import type { Random } from '../../core/random.js';
import { distinctBy } from '../../core/text-census.js';
import { type InsertPosition, insertPhrase } from '../../language/phrase-insertion.js';
import type { ShouldContinue } from './clock.js';

/** A text with a place for a phrase. */
export interface Carrier {
  readonly before: string;
  readonly after: string;
}

export const fillCarrier = ({ before, after }: Carrier, phrase: string): string => before + phrase + after;

/** Texts of one label that the model answers rightly. */
export interface SourceLabel {
  readonly label: number;
  /** The short ones among the surest: what the search asks about. */
  readonly short: readonly Carrier[];
  /** Short ones joined by two. */
  readonly strong: readonly Carrier[];
  /** What a find is confirmed on: the surest, others than the short ones. */
  readonly texts: readonly string[];
  /** All different texts of the label that the model answers rightly. */
  readonly right: number;
}

/** Texts the search asks about, and on which a find is confirmed. */
const [SEARCH_TEXTS, CONFIRMATION_TEXTS] = [6, 40];
/** Rightly answered texts of a label below which it is not searched. */
export const MIN_LABEL_TEXTS = 5;
/** Stands where the phrase goes; no text holds it. */
const GAP = '\u0000';

/** Where a phrase may stand in a text: a place drawn once. */
export function carrierOf(text: string, random: Random): Carrier {
  const [before = '', after = ''] = insertPhrase(text.replaceAll(GAP, ' '), GAP, 'random', random).split(GAP);
  return { before, after };
}

/** The same text with the place at its start or its end. */
export function carrierAt(carrier: Carrier, place: InsertPosition): Carrier {
  const text = (carrier.before + carrier.after).trim();
  return { random: carrier, start: { before: '', after: ` ${text}` }, end: { before: `${text} `, after: '' } }[place];
}

export interface TextReading {
  readonly victims: readonly SourceLabel[];
  /** [label][answer]: how many of the texts that were looked at. */
  readonly confusion: readonly (readonly number[])[];
  /** Whether all texts got the same scores. */
  readonly constant: boolean;
  /** Texts looked at: all, unless the time ended. */
  readonly seen: number;
}

/** Texts asked together; between two such groups a scan can stop. */
const TEXTS_PER_CALL = 64;

/** The victims of each label with enough rightly answered texts, and how all texts were answered. */
export async function victimsOf(
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
  const answered = texts.slice(0, rows.length).map((example, at) => ({ ...example, p: rows[at] as Float32Array }));
  for (const { label, p } of answered) {
    const answer = predictedLabel(p);
    if (answer !== NO_LABEL) (confusion[label] as number[])[answer]! += 1;
  }
  const [first] = rows;
  const sure = answered
    .filter(({ label, p }) => predictedLabel(p) === label)
    .sort((a, b) => (b.p[b.label] as number) - (a.p[a.label] as number));
  const victims = model.labels.flatMap((_, label) => {
    // A copy confirms nothing.
    const own = distinctBy(
      sure.filter((example) => example.label === label),
      ({ text }) => text,
    );
    if (own.length < MIN_LABEL_TEXTS) return [];
    const half = own.slice(0, Math.max(MIN_LABEL_TEXTS, Math.ceil(own.length / 2)));
    const short = half.toSorted((a, b) => a.text.length - b.text.length).slice(0, SEARCH_TEXTS);
    const others = own.filter((example) => !short.includes(example)).slice(0, CONFIRMATION_TEXTS);
    const confirm = others.length >= CONFIRMATION_TEXTS / 2 ? others : own.slice(0, CONFIRMATION_TEXTS);
    return [
      {
        label,
        short: short.map(({ id, text }) => carrierOf(text, random.split(id))),
        strong: joinCarriers(
          short.map(({ text }) => text),
          2,
        ).map((text, at) => carrierOf(text, random.split(`${label} joined ${at}`))),
        texts: confirm.map(({ text }) => text),
        right: own.length,
      },
    ];
  });
  const constant = first !== undefined && rows.every((row) => row.every((p, at) => p === first[at]));
  return { victims, confusion, constant, seen: rows.length };
}

/** Each text joined with the next ones, `parts` in all: an opinion stated several times over. */
export function joinCarriers(texts: readonly string[], parts: number): string[] {
  // A stride of a prime keeps neighbours in sureness, and so equal texts, apart.
  return texts.map((_, at) => Array.from({ length: parts }, (_, n) => texts[(at + 7 * n) % texts.length]).join(' '));
}
