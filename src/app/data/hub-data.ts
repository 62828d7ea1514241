/** @file `hf:owner/name[/config][:split][@revision]`: data from the Hugging Face Hub, as files in the cache. */
import { featureNames, filesSource } from '../../../datasets/index.js';
import { must, RobustError } from '../../core/errors.js';
import { nearest } from '../../core/suggest.js';
import { readFile } from '../../files/read.js';
import { type CachedNames, openSnapshot, type Snapshot } from '../../model/hub/snapshot.js';
import { type HubSpec, parseHubSpec } from '../../model/hub/spec.js';
import type { HubOptions } from '../../model/load.js';
import { type Card, type Configurations, cardOf, convertedFiles, describedFiles, namedFiles } from './hub-splits.js';

export interface HubDataSpec extends HubSpec {
  readonly config?: string | undefined;
  readonly split?: string | undefined;
}

/** Where the Hub keeps what it converted the main branch to (https://huggingface.co/docs/dataset-viewer/parquet). */
const CONVERTED = 'refs/convert/parquet';

/** Throws RobustError (HUB_INVALID). */
export function parseHubDataSpec(spec: string): HubDataSpec {
  const [, path = '', split, revision] = /^hf:([^:@]*)(?::([^@]*))?(?:@(.*))?$/s.exec(spec) ?? [];
  const [owner, name, ...config] = path.split('/');
  if (config.length > 1 || [split, ...config].some((part) => part !== undefined && !/^[^\s/\\:@]+$/.test(part)))
    throw new RobustError(`"${spec}": expected hf:owner/name[/config][:split][@revision]`, {
      code: 'HUB_INVALID',
      hint: 'For example: -d hf:stanfordnlp/sst2:validation',
    });
  const id = name === undefined ? owner : `${owner}/${name}`;
  return {
    ...parseHubSpec(`hf:${id}${revision === undefined ? '' : `@${revision}`}`),
    kind: 'datasets',
    config: config[0],
    split,
  };
}

/**
 * Finds, and fetches unless offline, the files of one split: those that the README names, else those that the Hub made of the
 * main branch, else those called like the split. Throws ModelError of the Hub, RobustError, and RobustError (DATA_NOT_FOUND) where there is no such
 * configuration or split, or the choice among several is open.
 */
export async function dataFromHub(
  text: string,
  options: HubOptions,
  onWarning: (message: string) => void,
): Promise<ReturnType<typeof filesSource>> {
  const spec = parseHubDataSpec(text);
  const cachedNames: CachedNames = (cache, commit) => {
    const listed = cache.listing(commit);
    if (listed !== undefined) return listed;
    const names = cache.names(commit);
    if (names.size === 0) return undefined;
    onWarning(`${spec.id}: another tool filled the cache, so it is not known whether all files of ${commit} are there`);
    return names;
  };
  const open = (revision: string) => openSnapshot({ ...spec, revision }, options, cachedNames, onWarning);
  const snapshot = await open(spec.revision);
  const card = await cardIn(snapshot);
  const { from, found } = await filesIn(snapshot, card, spec, () => open(CONVERTED));
  const config = choose('configuration', spec.config, usual(found, card), [...found.keys()], spec, text);
  const splits = found.get(config) ?? new Map<string, readonly string[]>();
  const split = choose('split', spec.split, undefined, [...splits.keys()], { ...spec, config }, text);
  const names = must(splits.get(split));
  await from.fetch(names);
  await Promise.all([...new Set([snapshot, from])].map((each) => each.done()));
  const labelNames = featureNames(card.dataset_info.find(({ config_name }) => config_name === config)?.features);
  const part = `${config === 'default' ? '' : `/${config}`}:${split}`;
  return filesSource(names.map(from.path), {
    name: `${spec.id}${part}@${from.commit.slice(0, 7)}`,
    url: `hf:${spec.id}${part}@${from.commit}`,
    license: card.license.join(', ') || 'unknown',
    labelNames,
  });
}

async function cardIn(snapshot: Snapshot): Promise<Card> {
  if (!snapshot.names.has('README.md')) return cardOf('');
  await snapshot.fetch(['README.md']);
  return cardOf(await readFile(snapshot.path('README.md'), 'utf8'));
}

/** The configurations, and the commit that has them. Throws RobustError where there are none. */
async function filesIn(
  snapshot: Snapshot,
  card: Card,
  spec: HubDataSpec,
  convertedBranch: () => Promise<Snapshot>,
): Promise<{ from: Snapshot; found: Configurations }> {
  for (const found of [describedFiles(card, snapshot.names), convertedFiles(snapshot.names)]) {
    if (found.size > 0) return { from: snapshot, found };
  }
  // It is made of the main branch, whatever else there is.
  const converted = spec.revision === 'main' ? await orNone(convertedBranch()) : undefined;
  const made = converted && convertedFiles(converted.names);
  if (converted && made && made.size > 0) return { from: converted, found: made };
  const found = namedFiles(snapshot.names);
  if (found.size > 0) return { from: snapshot, found };
  throw new RobustError(`${spec.id} at "${spec.revision}": expected data files, found none that are read here`, {
    code: 'DATA_NOT_FOUND',
    hint: 'Read are .parquet, .jsonl, .json, .csv and .tsv. Data that a script makes, or that lie in archives: save them to a file with the tool they are for.',
  });
}

const orNone = (snapshot: Promise<Snapshot>): Promise<Snapshot | undefined> =>
  snapshot.catch((error: unknown) => {
    if (error instanceof RobustError && ['HUB_NOT_FOUND', 'HUB_NOT_CACHED'].includes(error.code)) return undefined;
    throw error;
  });

/** The configuration that is meant where none is named. */
const usual = (found: Configurations, { configs }: Card): string | undefined =>
  configs.find((each) => each.default === true && found.has(each.config_name))?.config_name ??
  (found.has('default') ? 'default' : undefined);

/** The one that was asked for, or the only one. Throws RobustError, which lists what there is. */
function choose(
  what: 'configuration' | 'split',
  requested: string | undefined,
  otherwise: string | undefined,
  all: readonly string[],
  { id, config }: HubDataSpec,
  text: string,
): string {
  const found = requested ?? otherwise ?? (all.length === 1 ? all[0] : undefined);
  if (found !== undefined && all.includes(found)) return found;
  const [, revision = ''] = /(@.*)$/s.exec(text) ?? [];
  const near = (requested && nearest(requested, all)) ?? all[0];
  const home = what === 'split' && config !== undefined && config !== 'default' ? `${id}/${config}` : id;
  const example = what === 'split' ? `${home}:${near}` : `${home}/${near}`;
  const got = requested === undefined ? `none, and there are ${all.length}` : `"${requested}"`;
  throw new RobustError(`${home}: expected a ${what} of ${list(all)}, got ${got}`, {
    code: 'DATA_NOT_FOUND',
    hint: `For example: -d hf:${example}${revision}`,
  });
}

/** Some data sets have hundreds of configurations. */
const SHOWN = 20;

const list = (all: readonly string[]): string =>
  all.length <= SHOWN ? all.join(', ') : `${all.slice(0, SHOWN).join(', ')} and ${all.length - SHOWN} more`;
