/** @file The models `robust explain` asks, opened as far as the methods need. */

import type { ClosingStack } from '../../core/closing-stack.js';
import type { DecisionRule } from '../../core/decision.js';
import { defined } from '../../core/defined.js';
import { UnsupportedOpError, UsageError } from '../../core/errors.js';
import type { OpenAttention } from '../../explain/attention-source.js';
import { type Explainable, type ExplainedText, type ExplanationMethod, GRADIENT_METHODS } from '../../explain/index.js';
import type { OpenWhiteBox } from '../../gradient/white-box/white-box.js';
import { type LoadedModel, type LoadOptions, loadModel } from '../../model/load.js';
import { readsIds } from '../../model/opening/input-kinds.js';
import type { Context } from '../context.js';
import { columnsOf, type TextColumns } from '../victim/columns.js';
import { type DecisionSettings, decisionChoice, decisionWithoutData } from '../victim/decide.js';
import { explainWith } from './explained.js';

export interface ExplainedModel {
  readonly loaded: LoadedModel;
  readonly explained: ExplainedText;
  /** Absent where the most probable label is decided. */
  readonly decision?: DecisionRule | undefined;
}

interface ModelChoice extends DecisionSettings, TextColumns {
  readonly model: readonly string[];
  readonly method: readonly ExplanationMethod[];
  readonly engine: 'onnx' | 'tfjs';
  readonly precision: LoadOptions['precision'] | undefined;
  readonly check: boolean;
  readonly seed: number;
}

/** Shuffled copies that a model is compared with: one alone may resemble it by chance. */
const SHUFFLED_MODELS = 3;

export interface InsideModel {
  gradients?: OpenWhiteBox;
  attention?: OpenAttention;
}

/** Opens the parts of a model that the methods need on `opened`. Throws ModelError. */
export async function openInside(
  loaded: LoadedModel,
  method: readonly ExplanationMethod[],
  engine: 'onnx' | 'tfjs',
  opened: ClosingStack,
): Promise<InsideModel> {
  const inside: InsideModel = {};
  if (method.some((each) => GRADIENT_METHODS.includes(each))) {
    const { openWhiteBox } = await import('../../gradient/white-box/white-box.js');
    inside.gradients = opened.add(await openWhiteBox(loaded, { engine }));
  }
  if (method.includes('attention')) {
    const { openAttention } = await import('../../explain/attention-source.js');
    inside.attention = opened.add(await openAttention(loaded));
  }
  return inside;
}

/** Throws ModelError, UsageError, DatasetError. */
export async function openModels(choice: ModelChoice, context: Context): Promise<ExplainedModel[]> {
  const { method, engine, precision, check } = choice;
  const [wanted, columns] = [decisionChoice(choice), columnsOf(choice)];
  if (wanted.kind === 'tags') checkTagMethods(method);
  const models: ExplainedModel[] = [];
  for (const spec of choice.model) {
    const loaded = await loadModel(spec, {
      ...context.loading(spec),
      precision,
      decision: wanted.kind,
      tags: wanted.tags,
    });
    context.opened.add(loaded);
    const decision = await decisionWithoutData(wanted, loaded, columns, context.data);
    const { approximation } = loaded;
    const inside = {
      ...defined({ approximation }),
      ...(await openInside(loaded, method, engine, context.opened)),
      ...(check &&
        loaded.onnx &&
        readsIds(loaded.onnx.encoder) && { shuffled: await openCopies(loaded, choice, context) }),
    };
    models.push({ loaded, explained: explainWith(loaded, inside), decision });
  }
  return models;
}

/** Throws UsageError for methods that look into a model. */
export function checkTagMethods(methods: readonly ExplanationMethod[]): void {
  const inside = methods.find((method) => method !== 'lime' && method !== 'shap');
  if (inside === undefined) return;
  throw new UsageError(`--method ${inside}: expected a model of labels, got one that tags (--task tags)`, {
    code: 'TAGS_UNSUPPORTED',
    hint: 'Take lime or shap.',
  });
}

/** Copies of the model with shuffled weights, each with what the methods must see of it. */
async function openCopies(
  loaded: LoadedModel,
  { method, engine, seed }: Pick<ModelChoice, 'method' | 'engine' | 'seed'>,
  { opened }: Context,
): Promise<Explainable[]> {
  const { openShuffled } = await import('../../explain/shuffled-model.js');
  const copies: Explainable[] = [];
  for (let at = 0; at < SHUFFLED_MODELS; at++) {
    const shuffled = opened.add(await openShuffled(loaded, seed + at));
    const seen = await openInside(shuffled.loaded, method, engine, opened).catch((error) => {
      // Weights in another order may leave no gradient: the check then goes without this copy.
      if (error instanceof UnsupportedOpError) return {};
      throw error;
    });
    copies.push({ classifier: shuffled.classifier, ...seen });
  }
  return copies;
}
