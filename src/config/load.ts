/** @file From robust.config.{ts,mjs,js,json,yaml} to settings that know where they were set. */
import { existsSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { RobustError } from '../core/errors.js';
import { memberOf } from '../core/read-by.js';
import { didYouMean } from '../core/suggest.js';
import { metricOf, overrideRequirements } from '../gate/index.js';
import { findConfig } from './find.js';
import type { Path } from './parsed-config.js';
import type { ConfigValues } from './schema.js';

/** The baseline's usual name. */
const BASELINE = 'robust.baseline.json';

const PRESETS = ['robust:recommended'];

export interface LoadedConfig {
  /** Relative to the working directory. */
  readonly file: string;
  /** All layers in one, by the keys of the settings; paths are relative to the working directory. */
  readonly values: ConfigValues;
  /** Where a value was set: `robust.config.yaml:3:1`, or `robust:recommended`; of `require` where each figure was. */
  origin(key: keyof ConfigValues, metric?: string): string;
}

/** One file, or a preset. */
interface Layer {
  readonly values: ConfigValues;
  /** It speaks of a baseline, and may leave the file to its usual name. */
  readonly compares: boolean;
  origin(key: keyof ConfigValues, metric?: string): string;
}

/**
 * The configuration in `file`, or the nearest one in `folder` and above it; or undefined. JavaScript and TypeScript are run. Throws
 * RobustError with all that is wrong. `code`: a configuration that was found may be code.
 */
export async function loadConfig(folder: string, file?: string, code = true): Promise<LoadedConfig | undefined> {
  const path = file === undefined ? findConfig(folder) : resolve(folder, file);
  if (path === undefined) return undefined;
  if (!code && CODE.test(path)) throw noCodeInCi(displayPath(path, folder), basename(path), displayPath(path, folder));
  if (!existsSync(path))
    throw new RobustError(`--config: expected a file at ${file}, got nothing`, {
      code: 'CONFIG_NOT_FOUND',
      hint: 'robust init writes one.',
    });
  const layers = await layersOf(path, folder, []);
  const said = layers.reduce<ConfigValues>((below, { values: above }) => merge(below, above), {});
  // The baseline lies in the folder of its configuration.
  const compares = said.baseline === undefined && layers.some((layer) => layer.compares);
  const top = (key: keyof ConfigValues, metric?: string): Layer | undefined =>
    layers.findLast(({ values }) =>
      metric === undefined ? values[key] !== undefined : requirementAt(values, metric) >= 0,
    );
  return {
    file: displayPath(path, folder),
    values: compares ? { ...said, baseline: relative(folder, join(dirname(path), BASELINE)) } : said,
    origin: (key, metric) => top(key, metric)?.origin(key, metric) ?? displayPath(path, folder),
  };
}

/** In CI a found configuration may be that of a pull request. */
export const noCodeInCi = (where: string, got: string, file: string): RobustError =>
  new RobustError(`${where}: expected no code from a configuration that was found in CI, got "${got}"`, {
    code: 'CONFIG_INVALID',
    hint: `Whoever wrote the checkout chose that code. If you trust them, name the configuration, --config ${file}, or add --allow-code.`,
  });

/** As people see it: relative, unless it is far away. */
function displayPath(path: string, folder: string): string {
  const near = relative(folder, path);
  return near.startsWith(join('..', '..', '..')) ? path : near;
}

/** The file's own layer last, after those it extends. */
async function layersOf(path: string, folder: string, within: readonly string[]): Promise<Layer[]> {
  const name = displayPath(path, folder);
  if (within.includes(path)) {
    throw new RobustError(`${name} extends itself`, { code: 'CONFIG_INVALID', hint: 'Take it out of "extends".' });
  }
  const { readConfig } = await import('./read.js');
  const { parseConfig, checkVariables } = await import('./check.js');
  const { positionText } = await import('./parsed-config.js');
  const { rebasePaths } = await import('./paths.js');
  const { placeOf } = await import('./schema.js');
  const written = await readConfig(path, name);
  const value = rebasePaths(written.value, dirname(path), folder);
  const values = parseConfig({ ...written, value }, name);
  checkVariables(written, values, name);
  const place = (keys: Path): string => positionText(name, written.place(keys, true));
  const below: Layer[] = [];
  for (const base of values.extends === undefined ? [] : [values.extends].flat()) {
    below.push(...(await baseLayers(base, path, folder, [...within, path], place(['extends']))));
  }
  const origin: Layer['origin'] = (key, metric) =>
    place(metric === undefined ? placeOf(key) : [key, requirementAt(values, metric)]);
  return [...below, { values, origin, compares: memberOf(value, 'baseline') !== undefined }];
}

/** Index of the requirement on a figure, or -1. */
const requirementAt = ({ require = [] }: ConfigValues, metric: string): number =>
  require.findIndex((each) => metricOf(each) === metric);

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
    return [{ values: recommended, origin: () => base, compares: true }];
  }
  const path = resolve(dirname(from), base);
  if (CODE.test(path) && !CODE.test(from))
    throw new RobustError(`${origin}: extends: expected a YAML or JSON file, got "${base}", which is code`, {
      code: 'CONFIG_INVALID',
      hint: 'A YAML or JSON configuration never runs code. Write this one in JavaScript or TypeScript to extend code.',
    });
  if (!base.startsWith('robust:') && existsSync(path)) return layersOf(path, folder, within);
  throw new RobustError(`${origin}: extends: expected robust:recommended or a configuration file, got "${base}"`, {
    code: 'CONFIG_NOT_FOUND',
    hint: didYouMean(base, PRESETS),
  });
}

/** Pairs of labels are merged key by key, requirements by their figures; other values replace those below. */
const merge = (below: ConfigValues, above: ConfigValues): ConfigValues => ({
  ...below,
  ...above,
  ...(above.require && { require: overrideRequirements(below.require ?? [], above.require) }),
  ...(above.labelMap && { labelMap: { ...below.labelMap, ...above.labelMap } }),
});
