/** @file Models of TF.js written by hand: model.json, shards of a few bytes, what describes them; and what holds of their gradients. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { OpenWhiteBox } from '../../src/gradient/white-box/white-box.js';

export interface HandWeight {
  readonly name: string;
  readonly shape: readonly number[];
  readonly values: readonly number[];
}

export interface HandLayer {
  readonly class_name: string;
  readonly config: Record<string, unknown>;
  readonly inbound_nodes?: unknown;
}

/** Numbers from -0.5 to 0.5 that differ from place to place. */
export const numbers = (count: number, seed = 1): number[] =>
  Array.from({ length: count }, (_, at) => ((at * 37 + seed * 101) % 89) / 89 - 0.5);

export const weight = (name: string, shape: readonly number[], seed?: number): HandWeight => ({
  name,
  shape,
  values: numbers(
    shape.reduce((a, b) => a * b, 1),
    seed,
  ),
});

/** Writes model.json and its weights as single precision, cut into shards of `shard` bytes. */
export function writeTfjs(
  folder: string,
  modelTopology: unknown,
  weights: readonly HandWeight[],
  { shard = 2 ** 20, more = {} }: { shard?: number; more?: object } = {},
): void {
  mkdirSync(folder, { recursive: true });
  const bytes = Buffer.from(Float32Array.from(weights.flatMap(({ values }) => values)).buffer);
  const paths: string[] = [];
  for (let at = 0; at < bytes.length; at += shard) {
    paths.push(`group1-shard${paths.length + 1}.bin`);
    writeFileSync(join(folder, paths.at(-1) as string), bytes.subarray(at, at + shard));
  }
  const entries = weights.map(({ name, shape }) => ({ name, shape, dtype: 'float32' }));
  const weightsManifest = [{ paths, weights: entries }];
  writeFileSync(
    join(folder, 'model.json'),
    JSON.stringify({ format: 'layers-model', modelTopology, weightsManifest, ...more }),
  );
}

export const sequential = (layers: readonly HandLayer[]) => ({
  class_name: 'Sequential',
  config: { name: 's', layers },
});

/** What makes a folder's model a victim: its labels, and the words that its ids stand for. */
export function describeWords(folder: string, words: string, labels: readonly string[], more: object = {}): void {
  const ids = Object.fromEntries(words.split(' ').map((word, at) => [word, at + 1]));
  writeFileSync(join(folder, 'words.json'), JSON.stringify(ids));
  const input = { kind: 'word-index', vocabulary: 'words.json', lowercase: true };
  writeFileSync(join(folder, 'robust.json'), JSON.stringify({ labels, input, ...more }));
}

/** The gradient of a text is the slope of its loss. */
export async function expectSlope(box: OpenWhiteBox, text: string, label: number): Promise<void> {
  const { tokens, embeddings, values } = await box.gradient(text, label);
  const length = Math.hypot(...values);
  const lossAt = async (step: number) => {
    const moved = embeddings.map((value, at) => value + (step * (values[at] as number)) / length);
    return (await box.gradientAt(moved, tokens, label)).loss;
  };
  // Along the gradient the loss rises by its length.
  const rise = ((await lossAt(1e-2)) - (await lossAt(-1e-2))) / 2e-2;
  expect(rise / length).toBeCloseTo(1, 2);
}
