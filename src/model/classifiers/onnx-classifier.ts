/** @file An ONNX file, or a model of TF.js, and its tokenizer as a classifier: encoder, queue, workers. */
import type { Approximation } from '../../core/classifier.js';
import { ClosingStack, closingOnError } from '../../core/closing-stack.js';
import { ModelError, must } from '../../core/errors.js';
import { compareTexts, queryParts } from '../../core/pair.js';
import type { TextLimit } from '../../core/text-limit.js';
import { isTfjsFile } from '../../tfjs/model-file.js';
import { CACHE_ENTRIES, type LoadedModel, type LoadOptions, loadedModel, remembering } from '../loaded-model.js';
import { type OpenGraph, openGraph } from '../opening/open-graph.js';
import type { OnnxFiles } from '../opening/resolve.js';
import { activate, type OutputRule } from '../output/activation.js';
import { checkTask, labelNames, readOutput } from '../output/output-rule.js';
import type { Encoded } from '../tokens/encoder.js';
import { availableDevice, deviceOf } from '../workers/device.js';
import { type InferenceQueue, inferenceQueue } from '../workers/queue.js';
import { CachedClassifier } from './cached.js';
import { openOnDevice } from './on-device.js';
import { combined, MOST_WINDOWS, type WindowsChoice, windowsReader } from './windows.js';

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

type Windows = ReturnType<typeof windowsReader>;

const alike = (name: string): string =>
  `${name}: the texts it was tried on got the same scores to the last bit: it may not read its input, or not as it is fed`;

export async function openOnnx(files: OnnxFiles, given: LoadOptions): Promise<LoadedModel> {
  const { device: spec = 'cpu', deviceElsewhere = false } = given;
  const device = deviceElsewhere ? deviceOf(spec) : await availableDevice(spec, (line) => given.onNote?.(line));
  if (device && given.precision === 'int8') throw twoApproximations(spec);
  const options: LoadOptions = device ? { ...given, precision: 'fp32' } : given;
  const graph = await openGraph(files, { batchSize: BATCH, ...options });
  const { description, pool, wiring, encoder, check } = graph;
  const { cacheEntries = CACHE_ENTRIES } = options;
  return closingOnError(new ClosingStack(), async (opened) => {
    opened.add(pool);
    const { rule, output, labels, windows, exclusive } = readingOf(graph, options);
    for (const remark of output.remarks) options.onWarning?.(remark);
    await check();
    pool.busy = 0;
    pool.processor = undefined;
    const asLogits = options.logits === true && hasLogits(rule);
    const applied = asLogits ? undefined : rule;
    const queue = inferenceQueue(pool, wiring, applied, graph.size, graph.int8Size, graph.buckets);
    const elsewhere = device && opened.add(await openOnDevice(device, graph, applied, deviceElsewhere));
    const reader = new TextReader(graph, windows);
    const join = (rows: Float32Array[], by: WindowsChoice['by']) => combined(rows, by, exclusive);
    const ask = scoring(reader, queue, cacheEntries, join);
    const precision = device ? `fp32 on ${device.kind}` : graph.precision;
    const approximate = (): Approximation => ({
      labels,
      precision: must(precision),
      ...(device && { device: device.kind, ...(deviceElsewhere && { compared: 0 }) }),
      classify: remembering(
        scoring(reader, elsewhere?.queue ?? queue, cacheEntries, join, { int8: elsewhere === undefined }),
        cacheEntries,
      ),
    });
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
        approximation: precision === undefined ? undefined : approximate(),
        logits: asLogits ? (texts) => Promise.all(texts.map(ask)) : undefined,
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
      asLogits ? async (text) => activate(await ask(text), rule) : ask,
      options,
    );
  });
}

/** How a graph's answers are read, by what is known of it and what was asked for. Throws ModelError. */
function readingOf({ description, wiring, encoder, probed, head }: OpenGraph, options: LoadOptions) {
  const kind = options.decision ?? description.decision?.kind;
  checkTask(description, wiring.output, kind);
  const read = readOutput(description, probed, head, kind);
  const labels = labelNames(description, read, options.labels);
  const windows = options.windows && windowsReader(options.windows, encoder, description.name);
  const remarks = [windows?.remark ?? [], read.output.remarks, probed.alike ? alike(description.name) : []].flat();
  return {
    rule: read.rule,
    output: { ...read.output, remarks, ...(windows && { windows: windows.reading }) },
    labels,
    windows,
    /** One label holds, so that the scores of a text sum to 1. */
    exclusive: labels.length > 1 && kind !== 'threshold' && kind !== 'multi-label',
  };
}

/** Scores of one text by a queue. `approximate`: how far from the model it answers; texts that it cuts are not counted. */
function scoring(
  reader: TextReader,
  queue: InferenceQueue,
  cacheEntries: number,
  join: (rows: Float32Array[], by: WindowsChoice['by']) => Float32Array,
  approximate?: { readonly int8: boolean },
): (text: string) => Promise<Float32Array> {
  const int8 = approximate?.int8 ?? false;
  // Texts with the same tokens ("Film" and "film", in lower case) are run once.
  const cache = new CachedClassifier<Float32Array>(cacheEntries);
  const byIds = (encoded: Encoded) => cache.ask(keyOf(encoded), () => queue.ask({ ...encoded, int8 }));
  return async (text) => {
    const read = reader.read(text, approximate === undefined);
    if ('pieces' in read) return join(await Promise.all(read.pieces.map(byIds)), read.by);
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
  read(
    text: string,
    count: boolean,
  ): Encoded | { readonly pieces: readonly Encoded[]; readonly by: WindowsChoice['by'] } {
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
    return { pieces, by: this.#windows.by };
  }
}

const twoApproximations = (device: string): ModelError =>
  new ModelError(
    `expected one of --runtime precision=int8 and device=${device}, got both: a search asks one approximation of the model`,
    { code: 'PRECISION_UNSUPPORTED', hint: 'Leave one of them out.' },
  );
