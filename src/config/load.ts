/** @file From robust.config.{ts,mjs,js,json,yaml} to settings that know where they were set. */
import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { UsageError } from '../core/errors.js';
import { memberOf } from '../core/read-by.js';
import { didYouMean } from '../core/suggest.js';
import { metricOf, overrideRequirements, requirementsOf } from '../gate/index.js';
import { findConfig } from './find.js';
import type { Path } from './parsed-config.js';
import { rebasePaths } from './paths.js';
import type { ConfigValues } from './schema.js';

/** The baseline's usual name. */
const BASELINE = 'robust.baseline.json';

const PRESETS = ['robust:recommended'];

export interface LoadedConfig {
  /** Relative to the working directory. */
  readonly file: string;
  /** All layers in one; paths are relative to the working directory. */
  readonly values: ConfigValues;
  /** Where a value was set: `robust.config.yaml:3:1`, or `robust:recommended`; of `baseline` each key, of `require` each figure. */
  origin(key: keyof ConfigValues, inner?: string): string;
  /** Notes that show users the current spelling. The former one is read for one more version. */
  readonly notes: readonly string[];
}

/** One file, or a preset. */
interface Layer {
  readonly values: Omit<ConfigValues, 'thresholds'>;
  origin(key: keyof ConfigValues, inner?: string): string;
  readonly note?: string;
}

/**
 * The configuration in `file`, or the nearest one in `folder` and above it; or undefined. JavaScript and TypeScript are run. Throws
 * UsageError with all that is wrong.
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
  const said = layers.reduce<ConfigValues>((below, { values: above }) => merge(below, above), {});
  // The baseline lies in the folder of its configuration.
  const besides = relative(folder, join(dirname(path), BASELINE));
  const values = said.baseline ? { ...said, baseline: { file: besides, ...said.baseline } } : said;
  const top = (key: keyof ConfigValues, inner?: string): Layer | undefined =>
    layers.findLast((layer) => {
      if (key === 'require' && inner !== undefined) return requirementAt(layer.values, inner) >= 0;
      const value = memberOf(layer.values, key);
      return (inner === undefined ? value : memberOf(value, inner)) !== undefined;
    });
  return {
    file: displayPath(path, folder),
    values,
    origin: (key, inner) => top(key, inner)?.origin(key, inner) ?? displayPath(path, folder),
    notes: layers.flatMap(({ note }) => note ?? []),
  };
}

/** As people see it: relative, unless it is far away. */
function displayPath(path: string, folder: string): string {
  const near = relative(folder, path);
  return near.startsWith(join('..', '..', '..')) ? path : near;
}

/** The file's own layer last, after those it extends. */
async function layersOf(path: string, folder: string, within: readonly string[]): Promise<Layer[]> {
  const name = displayPath(path, folder);
  if (within.includes(path)) {
    throw new UsageError(`${name} extends itself`, { code: 'CONFIG_CYCLE', hint: 'Take it out of "extends".' });
  }
  const { readConfig } = await import('./read.js');
  const { parseConfig, checkVariables } = await import('./check.js');
  const { positionText } = await import('./parsed-config.js');
  const written = await readConfig(path, name);
  const value = rebasePaths(written.value, dirname(path), folder);
  const values = parseConfig({ ...written, value }, name);
  checkVariables(written, values, name);
  const place = (...keys: Path): string => positionText(name, written.place(keys, true));
  const below: Layer[] = [];
  for (const base of values.extends === undefined ? [] : [values.extends].flat()) {
    below.push(...(await baseLayers(base, path, folder, [...within, path], place('extends'))));
  }
  return [...below, layerOf(values, place)];
}

/** A file's values, of which former thresholds become requirements. */
function layerOf({ thresholds, ...values }: ConfigValues, place: (...keys: Path) => string): Layer {
  const origin: Layer['origin'] = (key, inner) => {
    if (inner === undefined) return place(key);
    if (key !== 'require') return place(key, inner);
    const index = requirementAt(values, inner);
    return index < 0 ? place('thresholds', inner) : place(key, index);
  };
  if (thresholds === undefined) return { values, origin };
  const former = requirementsOf(thresholds);
  const [example = 'clean.accuracy >= 0.9'] = former.map((each) => (typeof each === 'string' ? each : each.limit));
  return {
    values: { ...values, require: [...overrideRequirements(former, values.require ?? [])] },
    origin,
    note: `${place('thresholds')}: "thresholds" is read for one more version; write require: ["${example}"] instead`,
  };
}

/** Index of the requirement on a figure, or -1. */
const requirementAt = ({ require = [] }: Pick<ConfigValues, 'require'>, metric: string): number =>
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

/** Maps are merged key by key, requirements by their figures; other values replace those below. */
function merge(below: ConfigValues, above: ConfigValues): ConfigValues {
  const { require = [], labelMap, baseline } = below;
  return {
    ...below,
    ...above,
    ...(above.require && { require: overrideRequirements(require, above.require) }),
    ...(above.labelMap && { labelMap: { ...labelMap, ...above.labelMap } }),
    ...(above.baseline && { baseline: { ...baseline, ...above.baseline } }),
  };
}
