/**
 * @file A model that tags tokens, as a classifier of entities: a query is a text with the place of one entity, the answer the type that the
 * model gives to it (core/tags/tagged-query.ts). The model runs once for each text.
 */
import type { Approximation, Token } from '../../core/classifier.js';
import { closingOnError } from '../../core/closing-stack.js';
import { ModelError, must } from '../../core/errors.js';
import { leastScore, type TagReading } from '../../core/output-reading.js';
import { softmax } from '../../core/statistics/softmax.js';
import { didYouMean } from '../../core/suggest.js';
import { decodeTags, type TagToken } from '../../core/tags/decode.js';
import { entityRow, tagLabels } from '../../core/tags/entity-row.js';
import { type TagScheme, tagScheme } from '../../core/tags/scheme.js';
import { NO_ENTITY, type TaggedUnits } from '../../core/tags/span.js';
import { readTaggedQuery, textOfQuery } from '../../core/tags/tagged-query.js';
import { CACHE_ENTRIES, type LoadedModel, type LoadOptions, loadedModel } from '../loaded-model.js';
import type { Description } from '../opening/describe.js';
import { type OpenGraph, openGraph } from '../opening/open-graph.js';
import { SAMPLES } from '../opening/probe.js';
import type { ModelSource } from '../opening/resolve.js';
import { type Encoded, idsOf } from '../tokens/encoder.js';
import { textTokens } from '../tokens/text-tokens.js';
import { inferenceQueue } from '../workers/queue.js';
import { CachedClassifier } from './cached.js';
import { combined, MOST_WINDOWS, windowsReader } from './windows.js';

const BATCH = 16;
/** Texts whose tags are remembered: an answer is a row for each token. */
const CACHED_TEXTS = 4096;

/** As asked for, else as the model's folder says. */
function readingOf({ decision }: Pick<Description, 'decision'>, asked: LoadOptions['tags']): TagReading {
  const written = decision?.kind === 'tags' ? decision.aggregation : undefined;
  return { match: 'whole', least: 0, ...asked, aggregation: asked?.aggregation ?? written ?? 'simple' };
}

/** Opens a model that tags tokens: a checkpoint of ...ForTokenClassification, or its ONNX file. Throws ModelError. */
export async function openTagger(source: ModelSource, options: LoadOptions): Promise<LoadedModel> {
  refuseOptions(options);
  const { graph, scheme, pinned } = await openTagGraph(source, options);
  return closingOnError(graph.pool, async () => {
    const { description, pool, encoder } = graph;
    const labels = tagLabels(scheme.types);
    const reading = readingOf(description, options.tags);
    checkTypes(reading, scheme.types);
    const windows = options.windows && windowsReader(options.windows, encoder, description.name);
    const queue = inferenceQueue(pool, graph.wiring, undefined, graph.size, graph.int8Size);
    const tokensIn = tokenReader(graph, scheme, windows, (ids, int8) => queue.ask({ ...ids, int8 }));
    const tagger = (int8: boolean) => {
      const cache = new CachedClassifier<TaggedUnits>(Math.min(CACHED_TEXTS, options.cacheEntries ?? CACHE_ENTRIES));
      return (text: string) =>
        Promise.resolve(
          cache.ask(text, async () =>
            decodeTags(await tokensIn(text, int8), scheme, reading.aggregation, (type) => leastScore(reading, type)),
          ),
        );
    };
    const tags = tagger(false);
    const answers = (tagsOf: typeof tags) => async (query: string) => {
      const read = readTaggedQuery(query) ?? { text: query, entities: [], entity: undefined };
      return entityRow(scheme.types, await tagsOf(read.text), read, reading);
    };
    const { precision } = graph;
    const approximate = precision === undefined ? undefined : answers(tagger(true));
    return loadedModel(
      {
        name: description.name,
        sha256: graph.sha256,
        paths: graph.paths,
        pinned,
        labels,
        output: {
          activation: 'softmax',
          normalised: false,
          decidedBy: 'decision',
          tags: reading,
          ...(windows && { windows: windows.reading }),
          remarks: windows ? [windows.remark] : [],
        },
        columns: description.columns,
        maximumTokens: encoder.maximum,
        approximation: approximate && approximation(labels, must(precision), approximate),
        tags: { types: scheme.types, tags, words: () => encoder.words() },
        limit: Number.isFinite(encoder.maximum)
          ? {
              model: description.name,
              most: `${windows === undefined ? '' : `${MOST_WINDOWS} windows of `}${encoder.maximum} tokens`,
              cuts: (query) => {
                const text = textOfQuery(query);
                return encoder.encode(text).truncated && (windows === undefined || windows.read(text).cut);
              },
            }
          : undefined,
        figures: () => ({ ...queue.figures, truncated: 0 }),
        close: () => pool.close(),
      },
      answers(tags),
      options,
    );
  });
}

/** Throws ModelError for a threshold of a type that the model does not have. */
function checkTypes({ leastByType = {} }: Pick<TagReading, 'leastByType'>, types: readonly string[]): void {
  const unknown = Object.keys(leastByType).find((type) => !types.includes(type));
  if (unknown === undefined) return;
  throw new ModelError(`--threshold: expected types of the model (${types.join(', ')}), got "${unknown}"`, {
    code: 'LABEL_NOT_FOUND',
    hint: didYouMean(unknown, types),
  });
}

/** The graph of a model that tags tokens, and what its labels mean. Throws ModelError. */
export async function openTagGraph(
  source: ModelSource,
  options: LoadOptions,
): Promise<{ readonly graph: OpenGraph; readonly scheme: TagScheme; readonly pinned: string | undefined }> {
  if (source.kind !== 'onnx')
    throw notATagger(`${source.name}: expected a model that tags tokens, got ${KINDS[source.kind]}`);
  const graph = await openGraph(source, { ...options, batchSize: BATCH });
  return closingOnError(graph.pool, async () => ({
    graph,
    scheme: schemeOf(graph, options.labels),
    pinned: source.pinned,
  }));
}

const approximation = (
  labels: readonly string[],
  precision: string,
  answer: (query: string) => Promise<Float32Array>,
): Approximation => ({ labels, precision, classify: (texts) => Promise.all(texts.map(answer)) });

const KINDS: Readonly<Record<Exclude<ModelSource['kind'], 'onnx'>, string>> = {
  module: 'a module',
  tfjs: 'one of TF.js',
};

function refuseOptions({ device }: LoadOptions): void {
  if (device === undefined || ['cpu', 'auto'].includes(device)) return;
  throw new ModelError(
    `--runtime device=${device}: expected a model of labels, got one that tags tokens (--task tags)`,
    { code: 'DEVICE_UNSUPPORTED', hint: 'Leave device out.' },
  );
}

/** The tokens of a text with their probabilities, special tokens left out; of a long text those that windows contain, combined over them. */
function tokenReader(
  { encoder, description, wiring }: OpenGraph,
  { columns }: TagScheme,
  windows: ReturnType<typeof windowsReader> | undefined,
  ask: (encoded: { ids: Int32Array; types?: Int32Array | undefined }, int8: boolean) => Promise<Float32Array>,
) {
  const width = columns.length;
  /** A row of probabilities for each token. */
  const rowsOf = async ({ ids, types }: Pick<Encoded, 'ids' | 'types'>, int8: boolean) => {
    const answer = await ask({ ids, types }, int8);
    if (answer.length !== ids.length * width)
      throw notATagger(
        `${description.model}: output "${wiring.output}": expected ${width} numbers for each of ${ids.length} tokens, got ${answer.length}`,
      );
    const own = answer.slice();
    return Array.from(ids, (_, at) => {
      const row = own.subarray(at * width, (at + 1) * width);
      softmax(row);
      return row;
    });
  };
  const tagged = (text: string, tokens: readonly Token[], rowAt: (at: number) => Float32Array | undefined) => {
    const found: TagToken[] = [];
    for (const { at, start, end, continues } of textTokens(text, tokens, encoder)) {
      const row = rowAt(at);
      if (row !== undefined) found.push({ start, end, continues, row });
    }
    return found;
  };
  const inWindows = async (text: string, read: NonNullable<typeof windows>, int8: boolean): Promise<TagToken[]> => {
    const { content, windows: pieces } = read.tokens(text);
    const seen: Float32Array[][] = content.map(() => []);
    const rows = await Promise.all(pieces.map(({ tokens }) => rowsOf(idsOf(tokens), int8)));
    for (const [piece, { from, at, count }] of pieces.entries())
      for (let token = 0; token < count; token++) must(seen[from + token]).push(must(must(rows[piece])[at + token]));
    return tagged(text, content, (at) =>
      must(seen[at]).length > 0 ? combined(must(seen[at]), read.by, true) : undefined,
    );
  };
  return async (text: string, int8: boolean): Promise<TagToken[]> => {
    if (windows !== undefined && encoder.encode(text).truncated) return inWindows(text, windows, int8);
    const tokens = encoder.tokens(text);
    if (tokens.every(({ special }) => special)) return [];
    const rows = await rowsOf(idsOf(tokens), int8);
    return tagged(text, tokens, (at) => rows[at]);
  };
}

/** Throws ModelError for labels that are no tags. */
export function schemeOfLabels({ name, labels = [] }: Pick<Description, 'name' | 'labels'>): TagScheme {
  const scheme = tagScheme(labels);
  if (scheme !== undefined) return scheme;
  throw new ModelError(
    `${name}: expected tags such as B-PERSON, I-PERSON and ${NO_ENTITY} as labels, got ${labels.slice(0, 10).join(', ') || 'none'}`,
    {
      code: 'TASK_MISMATCH',
      hint: `Name them in the order of the scores, in config.json (id2label) or with --labels; one of them is ${NO_ENTITY}, for tokens outside of entities.`,
    },
  );
}

/** Throws ModelError for labels that are no tags, and for a graph that does not answer each token. */
function schemeOf(
  { description, encoder, probed, wiring }: OpenGraph,
  override: readonly string[] | undefined,
): TagScheme {
  const labels = override ?? description.labels ?? [];
  if (encoder.kind !== 'tokenizer')
    throw notATagger(`${description.folder}: expected a model with a tokenizer.json, got its input "${encoder.kind}"`);
  const scheme = schemeOfLabels({ name: description.name, labels });
  const tokens = encoder.encode(SAMPLES[0]).ids.length;
  if (probed.width === tokens * labels.length) return scheme;
  throw notATagger(
    `${description.model}: output "${wiring.output}": expected ${labels.length} numbers for each of ${tokens} tokens, got ${probed.width} numbers`,
  );
}

const notATagger = (message: string): ModelError =>
  new ModelError(message, {
    code: 'TASK_MISMATCH',
    hint: 'Export a model of the class ...ForTokenClassification, or leave --task tags out.',
  });
