/** @file From robust.config.{ts,mjs,js,json,yaml} to settings that know where they were set. */
import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { UsageError } from '../core/errors.js';
import { didYouMean } from '../core/suggest.js';
import { findConfig } from './find.js';
import { rebasePaths } from './paths.js';
import type { Config } from './schema.js';

/** The baseline's usual name. */
const BASELINE = 'robust.baseline.json';

const PRESETS = ['robust:recommended'];

export interface LoadedConfig {
  /** Relative to the working directory. */
  readonly file: string;
  /** All layers in one; paths are relative to the working directory. */
  readonly values: Config;
  /** Where a value was set: `robust.config.yaml:3:1`, or `robust:recommended`. Of `thresholds` and `baseline`, key by key. */
  origin(key: keyof Config, inner?: string): string;
}

/** One file, or a preset. */
interface Layer {
  readonly values: Config;
  origin(path: readonly string[]): string;
}

/** Keys that are merged key by key; others replace. */
const MERGED = ['thresholds', 'baseline', 'labelMap'] as const;

/**
 * The configuration in `file`, or the nearest one in `folder` and above it; undefined where there is none. JavaScript and
 * TypeScript are run. Throws UsageError with all that is wrong.
 */
export async function loadConfig(folder: string, file?: string): Promise<LoadedConfig | undefined> {
  const path = file === undefined ? findConfig(folder) : resolve(folder, file);
  if (path === undefined) return undefined;
  if (!existsSync(path)) {
    throw new UsageError(`--config: expected a file at ${file}, got nothing`, {
      code: 'CONFIG_NOT_FOUND',
      hint: 'robust init writes one.',
    });
  }
  const layers = await layersOf(path, folder, []);
  const said = layers.reduce<Config>((below, { values: above }) => merged(below, above), {});
  // Beside the configuration that asks for it.
  const besides = relative(folder, join(dirname(path), BASELINE));
  const values = said.baseline ? { ...said, baseline: { file: besides, ...said.baseline } } : said;
  const top = (key: keyof Config, inner?: string): Layer | undefined =>
    layers.findLast((layer) => {
      const value = layer.values[key];
      return inner === undefined
        ? value !== undefined
        : (value as Record<string, unknown> | undefined)?.[inner] !== undefined;
    });
  return {
    file: shown(path, folder),
    values,
    origin: (key, inner) => top(key, inner)?.origin(inner === undefined ? [key] : [key, inner]) ?? shown(path, folder),
  };
}

/** As people see it: relative, unless it is far away. */
function shown(path: string, folder: string): string {
  const near = relative(folder, path);
  return near.startsWith(join('..', '..', '..')) ? path : near;
}

/** The file's own layer last, after those it extends. */
async function layersOf(path: string, folder: string, within: readonly string[]): Promise<Layer[]> {
  const name = shown(path, folder);
  if (within.includes(path)) {
    throw new UsageError(`${name} extends itself`, { code: 'CONFIG_CYCLE', hint: 'Take it out of "extends".' });
  }
  const { readWritten } = await import('./read.js');
  const [{ at }, { checkedConfig: checked, checkVariables }] = await Promise.all([
    import('./written.js'),
    import('./check.js'),
  ]);
  const written = await readWritten(path, name);
  const values = checked(written, name);
  checkVariables(written, values, name);
  const origin = (keys: readonly string[]): string => at(name, written.place(keys, true));
  const below: Layer[] = [];
  for (const base of values.extends === undefined ? [] : [values.extends].flat()) {
    below.push(...(await baseLayers(base, path, folder, [...within, path], origin(['extends']))));
  }
  return [...below, { values: rebasePaths(values, dirname(path), folder), origin }];
}

/** The endings of configurations that are run. */
const CODE = /\.[cm]?[jt]s$/i;

async function baseLayers(
  base: string,
  from: string,
  folder: string,
  within: readonly string[],
  origin: string,
): Promise<Layer[]> {
  if (base === 'robust:recommended') {
    const { recommended } = await import('./recommended.js');
    return [{ values: recommended, origin: () => base }];
  }
  const path = resolve(dirname(from), base);
  if (CODE.test(path) && !CODE.test(from)) {
    throw new UsageError(`${origin}: extends: expected a YAML or JSON file, got "${base}", which is code`, {
      code: 'CONFIG_EXTENDS_CODE',
      hint: 'A YAML or JSON configuration never runs code. Write this one in JavaScript or TypeScript to extend code.',
    });
  }
  if (!base.startsWith('robust:') && existsSync(path)) return layersOf(path, folder, within);
  throw new UsageError(`${origin}: extends: expected robust:recommended or a configuration file, got "${base}"`, {
    code: 'CONFIG_EXTENDS',
    hint: didYouMean(base, PRESETS),
  });
}

function merged(below: Config, above: Config): Config {
  const inner = MERGED.flatMap((key) =>
    below[key] === undefined || above[key] === undefined ? [] : [[key, { ...below[key], ...above[key] }]],
  );
  return { ...below, ...above, ...Object.fromEntries(inner) };
}
