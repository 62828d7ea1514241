/** @file A model in training: its graph with the loss, the weights that change, and what each input is fed. */
import { GraphBuilder } from '../../packages/onnx/src/graph/builder.js';
import { withInitializers, withOutputs } from '../../packages/onnx/src/graph/edit.js';
import { embeddingLookups } from '../../packages/onnx/src/graph/embedding-lookups.js';
import { feeds, type Graph, type Model } from '../../packages/onnx/src/graph/model.js';
import { Tensor } from '../../packages/onnx/src/graph/tensor.js';
import { ModelError, must } from '../core/errors.js';
import type { Random } from '../core/random.js';
import { rowNorm } from '../core/row-norm.js';
import { withDirectLookup } from '../model/graph/direct-lookup.js';
import { withPrunedRows } from '../model/graph/row-pruning.js';
import type { OutputActivation } from '../model/opening/manifest.js';
import { type LossStart, logitsTable, lossStart } from '../model/output/head.js';
import type { TokenInput, TokenRole } from '../model/workers/feeds.js';
import {
  type Architecture,
  type DropoutRates,
  draw,
  type LogitsOf,
  type Mask,
  type NumberScale,
} from './architectures/architecture-builder.js';
import { appendLoss, type LossHead } from './loss.js';
import { decays, type Parameter } from './parameter.js';
import { headOf, type TrainedPart, weightsOf } from './trained-weights.js';

/** A lookup of rows by an input: the gradient of the table is that of the rows. */
interface TableLookup {
  readonly table: string;
  /** Meaning of the ids in the input. */
  readonly role: TokenRole;
  /** The looked-up rows, [batch, sequence, width]. */
  readonly rows: string;
}

export interface TrainableModel {
  /** Forward graph with the loss behind it and, where the architecture is ours, dropout masks in it. */
  readonly graph: Model;
  /** The graph that is measured: no masks, no loss. */
  readonly plain: Model;
  readonly logits: string;
  readonly loss: string;
  readonly head: LossHead;
  /** Columns of the logits: labels, or 1 where one column answers for two labels. */
  readonly columns: number;
  readonly inputs: readonly TokenInput[];
  /** The first token's position. */
  readonly firstPosition: number;
  readonly masks: readonly Mask[];
  readonly parameters: readonly Parameter[];
  readonly lookups: readonly TableLookup[];
}

export interface FreshOptions {
  readonly labels: number;
  /** @default softmax */
  readonly head?: LossHead;
  /** @default no dropout anywhere */
  readonly dropout?: DropoutRates | undefined;
  /** Scale of a regression head. */
  readonly scale?: NumberScale | undefined;
  /** @default text */
  readonly of?: LogitsOf;
}

/** A new model of an architecture of ours. Its weights are drawn from `random`. */
export function fresh(
  architecture: Architecture,
  random: Random,
  { labels, head = 'softmax', dropout, scale, of = 'text' }: FreshOptions,
): TrainableModel {
  const { model: plain } = draw(architecture, labels, random, { scale, of });
  const { model: training, masks } = draw(architecture, labels, random, { dropout, scale, of });
  const inputs = ourInputs(plain.graph);
  const shared = { inputs, firstPosition: 0, logits: 'logits', columns: labels, head, of } as const;
  return assemble({ plain, training, masks, ...shared }, weightsOf(plain.graph, 'logits'));
}

export interface ExistingOptions {
  readonly inputs: readonly TokenInput[];
  /** The first token's position. @default 0 */
  readonly firstPosition?: number;
  /** The output that is read, and how: as in the model's manifest or config. */
  readonly output: string;
  readonly activation: OutputActivation;
  readonly columns: number;
  /** The output is a number. */
  readonly number?: boolean;
  /** @default text */
  readonly of?: LogitsOf;
  readonly part: TrainedPart;
}

/**
 * A model from a file, prepared for training (single precision, merged weights split): see `trainable-file.ts`.
 * Throws ModelError where its output cannot be traced to logits.
 */
export function existing(given: Model, options: ExistingOptions): TrainableModel {
  const { inputs, firstPosition = 0, output, activation, columns, number = false, of = 'text', part } = options;
  const ids = inputs.find(({ role }) => role === 'ids')?.name;
  const model = ids === undefined ? given : withDirectLookup(given, ids);
  const start = number ? numberAt(output, activation) : startOf(model.graph, output, activation);
  const g = new GraphBuilder({ base: model });
  const logits = of === 'token' ? start.logits : logitsTable(g, output, start, columns);
  const plain = { ...model, graph: withOutputs(g.graph(), [logits]) };
  const one = start.pair === undefined ? columns : 1;
  const parts = {
    plain,
    training: plain,
    masks: [],
    inputs,
    firstPosition,
    logits,
    columns: one,
    head: number ? ('number' as const) : start.activation,
    of,
  };
  if (typeof part === 'object') {
    const tables = lookupsOf(plain.graph, inputs).filter(({ role }) => role === 'ids');
    return assemble(
      parts,
      tables.map(({ table }) => table),
      part.rows,
    );
  }
  const weights = { all: () => weightsOf(plain.graph, logits), head: () => headOf(plain.graph, logits) }[part]();
  return assemble(parts, weights);
}

/** Where the logits are, and what makes probabilities of them: the loss wants logits. */
function startOf(graph: Graph, output: string, activation: OutputActivation): LossStart {
  const start = lossStart(graph, output, activation);
  // For a single column of logits, training assumes that it belongs to the second label.
  if (start !== undefined && start.pair !== 'yes first') return start;
  throw new ModelError(
    `training: expected output "${output}" to hold logits, or to come from a Softmax, a Sigmoid, or 1 - p beside p, got neither`,
    {
      code: 'TRAINING_UNSUPPORTED',
      hint: 'If the output holds logits, say "output": { "activation": "softmax" } in a robust.json.',
    },
  );
}

/** A number is learnt as the graph answers it. Throws ModelError where a sigmoid is put behind it. */
function numberAt(output: string, activation: OutputActivation): LossStart {
  if (activation === 'none') return { logits: output, activation: 'sigmoid', shaped: true };
  throw new ModelError(`training: expected a number as the graph answers it, got one behind a ${activation}`, {
    code: 'TRAINING_UNSUPPORTED',
    hint: 'Leave "activation" out of the robust.json, or train a new model: --arch.',
  });
}

interface ModelParts {
  readonly plain: Model;
  readonly training: Model;
  readonly masks: readonly Mask[];
  readonly inputs: readonly TokenInput[];
  readonly firstPosition: number;
  readonly logits: string;
  readonly columns: number;
  readonly head: LossHead;
  readonly of: LogitsOf;
}

/** `rows`: of the trained tables only these change. */
function assemble(parts: ModelParts, trained: readonly string[], rows?: readonly number[]): TrainableModel {
  const { plain, masks, inputs, firstPosition, logits, columns, head } = parts;
  const read = { ...parts.training, graph: withOutputs(parts.training.graph, [logits]) };
  const training = withPrunedRows(read) ?? read;
  const builder = new GraphBuilder({ base: training });
  const loss = appendLoss(builder, logits, columns, head, parts.of);
  const lookups = lookupsOf(training.graph, inputs).filter(({ table }) => trained.includes(table));
  const tables = new Set(lookups.map(({ table }) => table));
  return {
    graph: builder.model(),
    plain: { ...plain, graph: withOutputs(plain.graph, [logits]) },
    logits,
    loss,
    head,
    columns,
    inputs,
    firstPosition,
    masks,
    lookups,
    parameters: trained.map((name) => {
      const tensor = must(training.graph.initializers.get(name));
      return {
        name,
        dims: tensor.dims,
        values: tensor.floats().slice(),
        decays: rows === undefined && decays(name, tensor.dims),
        table: tables.has(name),
        ...(rows && { norms: normsOf(tensor, rows) }),
      };
    }),
  };
}

/** Row -> its L2 norm. */
function normsOf(table: Tensor, rows: readonly number[]): Map<number, number> {
  const width = must(table.dims[1]);
  const values = table.floats();
  return new Map(rows.map((row) => [row, rowNorm(values, width, row)]));
}

/** The inputs our architectures read. */
const OUR_ROLES: Readonly<Record<string, TokenRole>> = { attention_mask: 'mask', token_type_ids: 'types' };

const ourInputs = (graph: Graph): TokenInput[] =>
  feeds(graph).map(({ name, type }) => ({ name, type, role: OUR_ROLES[name] ?? 'ids' }));

/** Lookups by an input of tables that nothing else reads. */
function lookupsOf(graph: Graph, inputs: readonly TokenInput[]): TableLookup[] {
  const roles = new Map(inputs.map(({ name, role }) => [name, role]));
  return embeddingLookups(graph).flatMap(({ input, table: { name: table }, rows }) => {
    const role = roles.get(input);
    const readers = graph.nodes.filter((node) => node.inputs.includes(table)).length;
    return role !== undefined && readers === 1 ? [{ table, role, rows }] : [];
  });
}

/** The graph with the given values in place of its weights. */
export function withWeights(model: Model, values: ReadonlyMap<string, Float32Array>): Model {
  const tensors = Array.from(values, ([name, data]) =>
    Tensor.of(name, must(model.graph.initializers.get(name)).dims, data),
  );
  return { ...model, graph: withInitializers(model.graph, tensors) };
}
