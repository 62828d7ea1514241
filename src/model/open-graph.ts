/** @file What every use of a model's files begins with: read what describes them, start a worker, wire and probe the graph. */
import { availableParallelism } from 'node:os';
import { ModelError } from '../core/errors.js';
import { createEncoder } from './create-encoder.js';
import { type Description, describe } from './describe.js';
import type { Encoder } from './encoder.js';
import type { Wiring } from './feeds.js';
import { fingerprint, stamp } from './fingerprint.js';
import { graphFacts } from './graph-facts.js';
import { headOf, type OutputHead } from './head.js';
import type { LoadOptions } from './loaded-model.js';
import { answersTo } from './pool.js';
import { type ProbeResult, probe } from './probe.js';
import { type BatchSize, type InferencePool, inferencePool } from './queue.js';
import type { OnnxFiles } from './resolve.js';
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
  /** What the graph does last, as far as it tells. */
  readonly head: OutputHead | undefined;
  /** Batches in which a text's row does not depend on its company. */
  readonly size: BatchSize;
  /** How it answers where it is asked for an approximation; absent where it was opened without. */
  readonly precision?: string;
  /** Throws ModelError (MODEL_CHANGED) where its files were written since. */
  readonly check: () => Promise<void>;
}

/** Opens a graph for batches of at most `batchSize`. Throws ModelError. */
export async function openGraph(
  files: OnnxFiles,
  options: LoadOptions & { readonly batchSize: number },
): Promise<OpenGraph> {
  const description = await describe(files);
  const file = description.model;
  const facts = await graphFacts(file);
  const paths = [file, ...facts.dataFiles, ...description.companions];
  const before = await stamp(paths);
  const check = async () => {
    if ((await stamp(paths)) !== before) throw changed(description);
  };
  const { isolate = false, workers = availableParallelism(), profile } = options;
  const int8 = options.precision === 'int8';
  const onAnswer = profile && { onAnswer: answersTo(profile, 'model') };
  const pool = inferencePool({ file, pruneRows: facts.prunable, int8 }, { size: workers, isolate, check, ...onAnswer });
  try {
    const opened = pool.open();
    // Its vocabulary is read while the worker opens the graph, which may limit the ids only.
    const unlimited = createEncoder(description);
    unlimited.catch(() => {});
    const [sha256, ports] = await Promise.all([fingerprint(description.folder, paths), opened]);
    const wired = wire(description, ports);
    if (int8 && ports.int8 === undefined) throw notInt8(description);
    checkInput(description, ports, wired, facts.graph);
    const { fixedLength } = wired;
    const encoder = await (fixedLength === undefined ? unlimited : createEncoder(description, fixedLength));
    const { features } = encoder;
    checkInput(description, ports, wired, facts.graph, features);
    const wiring = features === undefined ? wired : { ...wired, features };
    const largest = wiring.fixedBatch ?? options.batchSize;
    const head = headOf(facts.graph, wiring.output);
    const probed = await probe(pool, wiring, encoder, largest);
    const rough = int8 ? await probe(pool, wiring, encoder, largest, true) : probed;
    const steadyFrom = [probed, rough].map((each) => each.steadyFrom);
    const alone = facts.quantisesBatches || steadyFrom.includes(undefined);
    if (alone && largest > 1) {
      options.onWarning?.(
        `${files.name}: a text's answer depends on the others in its batch${facts.quantisesBatches ? ' (the graph quantises whole batches)' : ''}, so each text is run alone, which is slower`,
      );
    }
    const size = {
      least: wiring.fixedBatch ?? (alone ? 1 : Math.max(...steadyFrom.map((from) => from ?? 1))),
      most: alone ? 1 : largest,
    };
    const precision =
      ports.int8 && (ports.int8.weightBits === 8 ? 'int8' : `int8, weights of ${ports.int8.weightBits} bits`);
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
      check,
      ...(precision && { precision }),
    };
  } catch (error) {
    await pool.close();
    throw error;
  }
}

const notInt8 = ({ name }: Description): ModelError =>
  new ModelError(`${name}: expected a graph with products that gain from 8 bits, found none`, {
    code: 'PRECISION_UNAVAILABLE',
    hint: 'Leave --precision out: this model is fast enough, or made of other operators than MatMul and Gemm with constant weights.',
  });

const changed = (model: Description): ModelError =>
  new ModelError(`${model.folder}: the model's files are not those it was loaded from: they were written since`, {
    code: 'MODEL_CHANGED',
    hint: 'Wait until whatever writes them is done, then run again.',
  });
