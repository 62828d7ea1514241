/** @file How a graph's output is to be read, on whose word, and what its columns are called. */
import { ModelError, must } from '../../core/errors.js';
import type { OutputReading } from '../../core/output-reading.js';
import type { LoadOptions } from '../loaded-model.js';
import type { Description } from '../opening/describe.js';
import type { OutputActivation } from '../opening/manifest.js';
import type { ProbeResult } from '../opening/probe.js';
import { activate, columns, type OutputRule } from './activation.js';
import type { OutputHead } from './head.js';

export interface ResolvedOutput {
  readonly rule: OutputRule;
  readonly output: OutputReading;
}

/**
 * Determines how to read the output: from the manifest, otherwise from the last operations of the graph (`head`), the config, or the values
 * of a few answers. If they do not decide, the model is refused. `kind`: the kind of decision; independent scores stay unnormalised unless
 * the largest one decides. Throws ModelError.
 */
export function readOutput(
  model: Description,
  { width, rows, shapes }: ProbeResult,
  head: OutputHead | undefined,
  kind: LoadOptions['decision'],
): ResolvedOutput {
  checkShape(model, shapes);
  if (kind === 'regression') return readNumber(model, width);
  // An operator along another axis than the columns' says nothing of the rows.
  const seen = head !== undefined && agrees(head, rows) ? head : undefined;
  if (width === 1 && (model.output.activation === 'softmax' || seen?.scores === 'distribution'))
    throw softmaxOfOne(model);
  const [activation, decidedBy] = activationOf(model, seen, width, rows, kind);
  const plain = { activation, normalise: false, width };
  const answers = Array.from(rows, (row) => activate(row, plain));
  const inRange = model.output.normalise ? (row: Float32Array) => row.every((p) => p >= 0) : within;
  if (!answers.every(inRange)) throw noProbabilities(model, rows);
  // Scores of which each was made by itself may sum to 1 by chance, but hardly to the last digits.
  const apart = seen?.scores === 'probabilities' && activation === 'none';
  const independent =
    width > 1 && (activation === 'sigmoid' || !answers.every((row) => sumsToOne(row, apart ? 1e-5 : 2e-3)));
  const apartFromEachOther = kind === 'threshold' || kind === 'multi-label';
  if (kind === undefined) checkOneLabel(model, width, independent);
  if (kind === 'multi-label' && (!independent || model.output.normalise === true)) {
    throw exclusiveLabels(model.model, whyExclusive(model, seen, width, activation));
  }
  const normalise = width > 1 && (model.output.normalise ?? ((independent || apart) && !apartFromEachOther));
  const rule = { ...plain, normalise };
  const divided = independent && normalise && model.output.normalise === undefined;
  const guessed = decidedBy === 'values' && width === 1 && activation === 'none';
  const remarks = [
    contradiction(model, seen, activation),
    divided
      ? `its ${width} scores are independent of each other, and were divided by their sum, which keeps their order`
      : [],
    guessed
      ? 'its single score was read as a probability because of its values: the graph does not state it; set it in robust.json'
      : [],
  ]
    .flat()
    .map((remark) => `${model.name}: ${remark}`);
  return { rule, output: { activation, normalised: normalise, decidedBy, remarks } };
}

/** One number: as the graph answers it, or through the sigmoid that a manifest asks for. Throws ModelError (TASK_MISMATCH). */
function readNumber(model: Description, width: number): ResolvedOutput {
  const { activation = 'none', normalise } = model.output;
  const labelled = model.problem === MULTI_LABEL || model.problem === ONE_LABEL;
  if (width !== 1) throw notARegression(model, `got ${width} scores`);
  if (labelled) throw notARegression(model, `config.json says "problem_type": "${model.problem}"`);
  if (normalise || (activation !== 'none' && activation !== 'sigmoid'))
    throw notARegression(model, `its robust.json asks for ${normalise ? 'rows that sum to 1' : `a ${activation}`}`);
  const decidedBy = model.output.activation === undefined ? 'decision' : 'manifest';
  const rule = { activation, normalise: false, width, number: true } as const;
  return { rule, output: { activation, normalised: false, decidedBy, remarks: [] } };
}

const notARegression = (model: Description, what: string): ModelError =>
  new ModelError(`${model.model}: expected a model that answers one number, ${what}`, {
    code: 'TASK_MISMATCH',
    hint: 'Leave --task regression out: it is a classifier.',
  });

/** A softmax in float32 may end a rounding error above 1. */
const ONE_WITH_ROUNDING = 1 + 1e-5;
/** In half precision a row's sum is off by some thousandths. */
const sumsToOne = (row: Float32Array, tolerance = 2e-3): boolean =>
  Math.abs(row.reduce((a, b) => a + b, 0) - 1) < tolerance && row.every((p) => p >= 0);
const within = (row: ArrayLike<number>): boolean => Array.from(row).every((p) => p >= 0 && p <= ONE_WITH_ROUNDING);

/** Do the answers bear out what the graph seems to do? */
function agrees({ scores }: OutputHead, rows: readonly Float32Array[]): boolean {
  switch (scores) {
    case 'distribution':
      return rows.every((row) => sumsToOne(row));
    case 'log-distribution':
      return rows.every((row) => sumsToOne(row.map(Math.exp)));
    case 'probabilities':
      return rows.every(within);
    default:
      return true;
  }
}

function activationOf(
  model: Description,
  seen: OutputHead | undefined,
  width: number,
  rows: readonly Float32Array[],
  kind: LoadOptions['decision'],
): [OutputActivation, OutputReading['decidedBy']] {
  if (model.output.activation !== undefined) return [model.output.activation, 'manifest'];
  const ofLogits = (by: 'graph' | 'values'): [OutputActivation, OutputReading['decidedBy']] => {
    if (width > 1 && model.problem === MULTI_LABEL) return ['sigmoid', 'config'];
    // A graph that ends in logits does not reveal its training objective: requesting any number of labels determines it.
    if (width > 1 && kind === 'multi-label' && model.problem !== ONE_LABEL) return ['sigmoid', 'decision'];
    return [width === 1 ? 'sigmoid' : 'softmax', by];
  };
  switch (seen?.scores) {
    case 'logits':
      return ofLogits('graph');
    case 'log-distribution':
      return ['log-softmax', 'graph'];
    case 'distribution':
    case 'probabilities':
      return ['none', 'graph'];
    case 'margins':
      throw ambiguous(model, `its ${seen.by} answers 1 - s next to a margin s, which is not a probability`);
    case undefined:
      if (!rows.every(within)) return ofLogits('values');
      if (width === 1 || rows.every((row) => sumsToOne(row))) return ['none', 'values'];
      throw ambiguous(
        model,
        'its scores lie between 0 and 1 and do not sum to 1: logits, or probabilities of their own',
      );
  }
}

const MULTI_LABEL = 'multi_label_classification';
const ONE_LABEL = 'single_label_classification';

/** One row of scores for each text. */
function checkShape(model: Description, shapes: ProbeResult['shapes']): void {
  const [first = [], ...others] = shapes;
  const size = (shape: readonly number[]) => shape.reduce((a, b) => a * b, 1);
  const perToken = first.filter((dim) => dim > 1).length > 1 || others.some((shape) => size(shape) !== size(first));
  if (perToken)
    throw notAClassifier(
      model,
      `one row of scores for each text, got [${['texts', ...first].join(', ')}]: answers for each token`,
    );
}

/** Scores that are independent of each other say of each label whether it holds; taking the largest would misread them. */
function checkOneLabel(model: Description, width: number, independent: boolean): void {
  const exclusive = model.output.normalise === true;
  if (exclusive || width === 1 || !(model.problem === MULTI_LABEL || (independent && width > 2))) return;
  const why =
    model.problem === MULTI_LABEL
      ? `config.json says "problem_type": "${MULTI_LABEL}"`
      : 'its scores are independent of each other';
  throw new ModelError(
    `${model.model}: expected a classifier that gives each text one label, got one of any number of labels: ${why}`,
    {
      code: 'TASK_MISMATCH',
      hint: 'If any number of labels may hold, give --task multi-label; if it detects some of them, --positive LABEL; if exactly one holds for each text, say "decision": { "kind": "argmax" } in a robust.json beside the model.',
    },
  );
}

/** Why of a model's labels only one can hold. */
function whyExclusive(
  model: Description,
  seen: OutputHead | undefined,
  width: number,
  activation: OutputActivation,
): string {
  if (width === 1) return 'it has a single score, which speaks for one of two labels';
  if (model.output.normalise) return 'robust.json says "normalise": true, which makes its scores sum to 1';
  if (model.output.activation !== undefined && activation !== 'none')
    return `robust.json says "activation": "${activation}"`;
  if (seen?.scores === 'distribution' || seen?.scores === 'log-distribution')
    return `its graph ends in ${seen.by}, so that its scores sum to 1`;
  if (model.problem === ONE_LABEL && activation === 'softmax') return `config.json says "problem_type": "${ONE_LABEL}"`;
  return 'its scores sum to 1';
}

/** Thresholds on scores that share one sum would say that at most one or two labels hold. */
const exclusiveLabels = (model: string, why: string): ModelError =>
  new ModelError(
    `${model}: expected a model of which any number of labels may hold, got one of a single label: ${why}`,
    {
      code: 'TASK_MISMATCH',
      hint: 'Leave --task multi-label out (--task single, where its robust.json says so); if it detects some labels, --positive LABEL; if its output is logits of labels that are independent, say "output": { "activation": "sigmoid" } in a robust.json.',
    },
  );

/** A manifest wins, but is not believed in silence. */
function contradiction(model: Description, seen: OutputHead | undefined, activation: OutputActivation): string[] {
  if (seen === undefined || model.output.activation === undefined) return [];
  const { scores, by } = seen;
  const says = `robust.json says "activation": "${activation}", but`;
  const made = scores === 'probabilities' || scores === 'distribution';
  if (made && activation !== 'none') {
    return [
      `${says} the graph's ${by} has made probabilities already, so that they are bent a second time: leave it out, or say "none"`,
    ];
  }
  if (scores === 'log-distribution' && activation === 'sigmoid') {
    return [`${says} the graph's ${by} answers logarithms of probabilities: leave it out, or say "log-softmax"`];
  }
  if (scores === 'logits' && (activation === 'none' || activation === 'log-softmax')) {
    return [`${says} the graph ends in ${by}, which answers logits: leave it out, or say "softmax" or "sigmoid"`];
  }
  if (scores === 'margins')
    return [`${says} the graph's ${by} answers 1 - s next to a margin s, which is not a probability`];
  return [];
}

function softmaxOfOne(model: Description): ModelError {
  return new ModelError(
    `${model.model}: expected one score per class for a softmax, got a single one, which is always 1`,
    {
      code: 'MODEL_OUTPUT_MISMATCH',
      hint: 'For a binary classifier with one logit say "output": { "activation": "sigmoid" } in a robust.json.',
    },
  );
}

function noProbabilities(model: Description, rows: readonly Float32Array[]): ModelError {
  const some = Array.from(rows[0] ?? []).slice(0, 10);
  return new ModelError(`${model.model}: expected probabilities in [0, 1], got ${some.join(', ')}`, {
    code: 'MODEL_OUTPUT_MISMATCH',
    hint: 'If these are logits, say "output": { "activation": "softmax" } in a robust.json.',
  });
}

function ambiguous(model: Description, why: string): ModelError {
  return new ModelError(`${model.model}: expected an output that can be read as probabilities; ${why}`, {
    code: 'MODEL_OUTPUT_MISMATCH',
    hint: 'Say which it is in a robust.json: "output": { "activation": "softmax" | "sigmoid" | "none" }.',
  });
}

function notAClassifier(model: Description, what: string): ModelError {
  const built = model.architecture === undefined ? '' : ` (config.json: ${model.architecture})`;
  return new ModelError(`${model.model}: expected a text classifier, ${what}${built}`, {
    code: 'TASK_MISMATCH',
    hint: 'Export it with its classification head: optimum-cli export onnx --task text-classification.',
  });
}

/** Tensors that hold what a text looks like to the model, not what it says of it. */
const FEATURES = /(hidden_states?|embeddings?|pooler_output|pooled_output)(\.\d+)?$/;

/** Throws ModelError (TASK_MISMATCH) for models whose names reveal another task. */
export function checkTask(model: Description, output: string, kind: LoadOptions['decision']): void {
  const declared = model.output.activation !== undefined || kind === 'regression';
  if (model.problem === 'regression' && !declared)
    throw new ModelError(`${model.model}: expected a classifier, got a regression model (problem_type)`, {
      code: 'TASK_MISMATCH',
      hint: 'robust attack and robust evaluate take its number as it is: --task regression:delta=0.5. If its output is the logit of one class, say "output": { "activation": "sigmoid" } and both labels in a robust.json.',
    });
  if (FEATURES.test(output) && model.output.name === undefined) {
    throw notAClassifier(model, `got one that answers features of the text ("${output}")`);
  }
}

/** One name per column. Throws ModelError (LABELS_MISMATCH, TASK_MISMATCH). */
export function labelNames(
  model: Description,
  { rule, output }: ResolvedOutput,
  override: readonly string[] | undefined,
): readonly string[] {
  const wanted = columns(rule);
  const named = override ?? model.labels;
  if (rule.number) return [named?.length === 1 && !/^LABEL_\d+$/.test(must(named[0])) ? must(named[0]) : 'score'];
  const logit = rule.width === 1 && output.activation === 'sigmoid' && output.decidedBy !== 'manifest';
  if (logit && (named === undefined || named.length === 1))
    throw new ModelError(
      `${model.model}: expected scores of two or more labels, got one number and ${named === undefined ? 'no name of a label' : `one label (${named[0]})`}, as a regression has`,
      {
        code: 'TASK_MISMATCH',
        hint: 'If it is a regression: --task regression:delta=0.5. If it is the logit of one of two labels, name both in a robust.json: "labels": ["no", "yes"].',
      },
    );
  const labels = named ?? Array.from({ length: wanted }, (_, at) => `LABEL_${at}`);
  if (labels.length === wanted) return labels;
  const columnsFound = rule.width === 1 ? 'single score (no, yes)' : `${rule.width} columns`;
  throw new ModelError(
    `${model.model}: expected ${wanted} label names for its ${columnsFound}, got ${labels.length}: ${labels.slice(0, 10).join(', ')}`,
    {
      code: 'LABELS_MISMATCH',
      hint: 'Name every column, in order, in config.json (id2label; num_labels is their number) or in a robust.json (labels).',
    },
  );
}
