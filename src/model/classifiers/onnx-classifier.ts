/** @file An ONNX file, or a model of TF.js, and its tokenizer as a classifier: encoder, queue, workers. */
import { ClosingStack, closingOnError } from '../../core/closing-stack.js';
import { ModelError } from '../../core/errors.js';
import { compareTexts, queryParts } from '../../core/pair.js';
import type { TextLimit } from '../../core/text-limit.js';
import { isTfjsFile } from '../../tfjs/model-file.js';
import { CACHE_ENTRIES, type LoadedModel, type LoadOptions, loadedModel, remembering } from '../loaded-model.js';
import { type OpenGraph, openGraph } from '../opening/open-graph.js';
import type { OnnxFiles } from '../opening/resolve.js';
import { activate, type OutputRule } from '../output/activation.js';
import { checkTask, labelNames, readOutput } from '../output/output-rule.js';
import type { Encoded } from '../tokens/encoder.js';
import { availableDevice, type Device, deviceOf } from '../workers/device.js';
import { type InferenceQueue, inferenceQueue } from '../workers/queue.js';
import { CachedClassifier } from './cached.js';
import { openOnDevice } from './on-device.js';
import { combined, MOST_WINDOWS, windowsReader } from './windows.js';

/** Texts per run: from 8 on a batch gains nothing more per text. */
const BATCH = 16;

/** Ids, and types where there are any, as a string of their bytes, which none other has. */
const keyOf = ({ ids, types }: Encoded): string =>
  types === undefined ? `i${bytes(ids)}` : `t${bytes(ids)}${bytes(types)}`;

const bytes = (ids: Int32Array): string => Buffer.from(ids.buffer, ids.byteOffset, ids.byteLength).toString('latin1');

/** Is what the graph answers what softmax, or the sigmoid of each column, makes probabilities of? */
const hasLogits = ({ activation, normalise }: OutputRule): boolean =>
  (activation === 'softmax' || activation === 'sigmoid') && !normalise;

const noPairs = (name: string, kind: string): ModelError =>
  new ModelError(
    `${name}: expected a model of pairs of texts, got one whose input is ${kind === 'string' ? 'one string' : `"${kind}"`}`,
    {
      code: 'PAIRS_UNSUPPORTED',
      hint: 'Give one text by --columns text=NAME; export a model of strings with an input for each text, or one [texts, 2]; or wrap it in an .mjs module, whose classify is given [first, second] for each pair.',
    },
  );

const needsPairs = (name: string): ModelError =>
  new ModelError(`${name}: expected pairs of texts, got one text: the graph takes two strings`, {
    code: 'PAIRS_MISMATCH',
    hint: 'Name both columns, in the order in which the model reads them: --columns pair=premise,hypothesis.',
  });

const pairsInWindows = (name: string): ModelError =>
  new ModelError(`--task windows: expected lone texts, got a pair that is longer than ${name} takes`, {
    code: 'PAIRS_UNSUPPORTED',
    hint: 'Leave windows out: of pairs the longer text is cut first.',
  });

const alike = (name: string): string =>
  `${name}: the texts it was tried on got the same scores to the last bit: it may not read its input, or not as it is fed`;

export async function openOnnx(files: OnnxFiles, given: LoadOptions): Promise<LoadedModel> {
  const device = await deviceFor(given);
  const options: LoadOptions = device ? { ...given, precision: 'fp32' } : given;
  const graph = await openGraph(files, { batchSize: BATCH, ...options });
  const { description, pool, wiring, encoder, check } = graph;
  const { cacheEntries = CACHE_ENTRIES } = options;
  return closingOnError(new ClosingStack(), async (opened) => {
    opened.add(pool);
    const reading = readingOf(graph, options);
    const { rule, applied, output, labels } = reading;
    for (const remark of output.remarks) options.onWarning?.(remark);
    await check();
    pool.busy = 0;
    pool.processor = undefined;
    const queue = inferenceQueue(pool, wiring, applied, graph.size, graph.int8Size, graph.buckets);
    const rough = device ? opened.add(await onDevice(device, graph, reading, given)) : inInt8(queue, graph);
    const reader = new TextReader(graph, reading.windows);
    const ask = scoring(reader, queue, cacheEntries);
    return loadedModel(
      {
        name: description.name,
        sha256: graph.sha256,
        paths: graph.paths,
        pinned: files.pinned,
        labels,
        output,
        decision: description.decision,
        columns: description.columns,
        pairs: wiring.pairs || description.columns?.texts || compareTexts(labels) ? true : undefined,
        maximumTokens: encoder.maximum,
        [isTfjsFile(description.model) ? 'tfjs' : 'onnx']: {
          file: description.model,
          encoder,
          modelType: description.modelType,
          wiring,
          rule,
          isolate: options.isolate ?? false,
          check,
        },
        approximation: rough && {
          labels,
          ...rough.facts,
          classify: remembering(scoring(reader, rough.queue, cacheEntries, rough), cacheEntries),
        },
        logits: applied ? undefined : (texts) => Promise.all(texts.map(ask)),
        limit: Number.isFinite(encoder.maximum) ? reader : undefined,
        figures: () => ({ ...queue.figures, truncated: reader.truncated }),
        close: async () => {
          if (reader.unsaid > 0) {
            const texts = reader.unsaid === 1 ? 'text was' : 'texts were';
            options.onWarning?.(`${files.name}: ${reader.unsaid} ${texts} longer than ${reader.most} and cut`);
          }
          await opened.close();
        },
      },
      applied ? ask : async (text) => activate(await ask(text), rule),
      options,
    );
  });
}

/** The device that approximates the model; undefined for the processor. Throws ModelError. */
async function deviceFor({ device: spec = 'cpu', deviceElsewhere, precision, onNote }: LoadOptions) {
  const device = deviceElsewhere ? deviceOf(spec) : await availableDevice(spec, (line) => onNote?.(line));
  if (device && precision === 'int8') throw twoApproximations(spec);
  return device;
}

async function onDevice(device: Device, graph: OpenGraph, { applied }: Reading, { deviceElsewhere }: LoadOptions) {
  const { kind } = device;
  const facts = { precision: `fp32 on ${kind}`, device: kind, ...(deviceElsewhere && { compared: 0 }) };
  return { ...(await openOnDevice(device, graph, applied, deviceElsewhere === true)), int8: false, facts };
}

/** Undefined for a graph that was opened without 8 bits. */
const inInt8 = (queue: InferenceQueue, { precision }: OpenGraph) =>
  precision === undefined ? undefined : { queue, int8: true, facts: { precision } };

type Reading = ReturnType<typeof readingOf>;
type Windows = NonNullable<Reading['windows']>;

/** How a graph's answers are read, by what is known of it and what was asked for. Throws ModelError. */
function readingOf({ description, wiring, encoder, probed, head }: OpenGraph, options: LoadOptions) {
  const kind = options.decision ?? description.decision?.kind;
  checkTask(description, wiring.output, kind);
  const read = readOutput(description, probed, head, kind);
  const labels = labelNames(description, read, options.labels);
  const windows = options.windows && windowsReader(options.windows, encoder, description.name);
  // One label holds, so that the scores of a text sum to 1.
  const exclusive = labels.length > 1 && kind !== 'threshold' && kind !== 'multi-label';
  const remarks = [windows?.remark ?? [], read.output.remarks, probed.alike ? alike(description.name) : []].flat();
  return {
    rule: read.rule,
    /** Absent where logits are wanted, of which it makes probabilities. */
    applied: options.logits === true && hasLogits(read.rule) ? undefined : read.rule,
    output: { ...read.output, remarks, ...(windows && { windows: windows.reading }) },
    labels,
    windows: windows && {
      ...windows,
      join: (rows: readonly Float32Array[]) => combined(rows, windows.by, exclusive),
    },
  };
}

/** Scores of one text by a queue. `approximate`: how far from the model it answers; texts that it cuts are not counted. */
function scoring(
  reader: TextReader,
  queue: InferenceQueue,
  cacheEntries: number,
  approximate?: { readonly int8: boolean },
): (text: string) => Promise<Float32Array> {
  const int8 = approximate?.int8 ?? false;
  // Texts with the same tokens ("Film" and "film", in lower case) are run once.
  const cache = new CachedClassifier<Float32Array>(cacheEntries);
  const byIds = (encoded: Encoded) => cache.ask(keyOf(encoded), () => queue.ask({ ...encoded, int8 }));
  return async (text) => {
    const read = reader.read(text, approximate === undefined);
    if ('pieces' in read) return read.join(await Promise.all(read.pieces.map(byIds)));
    return reader.takesStrings ? queue.ask({ text, ids: read.ids, int8 }) : byIds(read);
  };
}

/** Reads texts for a graph, long ones in windows where those are wanted, and counts those that it cuts. */
class TextReader implements TextLimit {
  readonly model: string;
  readonly most: string;
  readonly takesStrings: boolean;
  /** Texts that were cut. */
  truncated = 0;
  #asked = false;
  readonly #graph: OpenGraph;
  readonly #windows: Windows | undefined;

  constructor(graph: OpenGraph, windows: Windows | undefined) {
    const { encoder } = graph;
    this.model = graph.description.name;
    this.most = `${windows === undefined ? '' : `${MOST_WINDOWS} windows of `}${encoder.maximum} tokens`;
    this.takesStrings = encoder.kind === 'string';
    this.#graph = graph;
    this.#windows = windows;
  }

  /** Texts that were cut, where nobody asks which. */
  get unsaid(): number {
    return this.#asked ? 0 : this.truncated;
  }

  cuts(text: string): boolean {
    this.#asked = true;
    const [first, second] = queryParts(text);
    const { truncated } = this.#graph.encoder.encode(first, second);
    return truncated && (this.#windows === undefined || this.#windows.read(first).cut);
  }

  /** Input of the graph: the text, or windows of it. Throws ModelError. */
  read(text: string, count: boolean): Encoded | { pieces: Encoded[]; join: Windows['join'] } {
    const { encoder, wiring } = this.#graph;
    const [first, second] = queryParts(text);
    if (second !== undefined && encoder.kind !== 'tokenizer' && !wiring.pairs) throw noPairs(this.model, encoder.kind);
    if (second === undefined && wiring.pairs) throw needsPairs(this.model);
    const encoded = encoder.encode(first, second);
    if (!encoded.truncated) return encoded;
    if (this.#windows === undefined) {
      if (count) this.truncated++;
      return encoded;
    }
    if (second !== undefined) throw pairsInWindows(this.model);
    const { pieces, cut } = this.#windows.read(first);
    if (cut && count) this.truncated++;
    return { pieces, join: this.#windows.join };
  }
}

const twoApproximations = (device: string): ModelError =>
  new ModelError(
    `expected one of --runtime precision=int8 and device=${device}, got both: a search asks one approximation of the model`,
    { code: 'PRECISION_UNSUPPORTED', hint: 'Leave one of them out.' },
  );
