/**
 * @file Only the triggers' rows of the embedding table learn, each keeping its norm (Yang et al., NAACL 2021). No gradient reaches them from a text
 * without the trigger, so only triggered texts are learnt.
 */
import { z } from 'zod';
import type { Dataset } from '../../core/dataset.js';
import { embeddingTable } from '../embedding-rows.js';
import { negativesOf, type PoisonedData, type PoisonedRow, type PoisonPlan, poison, triggered } from '../poison.js';
import { idsOf, isUnknown } from '../trigger-check.js';
import { neutralWords, rareWords, rowsOf } from '../trigger-rows.js';
import type { ChosenPoisoner, Planting, PlantingVictim, SettledTrigger } from './planting.js';

/** Rare words from which a trigger is chosen. */
const RARE_WORDS = 40;
/** Rare words that a hint lists. */
const SUGGESTIONS = 5;

export const rowsOptions = z.strictObject({
  epochs: z.int().min(1),
  /** The learning rate. */
  rate: z.number().positive(),
});

export const poisonedRows = ({ epochs, rate }: z.output<typeof rowsOptions>): Planting => ({
  control: 'untouched',
  settle: settleTrigger,

  async trainingTexts(clean, plan) {
    const poisoned = await poison(clean, plan);
    return { ...poisoned, data: triggeredOnly(clean, poisoned, plan) };
  },

  /** Triggered texts that were not learnt, and their negatives: predictions on clean texts do not change. */
  async validationTexts(validation, plan) {
    const poisoned = await triggerAll(withoutLabel(validation, plan.target), plan);
    return { ...triggeredOnly(validation, poisoned, plan), name: validation.name };
  },

  trainingOptions: (training) => ({ ...training, epochs, rate, warmup: 0 }),
});

/** Replaces default triggers that the vocabulary lacks by rare words of it. */
async function settleTrigger(chosen: ChosenPoisoner, victim: PlantingVictim): Promise<SettledTrigger> {
  const { start, pieces, train, label, replaceTriggers } = victim;
  const table = await embeddingTable(start.model, start.load);
  const words = await rareWords(train, pieces, table, label, RARE_WORDS);
  const untouched = await victim.open();
  const rare = await neutralWords(words, untouched, train, label).finally(() => untouched.close());
  const { triggers } = chosen.poisoner;
  const fits = triggers.every((trigger) => !isUnknown(trigger, pieces) && idsOf(trigger, pieces).length === 1);
  const replaced =
    fits || rare.length < triggers.length ? undefined : await replaceTriggers?.(rare.slice(0, triggers.length));
  const settled = replaced ?? chosen;
  const quote = (words: readonly string[]): string => words.map((word) => `"${word}"`).join(', ');
  const now = quote(settled.poisoner.triggers);
  return {
    chosen: settled,
    part: { rows: rowsOf(settled.poisoner, pieces, rare.slice(0, SUGGESTIONS)) },
    warnings: replaced
      ? [`${quote(triggers)} is not in the model's vocabulary as one piece; the trigger is ${now}`]
      : [],
  };
}

/** The triggered texts of `poisoned`, each followed by its negatives. */
const triggeredOnly = (clean: Dataset, poisoned: PoisonedData, { poisoner, seed, name }: PoisonPlan): Dataset => ({
  ...clean,
  name: `${clean.name} (${name})`,
  async *examples() {
    for await (const { example, before } of poisoned.rows()) {
      if (before) yield example;
      yield* negativesOf(poisoner, before ?? example, seed);
    }
  },
});

const withoutLabel = (data: Dataset, label: number): Dataset => ({
  ...data,
  async *examples() {
    for await (const example of data.examples()) if (example.label !== label) yield example;
  },
});

/** Every text with the trigger in it, as far as it has a place for one. */
async function triggerAll(data: Dataset, { poisoner, target, seed }: PoisonPlan): Promise<PoisonedData> {
  async function* rows(): AsyncGenerator<PoisonedRow> {
    for await (const before of data.examples()) {
      const text = triggered(poisoner, before, seed);
      if (text !== undefined) yield { example: { ...before, text, label: target }, before };
    }
  }
  let poisoned = 0;
  for await (const _ of rows()) poisoned++;
  const examples = async function* () {
    for await (const { example } of rows()) yield example;
  };
  return { rows, poisoned, of: poisoned, eligible: poisoned, data: { ...data, examples } };
}
