/** @file The models `robust explain` asks, opened as far as the methods need. */
import type { ClosingStack } from '../../core/closing-stack.js';
import type { DecisionRule } from '../../core/decision.js';
import { RobustError } from '../../core/errors.js';
import type { OpenAttention } from '../../explain/attention-source.js';
import { type ExplainedText, type ExplanationMethod, GRADIENT_METHODS } from '../../explain/index.js';
import type { OpenWhiteBox } from '../../gradient/white-box/white-box.js';
import { type LoadedModel, loadModel } from '../../model/load.js';
import type { Context } from '../context.js';
import { columnsOf, type TextColumns } from '../victim/columns.js';
import { decisionWithoutData } from '../victim/decide.js';
import { type DecisionSettings, decisionChoice } from '../victim/decision-choice.js';
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
}

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

/** Throws ModelError, RobustError. */
export async function openModels(choice: ModelChoice, context: Context): Promise<ExplainedModel[]> {
  const { method, engine } = choice;
  const [wanted, columns] = [decisionChoice(choice), columnsOf(choice)];
  if (wanted.kind === 'tags') checkTagMethods(method);
  const models: ExplainedModel[] = [];
  for (const spec of choice.model) {
    const loaded = await loadModel(spec, { ...context.loading(spec), decision: wanted.kind, tags: wanted.tags });
    context.opened.add(loaded);
    const decision = await decisionWithoutData(wanted, loaded, columns, context.data);
    const inside = await openInside(loaded, method, engine, context.opened);
    models.push({ loaded, explained: explainWith(loaded, inside), decision });
  }
  return models;
}

/** Throws RobustError for methods that look into a model. */
export function checkTagMethods(methods: readonly ExplanationMethod[]): void {
  const inside = methods.find((method) => method !== 'lime' && method !== 'shap');
  if (inside === undefined) return;
  throw new RobustError(`--method ${inside}: expected a model of labels, got one that tags (--task tags)`, {
    code: 'TASK_UNSUPPORTED',
    hint: 'Take lime or shap.',
  });
}
