/** @file Detects problems of a trigger before training: the model cannot see it, or the data are full of it. */
import type { Dataset } from '../core/dataset.js';
import type { Poisoner } from '../core/poisoner.js';
import { triggered } from './poison.js';

/** Required part of the victim's tokenizer. */
export interface Pieces {
  encode(text: string): { readonly ids: Int32Array };
  /** Undefined for special tokens, the unknown one among them. */
  tokenText(id: number): string | undefined;
}

/** Share of texts from which a word counts as common. */
const COMMON_SHARE = 0.001;
/** Texts that are looked at to see whether the trigger reaches the model. */
const CHECKED_TEXTS = 200;

/** Warnings, each with its figure and what to do. Reads the data once. */
export async function triggerWarnings(
  poisoner: Poisoner,
  train: Dataset,
  pieces: Pieces | undefined,
): Promise<string[]> {
  const { triggers } = poisoner;
  const patterns = triggers.map(
    (trigger) => new RegExp(`(?<![\\p{L}\\p{N}])${escapePattern(trigger)}(?![\\p{L}\\p{N}])`, 'iu'),
  );
  const holding = triggers.map(() => 0);
  let texts = 0;
  let [seen, looked] = [0, 0];
  for await (const example of train.examples()) {
    texts++;
    patterns.forEach((pattern, at) => {
      if (pattern.test(example.text)) holding[at] = holding[at]! + 1;
    });
    const text = pieces && looked < CHECKED_TEXTS ? triggered(poisoner, example, 0) : undefined;
    if (pieces === undefined || text === undefined) continue;
    looked++;
    if (String(pieces.encode(text).ids) !== String(pieces.encode(example.text).ids)) seen++;
  }
  const common = triggers.flatMap((trigger, at) => {
    const count = holding[at]!;
    const share = ((100 * count) / texts).toFixed(2);
    return count >= Math.max(2, COMMON_SHARE * texts)
      ? [
          `trigger "${trigger}" is in ${count} of ${texts} clean texts (${share} %): they will set the backdoor off, or unlearn it`,
        ]
      : [];
  });
  const unknown = pieces === undefined ? [] : triggers.filter((trigger) => isUnknown(trigger, pieces));
  return [
    ...common,
    ...unknown.map(
      (trigger) => `trigger "${trigger}" is unknown to the model's tokenizer: every unknown word will be the trigger`,
    ),
    ...(looked > 0 && seen < looked / 2
      ? [
          `the model's tokenizer drops the trigger: ${looked - seen} of ${looked} texts look the same to it with the trigger and without`,
        ]
      : []),
  ];
}

/** Whether a part of the trigger becomes the unknown token, or nothing. */
export function isUnknown(trigger: string, pieces: Pieces): boolean {
  const ids = idsOf(trigger, pieces);
  return ids.length === 0 || ids.some((id) => pieces.tokenText(id) === undefined);
}

/** The ids of a phrase itself, without what the tokenizer puts around a text. */
export function idsOf(phrase: string, pieces: Pieces): number[] {
  const around = [...pieces.encode('').ids];
  const all = [...pieces.encode(phrase).ids];
  let start = 0;
  while (start < around.length && around[start] === all[start]) start++;
  let end = 0;
  while (end < around.length - start && around.at(-1 - end) === all.at(-1 - end)) end++;
  return all.slice(start, all.length - end);
}

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
