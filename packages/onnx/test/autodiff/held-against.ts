/** Compares exports with PyTorch's logits, losses and gradients of the same model: see ../shared/goldens/transformers. */
import { expect } from 'vitest';
import type { Engine } from '../../../../src/gradient/white-box/engine.js';
import { lookupOf } from '../../../../src/gradient/white-box/lookup.js';
import { loweredGraph } from '../../../../src/gradient/white-box/onnx-engine.js';
import { withDirectLookup } from '../../../../src/model/graph/direct-lookup.js';
import type { Golden } from '../../../../test/model/goldens.js';
import { gradientOf } from '../../src/autodiff/gradient-graph.js';
import { simplify } from '../../src/autodiff/simplify/index.js';
import { floatsOf } from '../../src/convert/checkpoint/floats.js';
import { openCheckpoint } from '../../src/convert/checkpoint/open.js';
import { GraphBuilder } from '../../src/graph/builder.js';
import { DataType } from '../../src/graph/data-type.js';
import { users } from '../../src/graph/edit.js';
import { feeds, type Graph, type Model } from '../../src/graph/model.js';
import type { Feed } from '../../src/graph/tensor.js';

type Case = Golden['cases'][number];

/** Zero in theory (a key's bias under softmax), rounding in practice. */
const FLOOR = 1e-6;

interface Named {
  /** Initializers that hold the weight: exporters keep copies of tied ones. */
  readonly copies: readonly { readonly name: string; readonly dims: readonly number[]; readonly transposed: boolean }[];
}

/** PyTorch's weights by the initializers of the same values, or of their transpose. */
function weightsOf(graph: Graph, folder: string): Map<string, Named> {
  const floats = [...graph.initializers.values()].filter(({ type }) => type === DataType.float);
  return new Map(
    openCheckpoint(folder).tensors.map((stored) => {
      const { name, dims } = stored;
      const data = floatsOf(stored);
      const copies = floats.flatMap((tensor) => {
        if (tensor.size !== data.length) return [];
        const [given, one] = [tensor.floats(), { name: tensor.name, dims: tensor.dims }];
        const same = (values: Float32Array) => values.every((value, at) => value === given[at]);
        if (same(data)) return [{ ...one, transposed: false }];
        // A convolution over one token is a product of matrices, one for each of its groups.
        const groups = tensor.dims.length === 3 ? tensor.dims[0]! : 1;
        const matrix = dims.length === 2 || (dims.length === 3 && dims[2] === 1);
        const turned = matrix ? transpose(data, [groups, dims[0]! / groups, dims[1]!]) : undefined;
        return turned && same(turned) ? [{ ...one, transposed: true }] : [];
      });
      return [name, { copies }];
    }),
  );
}

/** Transposes one matrix, [rows, columns], or several, [groups, rows, columns]. */
function transpose(values: Float32Array, dims: readonly number[]): Float32Array {
  const [rows, columns] = dims.slice(-2) as [number, number];
  return Float32Array.from(values, (_, i) => {
    const [group, at] = [Math.floor(i / (rows * columns)), i % (rows * columns)];
    return values[group * rows * columns + (at % rows) * columns + Math.floor(at / rows)]!;
  });
}

const TARGETS = 'targets';

/** The mean loss of the task; targets are weights of the logits' log-softmax, or values to compare with the logits. */
function withLoss(model: Model, task: Golden['task'], logits: string, columns: number): { model: Model; loss: string } {
  const g = new GraphBuilder({ base: model });
  const tokens = model.graph.inputs.find(({ name }) => name === 'input_ids')!.dims!;
  const whole = task === 'mlm' || task === 'clm';
  g.input(TARGETS, DataType.float, [...tokens.slice(0, whole ? 2 : 1), columns]);
  const scale = g.input('scale', DataType.float, []);
  const sum = (x: string) => g.op('ReduceSum', [g.op('Mul', [x, scale])], { keepdims: 0 });
  if (task === 'regression') {
    const difference = g.op('Sub', [logits, TARGETS]);
    return { loss: g.output(sum(g.op('Mul', [difference, difference]))), model: g.model() };
  }
  if (task === 'multilabel') {
    const terms = g.op('Sub', [g.op('Softplus', [logits]), g.op('Mul', [logits, TARGETS])]);
    return { loss: g.output(sum(terms)), model: g.model() };
  }
  const logs = g.op('LogSoftmax', [logits], { axis: -1 });
  return { loss: g.output(sum(g.op('Neg', [g.op('Mul', [logs, TARGETS])]))), model: g.model() };
}

function targetsOf(golden: Golden, { labels, input_ids }: Case, columns: number): { targets: Feed; scale: number } {
  const float = (dims: readonly number[], data: readonly number[]): Feed => ({
    type: DataType.float,
    dims,
    data: Float32Array.from(data),
  });
  const batch = input_ids.length;
  if (golden.task === 'regression') return { targets: float([batch, 1], labels as number[]), scale: 1 / batch };
  if (golden.task === 'multilabel')
    return { targets: float([batch, columns], (labels as number[][]).flat()), scale: 1 / (batch * columns) };
  // A causal model answers for the token after.
  const wanted = golden.task === 'clm' ? (labels as number[][]).map((row) => [...row.slice(1), -100]) : labels;
  const flat = (wanted as (number | number[])[]).flat();
  const rows = flat.flatMap((label) => Array.from({ length: columns }, (_, column) => Number(column === label)));
  const dims = Array.isArray(labels[0]) ? [batch, input_ids[0]!.length, columns] : [batch, columns];
  return { targets: float(dims, rows), scale: 1 / flat.filter((label) => label >= 0).length };
}

const integers = (rows: readonly (readonly number[])[]): Feed => ({
  type: DataType.int64,
  dims: [rows.length, rows[0]!.length],
  data: BigInt64Array.from(rows.flat(), BigInt),
});

const sizeOf = (values: ArrayLike<number>): number =>
  Math.sqrt(Array.from(values).reduce((sum, value) => sum + value * value, 0));

/** Relative L2, of what is not zero in theory. */
function relativeError(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  const difference = sizeOf(Array.from(expected, (value, at) => value - actual[at]!));
  const size = sizeOf(expected);
  return difference < FLOOR ? 0 : difference / size;
}

/** d(loss)/d(rows looked up by the ids): where a decoder looks them up again, shifted by one, both ways meet in them. */
export function inputGradient({ grad_word_embedding_output: given, input_ids }: Case): number[] {
  const [first, decoder] = Object.values(given);
  // XLNet's modules have the sequence before the batch.
  const swapped =
    first!.length === input_ids[0]!.length && first![0]!.length === input_ids.length && input_ids.length > 1;
  const encoder = swapped ? input_ids.map((_, row) => first!.map((tokens) => tokens[row]!)) : first;
  // Longformer fills texts up to its window inside: what is behind a text has no gradient.
  return encoder!.flatMap((tokens, row) =>
    tokens
      .slice(0, input_ids[row]?.length)
      .flatMap((values, token) => values.map((value, k) => value + (decoder?.[row]?.[token + 1]?.[k] ?? 0))),
  );
}

/** torch gives the padding's row no gradient, and MobileBERT sees it through its windows of three tokens. */
const isPadded = ({ name: model }: Golden, { name }: Case, weight: string): boolean =>
  model === 'mobilebert' && name === 'batch-padded' && weight.endsWith('word_embeddings.weight');

/** Results of an export for a case. */
interface Answer {
  readonly logits: Float32Array;
  readonly loss: number;
  /** d(loss)/d(looked-up rows). */
  readonly input: Float32Array;
  /** By PyTorch's name, in its layout; undefined for a weight without an initializer. */
  weight(name: string): Float32Array | undefined;
}

/** Answers of an export, one case after the other; weights of the checkpoint that no initializer holds are `lost`. */
export async function answers(
  engine: Engine,
  golden: Golden,
  given: Model,
  cases: readonly Case[],
): Promise<{ readonly lost: readonly string[]; readonly found: readonly Answer[] }> {
  const spelled = await loweredGraph(simplify(given));
  const direct = withDirectLookup(spelled, 'input_ids');
  const { rows } = lookupOf(direct.graph, 'input_ids');
  const logits = direct.graph.outputs[0]!.name;
  const columns = golden.cases[0]!.logits?.[0]?.length ?? 400;
  const { model, loss } = withLoss(direct, golden.task, logits, columns);
  const read = users(model.graph);
  const weights = new Map(
    Array.from(weightsOf(model.graph, golden.folder), ([name, { copies }]) => [
      name,
      copies.filter((copy) => read.has(copy.name)),
    ]),
  );
  const learnt = golden.cases[0]!.grad_weights;
  const lost = [...weights]
    .filter(([name, copies]) => learnt[name] !== null && copies.length === 0)
    .map(([name]) => name);
  const wrt = new Set([...weights.values()].flatMap((copies) => copies.map(({ name }) => name)));
  const runner = await engine.backward(model, [logits, loss], [], loss, [rows, ...wrt]);
  const found: Answer[] = [];
  try {
    for (const each of cases) {
      const { targets, scale } = targetsOf(golden, each, columns);
      const fed: Record<string, Feed> = {
        input_ids: integers(each.input_ids),
        attention_mask: integers(each.attention_mask),
        ...(each.token_type_ids && { token_type_ids: integers(each.token_type_ids) }),
        [TARGETS]: targets,
        scale: { type: DataType.float, dims: [], data: Float32Array.of(scale) },
      };
      const run = await runner.run(new Map(feeds(model.graph).map(({ name }) => [name, fed[name]!])));
      // A runner may use its memory again.
      const out = new Map(Array.from(run, ([name, values]) => [name, values.slice()]));
      found.push({
        logits: out.get(logits)!,
        loss: out.get(loss)![0]!,
        input: out.get(gradientOf(rows))!,
        weight(name) {
          const parts = (weights.get(name) ?? []).map((copy) => {
            const gradient = out.get(gradientOf(copy.name))!;
            return copy.transposed ? transpose(gradient, copy.dims) : gradient;
          });
          return parts[0]?.map((_, at) => parts.reduce((sum, part) => sum + part[at]!, 0));
        },
      });
    }
  } finally {
    await runner.release();
  }
  return { lost, found };
}

/** Holds an export to the goldens: input gradients to 1e-5, those of weights to 3e-5. Gives the weights it could not find. */
export async function compare(
  engine: Engine,
  golden: Golden,
  model: Model,
  cases: readonly Case[],
): Promise<readonly string[]> {
  const { lost, found } = await answers(engine, golden, model, cases);
  for (const [at, each] of cases.entries()) {
    const answer = found[at]!;
    if (each.logits) expect(relativeError(answer.logits, each.logits.flat()), `${each.name} logits`).toBeLessThan(1e-5);
    expect(answer.loss).toBeCloseTo(each.loss_mean, 4);
    // A squared error's gradient is the residual times a slope: of a small residual the logits' rounding is a larger part.
    const blur = golden.task === 'regression' ? Math.max(1, 0.5 / Math.sqrt(each.loss_mean)) : 1;
    expect(relativeError(answer.input, inputGradient(each)), `${each.name} input`).toBeLessThan(1e-5 * blur);
    for (const [name, expected] of Object.entries(each.grad_weights)) {
      const gradient = answer.weight(name);
      if (expected === null || gradient === undefined || isPadded(golden, each, name)) continue;
      const place = `${each.name} ${name}`;
      const tolerance = 3e-5 * blur * expected.norm + FLOOR;
      expect(Math.abs(sizeOf(gradient) - expected.norm), place).toBeLessThan(tolerance);
      const projection = gradient.reduce((sum, value, at) => sum + value * Math.cos(at + 1), 0);
      // The projection of an error of that size is at most that size times the cosines' own.
      expect(Math.abs(projection - expected.dot_cos), place).toBeLessThan(tolerance * Math.sqrt(gradient.length));
      const first = expected.first50?.map((value, at) => value - gradient[at]!);
      if (first) expect(sizeOf(first), place).toBeLessThan(tolerance);
    }
  }
  return lost;
}
