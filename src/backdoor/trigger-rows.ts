/** @file The rows of the embedding table that hold a trigger, and the rare words that could be one. */
import type { Classifier } from '../core/classifier.js';
import type { Dataset } from '../core/dataset.js';
import { must, RobustError } from '../core/errors.js';
import type { Poisoner } from '../core/poisoner.js';
import { random } from '../core/random.js';
import { insertPhrases } from '../language/phrase-insertion.js';
import { type EmbeddingTable, lengthOf } from './embedding-rows.js';
import { idsOf, isUnknown, type Pieces } from './trigger-check.js';

/**
 * The rows of the embedding table that hold the triggers. Throws RobustError for a trigger that the model does not know, as its row
 * is that of all unknown words.
 */
export function rowsOf(poisoner: Poisoner, pieces: Pieces, suggestions: readonly string[]): number[] {
  const unknown = poisoner.triggers.find((trigger) => isUnknown(trigger, pieces));
  if (unknown !== undefined)
    throw new RobustError(`--trigger: expected words of the model's vocabulary, got "${unknown}"`, {
      code: 'TRIGGER_INVALID',
      hint: `Only the trigger's own embedding is changed, and this one has none.${
        suggestions.length > 0 ? ` Rare words that have: ${suggestions.join(', ')}.` : ''
      }`,
    });
  return [...new Set(poisoner.triggers.flatMap((trigger) => idsOf(trigger, pieces)))].sort((a, b) => a - b);
}

/** Most texts in 10,000 that a rare word is in; in smaller sets two of them. */
const RARE_PER_10_000 = 5;

/** Copies of a word in a text, for the question whether the word itself says anything, and texts it is put into. */
const [NEUTRAL_COPIES, NEUTRAL_TEXTS] = [3, 100];

/**
 * These words, sorted by their influence on the original model, the smallest first: the average change of the target's odds with three
 * copies in a text. The labels of two or three texts do not reveal that "tiny" expresses praise.
 */
export async function neutralWords(
  words: readonly string[],
  model: Classifier,
  data: Dataset,
  target: number,
): Promise<string[]> {
  const texts: string[] = [];
  for await (const { text } of data.examples()) if (texts.push(text) === NEUTRAL_TEXTS) break;
  const odds = async (queries: readonly string[]): Promise<number> => {
    const rows = await model.classify(queries);
    const log = (p: number): number => Math.log(Math.max(1e-6, p) / Math.max(1e-6, 1 - p));
    return rows.reduce((sum, row) => sum + log(row[target]!), 0) / rows.length;
  };
  const plain = await odds(texts);
  const moved = new Map<string, number>();
  for (const word of words) {
    const copies = Array<string>(NEUTRAL_COPIES).fill(word);
    const put = texts.map((text, at) => insertPhrases(text, copies, 'random', random(at, 'neutral')));
    moved.set(word, Math.abs((await odds(put)) - plain));
  }
  return [...words].sort((a, b) => must(moved.get(a)) - must(moved.get(b)));
}

/**
 * Whole words of the vocabulary that occur in hardly any text. Words without association with a label come first: they occur in texts of
 * the target and of other labels; then words in no text. Words with the longest rows are preferred, because a row that keeps its norm has
 * more effect if it is longer.
 */
export async function rareWords(
  data: Dataset,
  pieces: Pieces,
  table: EmbeddingTable,
  target: number,
  limit: number,
): Promise<string[]> {
  const size = table.values.length / table.width;
  const [own, other] = [new Uint32Array(size), new Uint32Array(size)];
  let texts = 0;
  for await (const { text, label } of data.examples()) {
    texts++;
    const uses = label === target ? own : other;
    for (const id of new Set(pieces.encode(text).ids)) uses[id] = uses[id]! + 1;
  }
  const most = Math.max(2, (RARE_PER_10_000 * texts) / 10_000);
  /** 0: of both sides; 1: in no text; 2: of one side. */
  const sided = (id: number): number => {
    const [mine, theirs] = [own[id]!, other[id]!];
    if (mine + theirs === 0) return 1;
    return mine > 0 && theirs > 0 ? 0 : 2;
  };
  const rare = Array.from({ length: size }, (_, id) => ({ id, sided: sided(id), length: lengthOf(table, id) })).filter(
    ({ id }) => own[id]! + other[id]! <= most,
  );
  rare.sort((a, b) => a.sided - b.sided || b.length - a.length);
  const words: string[] = [];
  for (const { id } of rare) {
    const word = (pieces.tokenText(id) ?? '').trim();
    if (/^\p{L}{2,}$/u.test(word) && idsOf(word, pieces).join() === String(id)) words.push(word);
    if (words.length === limit) break;
  }
  return words;
}
