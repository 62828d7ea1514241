/** @file First steps of every use of a model's files: read the descriptions, start a worker, wire and probe the graph. */
import { availableParallelism } from 'node:os';
import { closingOnError } from '../../core/closing-stack.js';
import { ModelError } from '../../core/errors.js';
import type { LoadOptions } from '../loaded-model.js';
import { headOf, type OutputHead } from '../output/head.js';
import { createEncoder } from '../tokens/create-encoder.js';
import type { Encoder } from '../tokens/encoder.js';
import type { Wiring } from '../workers/feeds.js';
import type { OpenedInference } from '../workers/inference.js';
import { type BatchSize, type InferencePool, inferencePool, type LengthBuckets } from '../workers/queue.js';
import { type Description, describe } from './describe.js';
import { fingerprint, stamp } from './fingerprint.js';
import { graphFacts } from './graph-facts.js';
import { type ProbeResult, probe, steadyWhereverCut } from './probe.js';
import type { OnnxFiles } from './resolve.js';
import { staleExport } from './stale-export.js';
import { checkInput, wire } from './wiring.js';

export interface OpenGraph {
  readonly description: Description;
  /** SHA-256, hex, over `paths`. */
  readonly sha256: string;
  /** Every file that changes its answers, the model file first. */
  readonly paths: readonly string[];
  readonly pool: InferencePool;
  readonly wiring: Wiring;
  readonly encoder: Encoder;
  readonly probed: ProbeResult;
  /** Last operations of the graph, as far as they are recognised. */
  readonly head: OutputHead | undefined;
  /** Batches in which a text's row does not depend on its company. */
  readonly size: BatchSize;
  /** The same of the graph in 8 bits. */
  readonly int8Size: BatchSize;
  /** Texts of unequal lengths that may share a batch. */
  readonly buckets: LengthBuckets | undefined;
  /** How it answers where it is asked for an approximation; absent where it was opened without. */
  readonly precision?: string | undefined;
  /** Throws ModelError (MODEL_DAMAGED) where its files were written since. */
  readonly check: () => Promise<void>;
}

type GraphOptions = LoadOptions & { readonly batchSize: number };

/** Opens a graph for batches of at most `batchSize`. Throws ModelError. */
export async function openGraph(files: OnnxFiles, options: GraphOptions): Promise<OpenGraph> {
  const description = await describe(files);
  const file = description.model;
  const facts = await graphFacts(file);
  const stale = facts.graph && staleExport(description.folder, file, facts.graph);
  if (stale !== undefined) options.onWarning?.(stale);
  const continued = options.reuse === false ? undefined : files.continued;
  const paths = [file, ...(continued === undefined ? [] : [continued]), ...facts.dataFiles, ...description.companions];
  const before = await stampOf(paths, description);
  const check = async () => {
    if ((await stampOf(paths, description)) !== before) throw modelChanged(description);
  };
  const { isolate = false, workers = availableParallelism() } = options;
  const wantedPrecision = options.precision === 'auto' ? description.precision : (options.precision ?? 'fp32');
  const int8 = wantedPrecision === 'int8' || (wantedPrecision === undefined && facts.gainsByRow);
  const pool = inferencePool({ file, pruneRows: facts.prunable, int8, continued }, { size: workers, isolate, check });
  return closingOnError(pool, async () => {
    const opened = pool.open();
    // Its vocabulary is read while the worker opens the graph, which may limit the ids only.
    const unlimited = createEncoder(description);
    unlimited.catch(() => {});
    const [sha256, ports] = await Promise.all([fingerprint(description.folder, paths), opened]);
    const wired = wire(description, ports);
    const precision = ports.int8;
    if (wantedPrecision === 'int8' && precision === undefined) throw notInt8(description);
    checkInput(description, ports, wired, facts.graph);
    const { fixedLength } = wired;
    const encoder = await (fixedLength === undefined ? unlimited : createEncoder(description, fixedLength));
    const { features } = encoder;
    checkInput(description, ports, wired, facts.graph, features);
    const wiring = { ...wired, features, prompt: encoder.prompt };
    const buckets = bucketsOf(ports, encoder);
    if (continued !== undefined && !(await steadyWhereverCut(pool, wiring, encoder, buckets)))
      return openWhole(pool, files, options);
    const largest = wiring.fixedBatch ?? textsIn(buckets, options);
    const head = facts.graph === undefined ? ports.heads?.[wiring.output] : headOf(facts.graph, wiring.output);
    const probed = await probe(pool, wiring, encoder, largest);
    const rough = precision === undefined ? probed : await probe(pool, wiring, encoder, largest, true);
    const sizeFrom = (steadyFrom: number | undefined): BatchSize => ({
      least: wiring.fixedBatch ?? steadyFrom ?? 1,
      most: steadyFrom === undefined ? 1 : largest,
    });
    const { quantisesBatches } = facts;
    const size = sizeFrom(quantisesBatches ? undefined : probed.steadyFrom);
    const int8Size = sizeFrom(quantisesBatches && !facts.rescalable ? undefined : rough.steadyFrom);
    if (size.most < largest) {
      const inBatches = precision !== undefined && int8Size.most === largest;
      options.onWarning?.(runAlone(files.name, quantisesBatches, inBatches));
    }
    return {
      description,
      sha256,
      paths,
      pool,
      wiring,
      encoder,
      probed,
      head,
      size,
      int8Size,
      buckets,
      check,
      precision,
    };
  });
}

/** Larger batches of a graph that continues texts, which divides them by what they share. */
const textsIn = (buckets: LengthBuckets | undefined, { batchSize }: GraphOptions): number =>
  buckets === undefined ? batchSize : 4 * batchSize;

/** A graph that continues texts takes those of up to 32 tokens together, and those of up to 64. */
const bucketsOf = ({ filler }: OpenedInference, { maximum }: Encoder): LengthBuckets | undefined =>
  filler === undefined ? undefined : { tokens: 32, most: maximum, padId: filler };

/** Opens a model that answers whole texts, in the place of one whose bits depend on where a text is cut. */
async function openWhole(pool: InferencePool, files: OnnxFiles, options: GraphOptions): Promise<OpenGraph> {
  options.onWarning?.(unsteady(files.name));
  await pool.close();
  return openGraph(files, { ...options, reuse: false });
}

const unsteady = (name: string): string =>
  `${name}: on this processor the bits of an answer depend on where a text is cut, so what texts share is computed for each, which is slower`;

function runAlone(name: string, quantisesBatches: boolean, searchesInBatches: boolean): string {
  const why = `a text's answer depends on the others in its batch${quantisesBatches ? ' (the graph quantises whole batches)' : ''}`;
  return `${name}: ${why}, so each text is run alone, which is slower${searchesInBatches ? SEARCHES_IN_BATCHES : ''}`;
}

const SEARCHES_IN_BATCHES =
  '; searches ask it in batches, with a scale for each row instead, and it confirms what they find (--runtime precision=fp32: no search does)';

const notInt8 = ({ name }: Description): ModelError =>
  new ModelError(`${name}: expected a graph with products that gain from 8 bits, found none`, {
    code: 'PRECISION_UNSUPPORTED',
    hint: 'Leave --runtime precision=... out, or precision in robust.json: this model is fast enough, or made of other operators than MatMul and Gemm with constant weights.',
  });

/** Files that are gone were changed, too: another process may delete what is kept of the Hub's models and of conversions. */
const stampOf = (paths: readonly string[], description: Description): Promise<string> =>
  stamp(paths).catch((cause: unknown) => {
    throw modelChanged(description, cause);
  });

const modelChanged = (model: Description, cause?: unknown): ModelError =>
  new ModelError(
    `${model.folder}: the model's files are not those it was loaded from: they were written or deleted since`,
    { cause, code: 'MODEL_DAMAGED', hint: 'Wait until whatever changes them is done, then run again.' },
  );
