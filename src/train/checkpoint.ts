/** @file Where a training stands, as one file: what a resumed run needs to end in the same weights as an uninterrupted one. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { UsageError } from '../core/errors.js';
import { writeWhole } from '../files/write.js';
import type { AdamW } from './adamw.js';
import type { Measurement } from './history.js';
import type { Parameter } from './parameter.js';
import { damagedFile, readSafetensors, safetensors } from './safetensors.js';

/** The part that is not an array. Everything random follows from the seed and these counters. */
export interface SavedProgress {
  /** Optimiser steps taken. */
  step: number;
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
  const written = { fingerprint, steps: learner.optimiser.steps, progress };
  const robust = JSON.stringify(written);
  const tensors = arrays(learner);
  writeWhole(
    path,
    safetensors({ tensors, metadata: { robust, sha256: hashOf(robust, tensors) } }),
    'the checkpoint',
    'continue with --resume',
  );
}

/**
 * Restores the learner from the checkpoint. Undefined without a checkpoint. Throws UsageError for another training's, ModelError for a
 * damaged one.
 */
export async function loadCheckpoint(
  path: string,
  fingerprint: string,
  learner: TrainingState,
): Promise<SavedProgress | undefined> {
  if (!existsSync(path)) return undefined;
  const { tensors, metadata } = await readSafetensors(path);
  const saved = countersOf(path, metadata.robust);
  if (saved.fingerprint !== fingerprint) {
    throw new UsageError(`${path}: expected a checkpoint of this training, got one of other data or options`, {
      code: 'CHECKPOINT_MISMATCH',
      hint: 'Resume with the data, model and options it was started with, or start afresh in another folder.',
    });
  }
  for (const [name, values] of arrays(learner)) {
    const size = tensors.get(name)?.length;
    if (size !== values.length) {
      throw damagedFile(path, `${size ?? 'no'} values of "${name}", of which there are ${values.length}`);
    }
  }
  if (metadata.sha256 !== undefined && metadata.sha256 !== hashOf(metadata.robust ?? '', tensors)) {
    throw damagedFile(path, 'contents that were changed since');
  }
  for (const { name, values } of learner.parameters) values.set(tensors.get(`weight/${name}`)!);
  learner.optimiser.restore(saved.steps, tensors);
  return saved.progress;
}

const count = z.int().min(0);

const counters = z.object({
  fingerprint: z.string(),
  steps: count,
  // Progress is reported but not used in computations.
  progress: z.object({
    step: count,
    lossSum: z.number(),
    lossCount: count,
    sinceBest: count,
    points: z.array(z.custom<Measurement>((point) => typeof point === 'object' && point !== null)),
  }),
});

/** Throws ModelError where they are not what `saveCheckpoint` wrote. */
function countersOf(path: string, text: string | undefined): z.infer<typeof counters> {
  let value: unknown;
  try {
    value = JSON.parse(text ?? '');
  } catch {
    // Reported below.
  }
  const { data } = counters.safeParse(value);
  if (data === undefined) throw damagedFile(path, 'counters of no training');
  return data;
}

/** Hash of the counters, names and values, in the order of the names. */
function hashOf(counters: string, tensors: ReadonlyMap<string, Float32Array>): string {
  const hash = createHash('sha256').update(`${counters}\n`);
  for (const name of [...tensors.keys()].sort()) {
    const { buffer, byteOffset, byteLength } = tensors.get(name)!;
    hash.update(`${name} ${byteLength}\n`).update(new Uint8Array(buffer, byteOffset, byteLength));
  }
  return hash.digest('hex');
}

function arrays({ parameters, optimiser }: TrainingState): Map<string, Float32Array> {
  const all = new Map<string, Float32Array>(optimiser.state);
  for (const { name, values } of parameters) all.set(`weight/${name}`, values);
  return all;
}
