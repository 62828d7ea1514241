/** @file The models and data sets that were fetched, and the models that were converted: what is kept, how large it is, and how to be rid of it. */
import { existsSync, lstatSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { RobustError } from '../core/errors.js';
import { didYouMean } from '../core/suggest.js';
import { readFileSync } from '../files/read.js';
import { outputError } from '../files/write.js';
import { cachedRepositories, defaultCache, repositoryFolder } from '../model/hub/cache.js';
import type { HubOptions } from '../model/load.js';
import { conversions, type SourceRecord } from '../model/opening/conversion.js';

export interface KeptModel {
  /** hf:org/name, or the first digits of a conversion's hash. */
  readonly name: string;
  readonly kind: 'hub' | 'data' | 'converted';
  /** The source of a conversion, and its family. */
  readonly source?: string;
  readonly bytes: number;
  /** When it was last written, ISO 8601. */
  readonly written: string;
  readonly folder: string;
}

export interface ModelsOptions {
  readonly hub?: HubOptions | undefined;
}

/** Digits of a conversion's hash that name it. */
const SHORT = 12;

/** In the order in which they are listed. */
const KINDS: readonly KeptModel['kind'][] = ['hub', 'data', 'converted'];

/** The Hub's models, its data sets, then conversions, each in the order of their names. */
export function keptModels({ hub = {} }: ModelsOptions = {}): readonly KeptModel[] {
  const { cache = defaultCache() } = hub;
  const repositories = (['models', 'datasets'] as const).flatMap((of) =>
    cachedRepositories(cache, of).map((id): KeptModel => {
      const folder = repositoryFolder(cache, id, of);
      return { name: `hf:${id}`, kind: of === 'models' ? 'hub' : 'data', ...sizeOf(folder), folder };
    }),
  );
  const home = conversions(cache);
  const names = existsSync(home) ? readdirSync(home).filter((name) => /^[0-9a-f]{64}$/.test(name)) : [];
  const converted = names.map((name): KeptModel => {
    const folder = join(home, name);
    return { name: name.slice(0, SHORT), kind: 'converted', ...sourceIn(folder), ...sizeOf(folder), folder };
  });
  return [...repositories, ...converted].toSorted(
    (a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || (a.name < b.name ? -1 : 1),
  );
}

/** Removes what bears the name; `converted` all conversions. Throws RobustError where nothing does, OutputError. */
export function removeModels(name: string, options: ModelsOptions = {}): readonly KeptModel[] {
  const kept = keptModels(options);
  const chosen = kept.filter((model) => model.name === name || (name === 'converted' && model.kind === 'converted'));
  if (chosen.length === 0 && name !== 'converted') {
    const names = kept.map((model) => model.name);
    throw new RobustError(`expected a model that is kept, got "${name}"`, {
      code: 'MODEL_NOT_FOUND',
      hint: names.length === 0 ? 'Nothing is kept.' : didYouMean(name, [...names, 'converted']),
    });
  }
  for (const { folder } of chosen) {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch (cause) {
      throw outputError('nothing', folder, cause);
    }
  }
  return chosen;
}

/** Bytes in a folder, each file once however many links name it, and when it was last written to. */
function sizeOf(folder: string): { bytes: number; written: string } {
  let bytes = 0;
  let latest = statSync(folder).mtimeMs;
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const facts = lstatSync(join(folder, entry), { throwIfNoEntry: false });
    if (facts?.isFile() !== true) continue;
    bytes += facts.size;
    latest = Math.max(latest, facts.mtimeMs);
  }
  return { bytes, written: new Date(latest).toISOString() };
}

function sourceIn(folder: string): { source?: string } {
  try {
    const { name, family } = JSON.parse(readFileSync(join(folder, 'source.json'), 'utf8')) as SourceRecord;
    return { source: `${name} (${family})` };
  } catch {
    return {};
  }
}
