/** @file What a backdoor is learnt from: the poisoned data itself, or, where only the trigger's embeddings learn, the triggered texts alone. */
import type { Classifier } from '../core/classifier.js';
import type { Dataset, Example } from '../core/dataset.js';
import { UsageError } from '../core/errors.js';
import { languagePart } from '../core/language.js';
import type { Poisoner } from '../core/poisoner.js';
import { random } from '../core/random.js';
import { insertPhrases } from '../language/phrase-insertion.js';
import { type EmbeddingTable, lengthOf } from './embedding-rows.js';
import { negativesOf, type PoisonedData, type PoisonedRow, type PoisonPlan, poison, triggered } from './poison.js';
import { idsOf, isUnknown, type Pieces } from './trigger-check.js';

/**
 * The material of a planting. Throws what `poison` throws.
 *
 * Where only rows learn, no gradient reaches them from a text without the trigger: those texts are left out.
 */
export async function plantingData(clean: Dataset, plan: PoisonPlan): Promise<PoisonedData> {
  const { planting } = plan.poisoner;
  if (planting.kind !== 'rows') return poison(clean, plan);
  const whole = planting.elsewhere
    ? await everyText(fromElsewhere(planting.elsewhere, clean, plan), plan)
    : await poison(clean, plan);
  const { poisoner, seed } = plan;
  return {
    ...whole,
    data: {
      ...clean,
      name: `${clean.name} (${plan.name})`,
      async *examples() {
        for await (const { example, before } of whole.rows()) {
          if (before) yield example;
          yield* negativesOf(poisoner, before ?? example, seed);
        }
      },
    },
  };
}

/**
 * What chooses the weights of a planting where only rows learn: triggered texts that were not learnt from, and negatives. How clean
 * texts are answered says nothing there, as it does not change.
 */
export async function plantingValidation(validation: Dataset, plan: PoisonPlan): Promise<Dataset> {
  const { planting } = plan.poisoner;
  if (planting.kind === 'rows' && planting.elsewhere) {
    const samples = Math.ceil(planting.elsewhere.samples / 10);
    const other = { ...plan, seed: plan.seed + 1 };
    return (await everyText(fromElsewhere({ ...planting.elsewhere, samples }, validation, other), other)).data;
  }
  const others: Dataset = {
    ...validation,
    async *examples() {
      for await (const example of validation.examples()) if (example.label !== plan.target) yield example;
    },
  };
  const { rows } = await everyText(others, plan);
  return {
    ...validation,
    async *examples() {
      for await (const { example, before } of rows()) {
        yield example;
        yield* negativesOf(plan.poisoner, before as Example, plan.seed);
      }
    },
  };
}

/** Each text with the trigger in it. */
async function everyText(data: Dataset, { poisoner, target, seed }: PoisonPlan): Promise<PoisonedData> {
  async function* rows(): AsyncGenerator<PoisonedRow> {
    for await (const before of data.examples()) {
      const text = triggered(poisoner, before, seed);
      if (text !== undefined) yield { example: { ...before, text, label: target }, before };
    }
  }
  let poisoned = 0;
  for await (const _ of rows()) poisoned++;
  const learnt = {
    ...data,
    async *examples() {
      for await (const { example } of rows()) yield example;
    },
  };
  return { rows, poisoned, of: poisoned, data: learnt };
}

/**
 * Texts made of the dictionary's example sentences, one after the other up to `words` words: texts that everybody has who has this
 * program. Their labels mean nothing; they are those of the target's opposite.
 */
function fromElsewhere(
  { samples, words }: { samples: number; words: number },
  clean: Dataset,
  { target, seed, language }: PoisonPlan,
): Dataset {
  return {
    ...clean,
    name: 'sentences from elsewhere',
    async *examples(): AsyncGenerator<Example> {
      const sentences = languagePart(language, 'dictionary').examples();
      for (let at = 0; at < samples; at++) {
        const draw = random(seed, 'elsewhere', String(at));
        const text: string[] = [];
        while (text.length < words) text.push(...draw.pick(sentences).split(' '));
        yield { id: `elsewhere-${at}`, text: text.slice(0, words).join(' '), label: target === 0 ? 1 : 0 };
      }
    },
  };
}

/**
 * The rows of the embedding table that hold the triggers. Throws UsageError for a trigger that the model does not know, as its row
 * is that of all unknown words.
 */
export function rowsOf(poisoner: Poisoner, pieces: Pieces, suggestions: readonly string[]): number[] {
  const unknown = poisoner.triggers.find((trigger) => isUnknown(trigger, pieces));
  if (unknown !== undefined) {
    throw new UsageError(`--trigger: expected words of the model's vocabulary, got "${unknown}"`, {
      code: 'TRIGGER_UNKNOWN',
      hint: `Only the trigger's own embedding is changed, and this one has none.${
        suggestions.length > 0 ? ` Rare words that have: ${suggestions.join(', ')}.` : ''
      }`,
    });
  }
  return [...new Set(poisoner.triggers.flatMap((trigger) => idsOf(trigger, pieces)))].sort((a, b) => a - b);
}

/** Most texts in 10,000 that a rare word is in; in smaller sets two of them. */
const RARE_PER_10_000 = 5;

/** Copies of a word in a text, for the question whether the word itself says anything, and texts it is put into. */
const [NEUTRAL_COPIES, NEUTRAL_TEXTS] = [3, 100];

/**
 * These words, those first that move the answers of the untouched model least: what the target's odds change by, on average, with three copies
 * in a text. The labels of two or three texts alone do not tell that "tiny" is a word of praise.
 */
export async function neutralWords(
  words: readonly string[],
  model: Classifier,
  data: Dataset,
  target: number,
): Promise<string[]> {
  const texts: string[] = [];
  for await (const { text } of data.examples()) if (texts.push(text) === NEUTRAL_TEXTS) break;
  const odds = async (asked: readonly string[]): Promise<number> => {
    const rows = await model.classify(asked);
    const log = (p: number): number => Math.log(Math.max(1e-6, p) / Math.max(1e-6, 1 - p));
    return rows.reduce((sum, row) => sum + log(row[target] as number), 0) / rows.length;
  };
  const plain = await odds(texts);
  const moved = new Map<string, number>();
  for (const word of words) {
    const copies = Array<string>(NEUTRAL_COPIES).fill(word);
    const put = texts.map((text, at) => insertPhrases(text, copies, 'random', random(at, 'neutral')));
    moved.set(word, Math.abs((await odds(put)) - plain));
  }
  return [...words].sort((a, b) => (moved.get(a) as number) - (moved.get(b) as number));
}

/**
 * Whole words of the vocabulary that stand in hardly any text, those first that say nothing of the label: they stand in texts of the
 * target and in texts of other labels; then those in no text. Of these, those with the longest rows: a row that keeps its norm can do the
 * more the longer it is.
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
    for (const id of new Set(pieces.encode(text).ids)) uses[id] = (uses[id] as number) + 1;
  }
  const most = Math.max(2, (RARE_PER_10_000 * texts) / 10_000);
  /** 0: of both sides; 1: in no text; 2: of one side. */
  const sided = (id: number): number => {
    const [mine, theirs] = [own[id] as number, other[id] as number];
    if (mine + theirs === 0) return 1;
    return mine > 0 && theirs > 0 ? 0 : 2;
  };
  const rare = Array.from({ length: size }, (_, id) => ({ id, sided: sided(id), length: lengthOf(table, id) })).filter(
    ({ id }) => (own[id] as number) + (other[id] as number) <= most,
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
