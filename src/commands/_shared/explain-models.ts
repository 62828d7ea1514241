/** @file The models `robust explain` asks, opened as far as the methods need. */
import type { Explained, Method } from '../../explain/index.js';
import { type LoadedModel, type LoadOptions, loadModel } from '../../model/load.js';
import { explained } from './explained.js';

export interface OpenModels {
  readonly models: readonly { readonly loaded: LoadedModel; readonly explained: Explained }[];
  close(): Promise<void>;
}

export interface ModelFlags {
  readonly method: readonly Method[];
  readonly engine: 'onnx' | 'tfjs';
  readonly workers: number | undefined;
}

const GRADIENTS: readonly Method[] = ['integrated-gradients', 'gradient-x-input'];

/** Throws ModelError, UsageError. */
export async function openModels(
  specs: readonly (readonly [spec: string, options: LoadOptions])[],
  { method, engine, workers }: ModelFlags,
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
      const inside: { gradients?: Awaited<ReturnType<typeof gradientsOf>> } = {};
      if (method.some((each) => GRADIENTS.includes(each))) {
        inside.gradients = await gradientsOf(loaded, engine);
        closing.push(inside.gradients);
      }
      models.push({ loaded, explained: explained(loaded, inside) });
    }
    return { models, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const gradientsOf = async (model: LoadedModel, engine: 'onnx' | 'tfjs') =>
  (await import('../../gradient/white-box.js')).openWhiteBox(model, { engine });
