/** @file Worker of a classifier: batches of texts of equal length in, one row per text out. */
import { env as ownEnvironment } from 'node:process';
import { readModelOutline } from '../../../packages/onnx/src/graph/load.js';
import { feeds, type Model } from '../../../packages/onnx/src/graph/model.js';
import { halfToFloat } from '../../../packages/onnx/src/half.js';
import { messageOf } from '../../core/errors.js';
import { isTfjsFile } from '../../tfjs/model-file.js';
import { withInt8Products } from '../graph/int8-products.js';
import { linkedGraph } from '../graph/linked-graph.js';
import { withPrunedRows } from '../graph/row-pruning.js';
import { withRowScales } from '../graph/row-scales.js';
import { activate, type OutputRule } from '../output/activation.js';
import type { OutputHead } from '../output/head.js';
import { ContinuedSession } from './continued-session.js';
import { type Device, providersOf } from './device.js';
import { type Batch, batchFeeds, textsOf, type Wiring } from './feeds.js';
import { weightBits } from './int8-weights.js';
import type { Served } from './messages.js';
import { OrtSession, type Ports, type Result } from './session.js';
import type { TfjsSession } from './tfjs-session.js';

export interface InferencePlan {
  /** The .onnx file, or the model.json of TF.js. */
  readonly file: string;
  /** Compute the last block for the rows that are read: see graph/row-pruning.ts. @default false */
  readonly pruneRows?: boolean;
  /** Answer in 8 bits with a scale for each row too, where a batch asks for it: graph/row-scales.ts, graph/int8-products.ts. @default false */
  readonly int8?: boolean;
  /** The same graph that continues texts (continued-session.ts): it replaces the first one, and rows are not pruned. */
  readonly continued?: string | undefined;
  /** Compute there, and nothing of the above. @default the processor */
  readonly device?: Device;
}

/** A worker's message after its sessions are open. */
export interface OpenedInference extends Ports {
  /** What makes each output, where only the worker knows: a model of TF.js. */
  readonly heads?: Readonly<Record<string, OutputHead | undefined>>;
  /** How it answers in 8 bits: see Approximation. Absent where it has no products that gain. */
  readonly int8?: string;
  /** Texts of unequal lengths may share a batch, filled up with this id. */
  readonly filler?: number | undefined;
}

/** How batches are run and read. */
export interface InferenceSetting {
  readonly wiring: Wiring;
  /** Without one the raw output is the answer. */
  readonly rule: OutputRule | undefined;
}

export interface InferenceAnswer {
  /** Row-major [texts, columns]. */
  readonly rows: Float32Array;
  /** Columns of the graph's own output. */
  readonly width: number;
  /** The shape of one text's part of the output. */
  readonly shape: readonly number[];
}

/** Throws ModelError: see Session. */
export async function serve(plan: InferencePlan): Promise<Served<OpenedInference, Batch, InferenceAnswer>> {
  const { file, pruneRows = false, int8 = false, continued, device } = plan;
  // CUDA would round the factors of products to 10 bits. It reads this of its process, which is the session's own, when it is loaded.
  if (device?.kind === 'cuda') ownEnvironment.NVIDIA_TF32_OVERRIDE = '0';
  const whole = pruneRows || int8 || continued ? await readModelOutline(file) : undefined;
  const pruned = whole && pruneRows && !continued ? withPrunedRows(whole) : undefined;
  // Where onnxruntime refuses what was made of the graph, the graph as it is has to do.
  const made = pruned && (await openMade(pruned, file).catch(() => undefined));
  const session =
    whole && continued
      ? await ContinuedSession.open(
          continued,
          feeds(whole.graph).map(({ name }) => name),
        )
      : (made ?? (await openPlain(file, device)));
  const rough = whole && int8 ? await openInt8(pruned ?? whole, file) : undefined;
  let setting: InferenceSetting | undefined;
  return {
    ready: { ...session.ports, ...(rough && { int8: rough.precision }) },
    configure(next) {
      setting = next as InferenceSetting;
    },
    async answer(batch) {
      if (setting === undefined) throw new Error('a batch came before the setting');
      const { wiring, rule } = setting;
      const chosen = batch.int8 ? rough?.session : session;
      if (chosen === undefined) throw new Error('a batch asked for 8 bits, which the graph has not');
      const { values, width, shape } = await runBatch(chosen, wiring, batch);
      if (rule !== undefined && rule.width !== width)
        throw chosen.refuse(`expected ${rule.width} columns, got ${width}`);
      const rows = rule === undefined ? Float32Array.from(values) : probabilities(values, rule, chosen);
      if (rows.some(Number.isNaN)) throw chosen.refuse('the model answered NaN');
      return { rows, width, shape };
    },
    release: async () => {
      await session.release();
      await rough?.session.release();
    },
  };
}

/** A session of a graph made of a file's. Undefined where too much would have to be held for it. */
async function openMade(model: Model, file: string): Promise<OrtSession | undefined> {
  const source = linkedGraph(model, file);
  return source && OrtSession.open({ source, name: file });
}

async function openPlain(file: string, device: Device | undefined): Promise<OrtSession | TfjsSession> {
  if (isTfjsFile(file)) return (await import('./tfjs-session.js')).TfjsSession.open(file);
  return OrtSession.open({ source: file, ...(device && { providers: providersOf(device) }) });
}

type AnySession = OrtSession | TfjsSession | ContinuedSession;

async function openInt8(model: Model, file: string) {
  const rescaled = withRowScales(model);
  const bits = rescaled === undefined ? await weightBits() : 8;
  const made = rescaled ?? withInt8Products(model, bits)?.model;
  const session = made && (await openMade(made, file));
  const how = rescaled === undefined ? `weights of ${bits} bits` : 'scales by row';
  return session && { session, precision: rescaled === undefined && bits === 8 ? 'int8' : `int8, ${how}` };
}

function probabilities(values: ArrayLike<number>, rule: OutputRule, session: AnySession): Float32Array {
  try {
    return activate(values, rule);
  } catch (error) {
    throw session.refuse(messageOf(error));
  }
}

/** The output of one run, [texts, width], as the graph gives it; `shape` is that of one text's part. Throws ModelError. */
export async function runBatch(
  session: AnySession,
  wiring: Wiring,
  batch: Batch,
): Promise<{ values: ArrayLike<number>; width: number; shape: readonly number[] }> {
  const { output: name } = wiring;
  const output = await outputOf(session, wiring, batch);
  if (output === undefined) throw session.refuse(`the graph gave no output "${name}"`);
  const texts = textsOf(batch);
  const { dims } = output;
  const width = dims.reduce((product, dim) => product * dim, 1) / texts;
  const sized = dims[0] === texts || (texts === 1 && dims.length === 1);
  if (!sized || !Number.isInteger(width) || width < 1) {
    throw session.refuse(`expected output "${name}" of shape [${texts}, labels], got [${dims.join(', ')}]`);
  }
  const values = numbers(output);
  if (values === undefined) throw session.refuse(`expected a float output, got ${output.type}`);
  const shape = dims.slice(dims[0] === texts ? 1 : 0);
  const wanted =
    'ids' in batch && batch.at !== undefined ? rowsAt(values, batch.at, batch.length, width) : { values, width };
  return { ...wanted, shape };
}

async function outputOf(session: AnySession, wiring: Wiring, batch: Batch): Promise<Result | undefined> {
  const { output, prompt } = wiring;
  if (!(session instanceof ContinuedSession))
    return (await session.run(batchFeeds(wiring, batch), [output])).get(output);
  if (!('ids' in batch)) throw session.refuse('expected token ids, got another input');
  return session.run(output, batch, prompt, batch.cut);
}

/** One token's row of each text: [texts, length * columns] -> [texts, columns]. */
function rowsAt(values: ArrayLike<number>, at: Int32Array, length: number, width: number) {
  const columns = width / length;
  const rows = new Float32Array(at.length * columns);
  at.forEach((token, text) => {
    const from = text * width + token * columns;
    for (let column = 0; column < columns; column++) rows[text * columns + column] = values[from + column]!;
  });
  return { values: rows, width: columns };
}

function numbers({ type, data }: Result): ArrayLike<number> | undefined {
  if (data instanceof Float32Array || data instanceof Float64Array) return data;
  // Its bits in Node 20, numbers where Float16Array exists.
  if (type === 'float16' && data instanceof Uint16Array) return Float32Array.from(data, halfToFloat);
  return type === 'float16' ? Float32Array.from(data as ArrayLike<number>) : undefined;
}
