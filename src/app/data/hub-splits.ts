/**
 * @file Which files of a repository are which split of which configuration: as its README says
 * (https://huggingface.co/docs/hub/datasets-manual-configuration), as the Hub's own conversion to Parquet lays them out, or by their names
 * (https://huggingface.co/docs/hub/datasets-file-names-and-splits).
 */
import { Minimatch } from 'minimatch';
import { parse } from 'yaml';
import { z } from 'zod';
import { isDataFile } from '../../../datasets/index.js';

/** Split -> its files, sorted by name. */
type Splits = ReadonlyMap<string, readonly string[]>;

/** Configuration -> its splits. */
export type Configurations = ReadonlyMap<string, Splits>;

const paths = z.union([z.string().transform((one) => [one]), z.array(z.string())]);
const dataFiles = z.union([
  z.array(z.object({ split: z.coerce.string(), path: paths })).min(1),
  paths.transform((path) => [{ split: 'train', path }]),
  z.record(z.string(), paths).transform((by) => Object.entries(by).map(([split, path]) => ({ split, path }))),
]);
const configuration = z.object({
  config_name: z.coerce.string().default('default'),
  data_files: dataFiles.optional(),
  data_dir: z.string().optional(),
  default: z.boolean().optional(),
});
const information = z.object({ config_name: z.coerce.string().default('default'), features: z.unknown() });
const oneOrMore = <T extends z.ZodType>(one: T) => z.union([z.array(one), one.transform((only) => [only])]);

const cardShape = z.object({
  configs: oneOrMore(configuration).default([]).catch([]),
  dataset_info: oneOrMore(information).default([]).catch([]),
  license: oneOrMore(z.string()).default([]).catch([]),
});

/** What a README tells programs: the YAML at its top. */
export type Card = z.infer<typeof cardShape>;

/** What does not read as it should counts as not told. */
export function cardOf(readme: string): Card {
  const [, top = ''] = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---/.exec(readme) ?? [];
  let metadata: unknown;
  try {
    // Aliases may unfold to more than memory holds.
    metadata = parse(top, { maxAliasCount: 0, logLevel: 'error' });
  } catch {
    metadata = undefined;
  }
  return cardShape.parse(typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata) ? metadata : {});
}

/** The configurations that a README describes by their files; those of which no file is there, or is read here, are left out. */
export function describedFiles({ configs }: Card, names: ReadonlySet<string>): Configurations {
  const all = configs.flatMap(({ config_name, data_files, data_dir = '' }): [string, Splits][] => {
    const home = data_dir.replace(/^\.?\/+|\/+$/g, '');
    const inside = home === '' ? [...names] : [...names].filter((name) => name.startsWith(`${home}/`));
    if (data_files === undefined) return home === '' ? [] : [[config_name, splitsByName(inside, home)]];
    const splits = data_files.map(({ split, path }) => {
      const files = path.map((pattern) => matching(home === '' ? pattern : `${home}/${pattern}`, inside));
      // Where one of several patterns finds nothing, the others are a part only.
      const whole = files.every((some) => some.length > 0);
      return [split, whole ? [...new Set(files.flat())].sort() : []] as const;
    });
    return [[config_name, new Map(splits.filter(([, files]) => files.length > 0 && files.every(isDataFile)))]];
  });
  return new Map(all.filter(([, splits]) => splits.size > 0));
}

function matching(pattern: string, names: readonly string[]): string[] {
  const plain = pattern.replace(/^\.\//, '');
  if (names.includes(plain)) return [plain];
  // No more than the wildcards of a path: a pattern is a stranger's.
  const one = new Minimatch(plain.slice(0, 500), { nobrace: true, noext: true, nonegate: true, nocomment: true });
  return names.filter((name) => one.match(name));
}

/** The configurations of the branch that the Hub converts to: CONFIG/SPLIT/0000.parquet. None where it is laid out otherwise. */
export function convertedFiles(names: ReadonlySet<string>): Configurations {
  const found = new Map<string, Map<string, string[]>>();
  for (const name of [...names].sort()) {
    const [, config, split] = /^([^/]+)\/([^/]+)\/\d{4}\.parquet$/.exec(name) ?? [];
    if (config === undefined || split === undefined) continue;
    const splits = found.get(config) ?? new Map<string, string[]>();
    splits.set(split, [...(splits.get(split) ?? []), name]);
    found.set(config, splits);
  }
  return found;
}

/** One configuration, where files can be told apart by their names. */
export function namedFiles(names: ReadonlySet<string>): Configurations {
  const splits = splitsByName([...names], '');
  return splits.size === 0 ? new Map() : new Map([['default', splits]]);
}

/** What a split may be called in the name of a file, or of a folder it lies in. */
const CALLED: readonly (readonly [split: string, words: RegExp])[] = [
  ['train', word('train|training')],
  ['validation', word('validation|valid|val|dev')],
  ['test', word('test|testing|eval|evaluation')],
];

function word(of: string): RegExp {
  return new RegExp(`(?:^|[^A-Za-z])(?:${of})(?:[^A-Za-z]|$)`, 'i');
}

/** Where the same texts lie there in several formats, one of them is enough. A .txt may be anything. */
const FORMATS = ['parquet', 'jsonl', 'ndjson', 'csv', 'tsv', 'json'];

/** The files in a folder by what they are called; where none is called like a split, all are for training, as for the Hub. */
function splitsByName(names: readonly string[], home: string): Splits {
  const isOf = (format: string) => (name: string) => new RegExp(`\\.${format}(?:\\.(?:gz|zst))?$`, 'i').test(name);
  const data = names.filter((name) => !/(?:^|\/)(?:\.[^/]*|dataset_infos\.json|config\.json)$/.test(name)).sort();
  const files = FORMATS.map((format) => data.filter(isOf(format))).find((some) => some.length > 0) ?? [];
  const within = (name: string): string => name.slice(home.length);
  const splits = CALLED.map(([split, words]) => [split, files.filter((name) => words.test(within(name)))] as const);
  const called = splits.filter(([, some]) => some.length > 0);
  return new Map(called.length > 0 || files.length === 0 ? called : [['train', files]]);
}
