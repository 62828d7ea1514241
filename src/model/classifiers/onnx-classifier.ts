/** @file An ONNX file and its tokenizer as a classifier: encoder, queue, workers. */

import { ClosingStack, closingOnError } from '../../core/closing-stack.js';
import { ModelError } from '../../core/errors.js';
import { askedParts, compareTexts } from '../../core/pair.js';
import type { TextLimit } from '../../core/text-census.js';
import { CACHE_ENTRIES, type LoadedModel, type LoadOptions, loadedModel, remembering } from '../loaded-model.js';
import { openGraph } from '../opening/open-graph.js';
import type { OnnxFiles } from '../opening/resolve.js';
import { activate, type OutputRule } from '../output/activation.js';
import { checkTask, labelNames, readOutput } from '../output/output-rule.js';
import type { Encoded, Encoder } from '../tokens/encoder.js';
import { availableDevice, deviceOf } from '../workers/device.js';
import { type InferenceQueue, inferenceQueue } from '../workers/queue.js';
import { CachedClassifier } from './cached.js';
import { openOnDevice } from './on-device.js';
import { combined, MOST_WINDOWS, noWindows, strideOf, type WindowsChoice, windowStarts } from './windows.js';

/** Texts per run: from 8 on a batch gains nothing more per text (bench/inference.ts). */
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
    code: 'PAIRS_NEEDED',
    hint: 'Name both columns, in the order in which the model reads them: --columns pair=premise,hypothesis.',
  });

const pairsInWindows = (name: string): ModelError =>
  new ModelError(`--windows: expected lone texts, got a pair that is longer than ${name} takes`, {
    code: 'PAIRS_UNSUPPORTED',
    hint: 'Leave --windows out: of pairs the longer text is cut first.',
  });

/** How long texts are read in windows. Throws ModelError (WINDOWS_UNSUPPORTED), UsageError for gaps between them. */
function windowsReader(choice: WindowsChoice, { kind, maximum, windows }: Encoder, name: string) {
  if (windows === undefined) throw noWindows(name, `its input is "${kind}"`);
  if (!Number.isFinite(windows.room)) throw noWindows(name, 'it takes texts of any length');
  const { by } = choice;
  const stride = strideOf(choice, windows.room);
  return {
    by,
    reading: { by, tokens: maximum, stride },
    remark: `${name}: texts longer than ${maximum} tokens were read in windows of so many, one every ${stride}; their answer is the ${by} of the windows', label by label`,
    read(text: string): { pieces: Encoded[]; cut: boolean } {
      let cut = false;
      const pieces = windows.encode(text, (length) => {
        const found = windowStarts(length, windows.room, stride);
        cut = found.cut;
        return found.starts;
      });
      return { pieces, cut };
    },
  };
}

const alike = (name: string): string =>
  `${name}: the texts it was tried on got the same scores to the last bit: it may not read its input, or not as it is fed`;

export async function openOnnx(files: OnnxFiles, given: LoadOptions): Promise<LoadedModel> {
  const { device: spec = 'cpu', deviceElsewhere = false } = given;
  const device = deviceElsewhere ? deviceOf(spec) : await availableDevice(spec, (line) => given.onNote?.(line));
  if (device && given.precision === 'int8') throw twoApproximations(spec);
  const options: LoadOptions = device ? { ...given, precision: 'fp32' } : given;
  const graph = await openGraph(files, { batchSize: BATCH, ...options });
  const { description, pool, wiring, encoder, check } = graph;
  const { profile } = options;
  return closingOnError(new ClosingStack(), async (opened) => {
    opened.add(pool);
    const kind = options.decision ?? description.decision?.kind;
    checkTask(description, wiring.output, kind);
    const reading = readOutput(description, graph.probed, graph.head, kind);
    const { rule } = reading;
    const labels = labelNames(description, reading, options.labels);
    const windows = options.windows && windowsReader(options.windows, encoder, description.name);
    const remarks = [
      ...(windows ? [windows.remark] : []),
      ...reading.output.remarks,
      ...(graph.probed.alike ? [alike(description.name)] : []),
    ];
    for (const remark of remarks) options.onWarning?.(remark);
    await check();
    pool.busy = 0;
    pool.processor = undefined;
    const asLogits = options.logits === true && hasLogits(rule);
    const queue = inferenceQueue(pool, wiring, asLogits ? undefined : rule, graph.size, graph.int8Size);
    const elsewhere =
      device && opened.add(await openOnDevice(device, graph, asLogits ? undefined : rule, deviceElsewhere));
    let truncated = 0;
    let counted = false;
    const limit: TextLimit = {
      model: description.name,
      most: `${windows === undefined ? '' : `${MOST_WINDOWS} windows of `}${encoder.maximum} tokens`,
      cuts(text) {
        counted = true;
        const [first, second] = askedParts(text);
        const { truncated } = encoder.encode(first, second);
        return truncated && (windows === undefined || windows.read(first).cut);
      },
    };
    const apart = kind === 'threshold' || kind === 'multi-label';
    // Texts that the tokenizer does not tell apart ("Film" and "film", in lower case) are run once.
    const { cacheEntries = CACHE_ENTRIES } = options;
    /** `rough`: by an approximation. */
    const asked = (queue: InferenceQueue, rough: boolean) => {
      const int8 = rough && elsewhere === undefined;
      const cache = new CachedClassifier<Float32Array>(cacheEntries);
      const byIds = (encoded: Encoded) => cache.ask(keyOf(encoded), () => queue.ask({ ...encoded, int8 }));
      return async (text: string) => {
        const [first, second] = askedParts(text);
        if (second !== undefined && encoder.kind !== 'tokenizer' && !wiring.pairs)
          throw noPairs(description.name, encoder.kind);
        if (second === undefined && wiring.pairs) throw needsPairs(description.name);
        const encode = () => encoder.encode(first, second);
        const encoded = profile ? profile.spend('tokenizer', encode) : encode();
        if (encoded.truncated && windows !== undefined) {
          if (second !== undefined) throw pairsInWindows(description.name);
          const { pieces, cut } = windows.read(first);
          if (cut && !rough) truncated++;
          const rows = await Promise.all(pieces.map(byIds));
          return combined(rows, windows.by, labels.length > 1 && !apart);
        }
        if (encoded.truncated && !rough) truncated++;
        return encoder.kind === 'string' ? queue.ask({ text, ids: encoded.ids, int8 }) : byIds(encoded);
      };
    };
    const precision = device ? `fp32 on ${device.kind}` : graph.precision;
    const ask = asked(queue, false);
    return loadedModel(
      {
        name: description.name,
        sha256: graph.sha256,
        paths: graph.paths,
        ...(files.pinned === undefined ? {} : { pinned: files.pinned }),
        labels,
        output: { ...reading.output, remarks, ...(windows && { windows: windows.reading }) },
        ...(description.decision && { decision: description.decision }),
        ...(description.columns && { columns: description.columns }),
        ...((wiring.pairs || description.columns?.texts || compareTexts(labels)) && { pairs: true }),
        maximumTokens: encoder.maximum,
        onnx: {
          file: description.model,
          encoder,
          ...(description.modelType === undefined ? {} : { modelType: description.modelType }),
          wiring,
          rule,
          isolate: options.isolate ?? false,
          ...(options.profile && { profile: options.profile }),
          check,
        },
        ...(precision !== undefined && {
          approximation: {
            labels,
            precision,
            ...(device && { device: device.kind, ...(deviceElsewhere && { compared: 0 }) }),
            classify: remembering(asked(elsewhere?.queue ?? queue, true), cacheEntries),
          },
        }),
        ...(asLogits && { logits: (texts) => Promise.all(texts.map(ask)) }),
        ...(Number.isFinite(encoder.maximum) && { limit }),
        figures: () => ({ ...queue.figures, truncated }),
        close: async () => {
          if (truncated > 0 && !counted) {
            const texts = truncated === 1 ? 'text was' : 'texts were';
            options.onWarning?.(`${files.name}: ${truncated} ${texts} longer than ${limit.most} and cut`);
          }
          await opened.close();
        },
      },
      asLogits ? async (text) => activate(await ask(text), rule) : ask,
      options,
    );
  });
}

const twoApproximations = (device: string): ModelError =>
  new ModelError(
    `expected one of --precision int8 and --device ${device}, got both: a search asks one approximation of the model`,
    {
      code: 'PRECISION_UNAVAILABLE',
      hint: 'Leave one of them out.',
    },
  );
