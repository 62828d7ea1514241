/** @file An ONNX file and its tokenizer as a classifier: encoder, queue, workers. */
import { availableParallelism } from 'node:os';
import { ModelError } from '../core/errors.js';
import { type Description, describe } from './describe.js';
import { createEncoder } from './encoder.js';
import { fingerprint, stamp } from './fingerprint.js';
import { graphFacts } from './graph-facts.js';
import { type LoadedModel, type LoadOptions, loadedModel } from './loaded-model.js';
import { labelNames, outputRule } from './output-rule.js';
import { WorkerPool } from './pool.js';
import { probe } from './probe.js';
import { InferenceQueue } from './queue.js';
import type { OnnxFiles } from './resolve.js';
import { wire } from './wiring.js';

/** Texts per run: from 8 on a batch gains nothing more per text (bench/inference.ts). */
const BATCH = 16;

export async function openOnnx(files: OnnxFiles, options: LoadOptions): Promise<LoadedModel> {
  const description = await describe(files);
  const file = description.model;
  const facts = await graphFacts(file);
  const paths = [file, ...facts.dataFiles, ...description.companions];
  const before = await stamp(paths);
  let queue: InferenceQueue | undefined;
  const check = async () => {
    if ((await stamp(paths)) !== before) throw changed(description);
  };
  const pool = new WorkerPool({
    model: file,
    size: options.workers ?? availableParallelism(),
    onFree: () => queue?.wake(),
    check,
  });
  try {
    const [sha256, ports] = await Promise.all([fingerprint(description.folder, paths), pool.open()]);
    const wiring = wire(description, ports);
    const encoder = await createEncoder(description, wiring.fixedLength);
    const largest = wiring.fixedBatch ?? options.batchSize ?? BATCH;
    const probed = await probe(pool, wiring, encoder, largest);
    const rule = outputRule(description, probed);
    const labels = labelNames(description, rule, options.labels);
    const alone = facts.quantisesBatches || probed.steadyFrom === undefined;
    if (alone && largest > 1) {
      options.onWarning?.(
        `${files.name}: a text's answer depends on the others in its batch${facts.quantisesBatches ? ' (the graph quantises whole batches)' : ''}, so each text is run alone, which is slower`,
      );
    }
    await check();
    pool.busy = 0;
    const running = new InferenceQueue(pool, wiring, rule, {
      least: wiring.fixedBatch ?? (alone ? 1 : (probed.steadyFrom ?? 1)),
      most: alone ? 1 : largest,
    });
    queue = running;
    let truncated = 0;
    return loadedModel(
      {
        name: description.name,
        sha256,
        paths,
        ...(files.pinned === undefined ? {} : { pinned: files.pinned }),
        labels,
        maximumTokens: encoder.maximum,
        onnx: { file, encoder, wiring, rule, check },
        figures: () => ({ ...running.figures, truncated }),
        close: async () => {
          if (truncated > 0) {
            const texts = truncated === 1 ? 'text was' : 'texts were';
            options.onWarning?.(`${files.name}: ${truncated} ${texts} longer than ${encoder.maximum} tokens and cut`);
          }
          await pool.close();
        },
      },
      async (text) => {
        const encoded = encoder.encode(text);
        if (encoded.truncated) truncated++;
        return running.ask(text, encoded.ids);
      },
      options,
    );
  } catch (error) {
    await pool.close();
    throw error;
  }
}

const changed = (model: Description): ModelError =>
  new ModelError(`${model.folder}: the model's files are not those it was loaded from: they were written since`, {
    code: 'MODEL_CHANGED',
    hint: 'Wait until whatever writes them is done, then run again.',
  });
