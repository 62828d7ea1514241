/** @file Models of TF.js written by hand: model.json, and shards of a few bytes. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

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
