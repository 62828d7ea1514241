/**
 * @file Where a training stands, as one file: what a resumed run needs to end in the same weights as an uninterrupted one. Four bytes with the
 * length of a JSON header, the header, and the arrays in the order of the learner.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { z } from 'zod';
import { ModelError, RobustError } from '../core/errors.js';
import { openFile } from '../files/read.js';
import { writeWhole } from '../files/write.js';
import type { AdamW } from './adamw.js';
import type { Measurement } from './history.js';
import type { Parameter } from './parameter.js';

/** The part that is not an array. Everything random follows from the seed and these counters. */
export interface SavedProgress {
  /** Optimiser steps taken. */
  step: number;
  /** Loss of the first batch, before anything was learnt. */
  firstLoss: number;
  /** Sum and number of the batch losses since the last measurement. */
  lossSum: number;
  lossCount: number;
  /** Measurements since the best one. */
  sinceBest: number;
  points: Measurement[];
}

export interface TrainingState {
  readonly parameters: readonly Parameter[];
  readonly optimiser: AdamW;
}

/** The weights by name. */
export const weightsIn = ({ parameters }: TrainingState): ReadonlyMap<string, Float32Array> =>
  new Map(parameters.map(({ name, values }) => [name, values]));

/** `fingerprint` names the data and the options: a checkpoint fits only the training that wrote it. */
export function saveCheckpoint(
  path: string,
  fingerprint: string,
  learner: TrainingState,
  progress: SavedProgress,
): void {
  const arrays = bytesIn(learner);
  const counted = { fingerprint, steps: learner.optimiser.steps, progress };
  const header = Buffer.from(JSON.stringify({ ...counted, sha256: hashOf(counted, arrays) }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(header.length);
  writeWhole(path, [length, header, ...arrays], 'the checkpoint', { next: 'continue with --resume' });
}

/**
 * Restores the learner from the checkpoint. Undefined without a checkpoint. Throws RobustError for another training's, ModelError for a
 * damaged one, after which the learner is of no use.
 */
export async function loadCheckpoint(
  path: string,
  fingerprint: string,
  learner: TrainingState,
): Promise<SavedProgress | undefined> {
  if (!existsSync(path)) return undefined;
  const file = await openFile(path);
  try {
    const { size } = await file.stat();
    const start = 4 + (await readInto(file, path, Buffer.alloc(4), 0)).readUInt32LE();
    if (start > size) throw damaged(path, `a header of ${start - 4} bytes`);
    const header = (await readInto(file, path, Buffer.alloc(start - 4), 4)).toString('utf8');
    const { sha256, ...counted } = headerOf(path, header);
    if (counted.fingerprint !== fingerprint)
      throw new RobustError(`${path}: expected a checkpoint of this training, got one of other data or options`, {
        code: 'RESUME_MISMATCH',
        hint: 'Resume with the data, model and options it was started with, or start afresh in another folder.',
      });
    const arrays = bytesIn(learner);
    let at = start;
    for (const array of arrays) {
      await readInto(file, path, array, at);
      at += array.length;
    }
    if (at !== size || sha256 !== hashOf(counted, arrays)) throw damaged(path, 'contents that were changed since');
    learner.optimiser.restore(counted.steps, learner.optimiser.state);
    return counted.progress;
  } finally {
    await file.close();
  }
}

const count = z.int().min(0);

const headerSchema = z.object({
  fingerprint: z.string(),
  steps: count,
  // Progress is reported but not used in computations.
  progress: z.object({
    step: count,
    firstLoss: z.number(),
    lossSum: z.number(),
    lossCount: count,
    sinceBest: count,
    points: z.array(z.custom<Measurement>((point) => typeof point === 'object' && point !== null)),
  }),
  sha256: z.string(),
});

/** Throws ModelError where it is not what `saveCheckpoint` wrote. */
function headerOf(path: string, text: string): z.infer<typeof headerSchema> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Reported below.
  }
  const { data } = headerSchema.safeParse(value);
  if (data === undefined) throw damaged(path, 'counters of no training');
  return data;
}

/** The arrays of a learner as bytes, which are not copied: the weights, then the state of the optimiser. */
const bytesIn = ({ parameters, optimiser }: TrainingState): Uint8Array[] =>
  [...parameters.map(({ values }) => values), ...optimiser.state.values()].map(
    ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength),
  );

function hashOf(counted: object, arrays: readonly Uint8Array[]): string {
  const hash = createHash('sha256').update(JSON.stringify(counted));
  for (const array of arrays) hash.update(array);
  return hash.digest('hex');
}

/** Fills the bytes with those of the file from `at` on. Throws ModelError where it ends before. */
async function readInto<B extends Uint8Array>(file: FileHandle, path: string, into: B, at: number): Promise<B> {
  let done = 0;
  while (done < into.length) {
    // One read may return at most 2 GiB.
    const { bytesRead } = await file.read(into, done, Math.min(into.length - done, 2 ** 30), at + done);
    if (bytesRead === 0) throw damaged(path, 'a file that ends too early');
    done += bytesRead;
  }
  return into;
}

const damaged = (path: string, got: string): ModelError =>
  new ModelError(`${path}: expected a checkpoint of a training, got ${got}`, {
    code: 'RUN_DAMAGED',
    hint: 'Start the training afresh, without --resume.',
  });
