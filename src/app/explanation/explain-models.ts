/** @file The models `robust explain` asks, opened as far as the methods need. */

import type { OpenAttention } from '../../explain/attention-source.js';
import type { ExplainedText, ExplanationMethod } from '../../explain/index.js';
import type { ShuffledModel } from '../../explain/shuffled-model.js';
import type { OpenWhiteBox } from '../../gradient/white-box/white-box.js';
import { readsIds } from '../../model/input-kinds.js';
import { type LoadedModel, type LoadOptions, loadModel } from '../../model/load.js';
import { explained } from './explained.js';

export interface OpenModels {
  readonly models: readonly { readonly loaded: LoadedModel; readonly explained: ExplainedText }[];
  close(): Promise<void>;
}

export interface ModelFlags {
  readonly method: readonly ExplanationMethod[];
  readonly engine: 'onnx' | 'tfjs';
  readonly workers: number | undefined;
  readonly check: boolean;
  readonly seed: number;
}

/** Shuffled twins a model is held against: one alone may resemble it by chance. */
const SHUFFLED_MODELS = 3;

const GRADIENTS: readonly ExplanationMethod[] = ['integrated-gradients', 'gradient-x-input'];

/** Throws ModelError, UsageError. */
export async function openModels(
  specs: readonly (readonly [spec: string, options: LoadOptions])[],
  { method, engine, workers, check, seed }: ModelFlags,
): Promise<OpenModels> {
  const closing: { close(): Promise<void> }[] = [];
  const close = async (): Promise<void> => {
    for (const each of closing.splice(0).reverse()) await each.close();
  };
  try {
    const models = [];
    for (const [spec, options] of specs) {
      const loaded = await loadModel(spec, { ...options, ...(workers === undefined ? {} : { workers }) });
      closing.push(loaded);
      const inside: { gradients?: OpenWhiteBox; attention?: OpenAttention; shuffled?: ShuffledModel[] } = {};
      if (method.some((each) => GRADIENTS.includes(each))) {
        const { openWhiteBox } = await import('../../gradient/white-box/white-box.js');
        inside.gradients = await openWhiteBox(loaded, { engine });
        closing.push(inside.gradients);
      }
      if (method.includes('attention')) {
        const { openAttention } = await import('../../explain/attention-source.js');
        inside.attention = await openAttention(loaded);
        closing.push(inside.attention);
      }
      if (check && loaded.onnx !== undefined && readsIds(loaded.onnx.encoder)) {
        const { openShuffled } = await import('../../explain/shuffled-model.js');
        const shuffled: ShuffledModel[] = [];
        for (let at = 0; at < SHUFFLED_MODELS; at++) shuffled.push(await openShuffled(loaded, seed + at));
        closing.push(...shuffled);
        inside.shuffled = shuffled;
      }
      models.push({ loaded, explained: explained(loaded, inside) });
    }
    return { models, close };
  } catch (error) {
    await close();
    throw error;
  }
}
