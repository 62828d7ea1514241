/** @file The models `robust explain` asks, opened as far as the methods need. */

import type { DecisionRule } from '../../core/decision.js';
import { UnsupportedOpError } from '../../core/errors.js';
import type { OpenAttention } from '../../explain/attention-source.js';
import { type Explainable, type ExplainedText, type ExplanationMethod, GRADIENT_METHODS } from '../../explain/index.js';
import type { OpenWhiteBox } from '../../gradient/white-box/white-box.js';
import { type LoadedModel, type LoadOptions, loadModel } from '../../model/load.js';
import { readsIds } from '../../model/opening/input-kinds.js';
import type { TextColumns } from '../victim/columns.js';
import { askedDecision, type DecisionChoice, decisionWithoutData } from '../victim/decide.js';
import { explained } from './explained.js';

export interface OpenModels {
  readonly models: readonly {
    readonly loaded: LoadedModel;
    readonly explained: ExplainedText;
    /** Absent where the most probable label is decided. */
    readonly decision?: DecisionRule;
  }[];
  close(): Promise<void>;
}

export interface ModelFlags extends DecisionChoice, TextColumns {
  readonly data?: string | undefined;
  readonly method: readonly ExplanationMethod[];
  readonly engine: 'onnx' | 'tfjs';
  readonly workers: number | undefined;
  readonly precision: LoadOptions['precision'] | undefined;
  readonly check: boolean;
  readonly seed: number;
}

/** Shuffled twins a model is held against: one alone may resemble it by chance. */
const SHUFFLED_MODELS = 3;

export interface InsideModel {
  gradients?: OpenWhiteBox;
  attention?: OpenAttention;
}

/** What the methods must see of a model; what was opened is added to `closing`. Throws ModelError. */
export async function openInside(
  loaded: LoadedModel,
  method: readonly ExplanationMethod[],
  engine: 'onnx' | 'tfjs',
  closing: { close(): Promise<void> }[],
): Promise<InsideModel> {
  const inside: InsideModel = {};
  if (method.some((each) => GRADIENT_METHODS.includes(each))) {
    const { openWhiteBox } = await import('../../gradient/white-box/white-box.js');
    inside.gradients = await openWhiteBox(loaded, { engine });
    closing.push(inside.gradients);
  }
  if (method.includes('attention')) {
    const { openAttention } = await import('../../explain/attention-source.js');
    inside.attention = await openAttention(loaded);
    closing.push(inside.attention);
  }
  return inside;
}

/** Throws ModelError, UsageError, DatasetError. */
export async function openModels(
  specs: readonly (readonly [spec: string, options: LoadOptions])[],
  flags: ModelFlags,
): Promise<OpenModels> {
  const { method, engine, workers, precision, check, seed } = flags;
  const asked = askedDecision(flags);
  const closing: { close(): Promise<void> }[] = [];
  const close = async (): Promise<void> => {
    for (const each of closing.splice(0).reverse()) await each.close();
  };
  try {
    const models = [];
    for (const [spec, options] of specs) {
      const loaded = await loadModel(spec, {
        ...options,
        ...(workers === undefined ? {} : { workers }),
        ...(precision && { precision }),
        ...(asked && { decision: asked }),
      });
      closing.push(loaded);
      const decision = await decisionWithoutData(flags, loaded, options);
      const inside: InsideModel & Pick<ExplainedText, 'approximation'> & { shuffled?: Explainable[] } = {
        ...(loaded.approximation && { approximation: loaded.approximation }),
        ...(await openInside(loaded, method, engine, closing)),
      };
      if (check && loaded.onnx !== undefined && readsIds(loaded.onnx.encoder)) {
        const { openShuffled } = await import('../../explain/shuffled-model.js');
        inside.shuffled = [];
        for (let at = 0; at < SHUFFLED_MODELS; at++) {
          const shuffled = await openShuffled(loaded, seed + at);
          closing.push(shuffled);
          const { classifier } = shuffled;
          const seen = await openInside(shuffled.loaded, method, engine, closing).catch((error) => {
            // Weights in another order may leave no gradient: the check then goes without this copy.
            if (error instanceof UnsupportedOpError) return {};
            throw error;
          });
          inside.shuffled.push({ classifier, ...seen });
        }
      }
      models.push({ loaded, explained: explained(loaded, inside), ...(decision && { decision }) });
    }
    return { models, close };
  } catch (error) {
    await close();
    throw error;
  }
}
