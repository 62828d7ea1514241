/** Data by their names on the Hub, from a Hub of our own on this machine. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { parseHubDataSpec } from '../../src/app/data/hub-data.js';
import { cardOf, convertedFiles, describedFiles, namedFiles } from '../../src/app/data/hub-splits.js';
import { openData } from '../../src/app/data/open-data.js';
import type { HubOptions } from '../../src/model/load.js';
import { lasting } from '../calibration.js';
import { COMMIT, type FakeHub, fakeHub, type Repository } from '../model/fake-hub.js';
import { failure, refusal } from '../refusal.js';
import { parquetOf } from './parquet.js';

const root = mkdtempSync(join(tmpdir(), 'robust-hub-data-'));

let hub: FakeHub;
afterEach(async () => await hub?.close());

const ID = 'datasets/org/films';
const BRANCH = `${ID}@refs/convert/parquet`;
const OTHER_COMMIT = 'c'.repeat(40);

async function serve(files: Repository['files'], more: Record<string, Repository> = {}, how: Partial<Repository> = {}) {
  hub = await fakeHub({ [ID]: { files, lfs: (name) => name.endsWith('.parquet'), ...how }, ...more });
  return {
    endpoint: hub.url,
    cache: mkdtempSync(join(root, 'cache-')),
    timeout: lasting(5),
    pause: 1,
  } satisfies HubOptions;
}

async function read(spec: string, options: HubOptions, labels?: readonly string[]) {
  const warnings: string[] = [];
  const onWarning = (message: string) => warnings.push(message);
  const patience = { seconds: 10 };
  const data = await openData(spec, { labels }, { hub: options, patience, onWarning });
  const rows: string[] = [];
  for await (const { text, label } of data.examples()) rows.push(`${text} ${data.labels[label]}`);
  return { rows, data, warnings };
}

const table = (...rows: [string, number][]): string => JSON.stringify(rows.map(([text, label]) => ({ text, label })));
const parquet = (texts: string[], labels: number[]): Uint8Array =>
  parquetOf(
    [
      { name: 'text', values: texts },
      { name: 'label', values: labels.map(BigInt) },
    ],
    9,
  );
const fetched = (): string[] =>
  hub.seen.flatMap(({ server, path }) => (server === 'hub' ? (/\/resolve\/[^/]+\/(.*)$/.exec(path)?.[1] ?? []) : []));

const README = `---
license: mit
configs:
- config_name: plain
  default: true
  data_files:
  - split: train
    path: data/train-*.json
  - split: validation
    path: [data/held.json]
- config_name: short
  data_files: data/held.json
dataset_info:
- config_name: plain
  features:
  - name: text
    dtype: string
  - name: label
    dtype:
      class_label:
        names: {'0': bad, '1': good}
---
# Films
`;
const described = {
  'README.md': README,
  'data/train-0.json': table(['a', 0], ['b', 1]),
  'data/train-1.json': table(['c', 1]),
  'data/held.json': table(['d', 1], ['e', 0]),
  'films.py': 'print(1)',
};

describe('a README that says which files are a split', () => {
  test('is followed, and names the labels; nothing else is fetched', async () => {
    const options = await serve(described);
    const { rows, data, warnings } = await read('hf:org/films:train', options, ['GOOD', 'BAD']);
    expect(rows).toEqual(['a BAD', 'b GOOD', 'c GOOD']);
    expect(data.name).toBe('org/films/plain:train@aaaaaaa');
    expect(data.source).toMatchObject({ url: `hf:org/films/plain:train@${COMMIT}`, license: 'mit' });
    expect(warnings).toEqual([]);
    expect(fetched().sort()).toEqual(['README.md', 'data/train-0.json', 'data/train-1.json']);
    expect(existsSync(join(options.cache, 'datasets--org--films', 'snapshots', COMMIT, 'data/train-0.json'))).toBe(
      true,
    );
    expect(readFileSync(join(options.cache, 'datasets--org--films', 'refs', 'main'), 'utf8')).toBe(COMMIT);
  });

  test('what a run records names the same data', async () => {
    const options = await serve(described);
    const first = await read('hf:org/films:validation', options);
    const again = await read(first.data.source.url, options);
    expect(again.rows).toEqual(first.rows);
    expect(again.data.source).toEqual(first.data.source);
  });

  test('a configuration of one split needs no split', async () => {
    expect((await read('hf:org/films/short', await serve(described))).rows).toEqual(['d 1', 'e 0']);
  });

  test('what is not there: what there is', async () => {
    const options = await serve(described);
    await refusal(read('hf:org/films', options), 'DATA_NOT_FOUND');
    await refusal(read('hf:org/films:valid@main', options));
    expect(await failure(read('hf:org/films/shirt', options))).toMatchObject({
      message: 'org/films: expected a configuration of plain, short, got "shirt"',
      hint: 'For example: -d hf:org/films/short',
    });
    expect(fetched()).toEqual(['README.md']);
  });
});

describe('without a word in the README', () => {
  const converted: Repository = {
    commit: OTHER_COMMIT,
    lfs: (name) => name.endsWith('.parquet'),
    files: {
      'default/test/0000.parquet': parquet(['p', 'q'], [0, 1]),
      'default/test/0001.parquet': parquet(['r'], [1]),
      'default/train/0000.parquet': parquet(['no'], [0]),
    },
  };

  test('the Parquet files count that the Hub made', async () => {
    const options = await serve({ 'README.md': '# Films', 'films.py': '' }, { [BRANCH]: converted });
    const { rows, data } = await read('hf:org/films:test', options);
    expect(rows).toEqual(['p 0', 'q 1', 'r 1']);
    expect(data.source.url).toBe(`hf:org/films:test@${OTHER_COMMIT}`);
    expect(fetched()).not.toContain('default/train/0000.parquet');
    // The branch itself, and the commit that is recorded.
    for (const spec of ['hf:org/films:test@refs/convert/parquet', data.source.url]) {
      expect((await read(spec, options)).rows).toEqual(rows);
    }
    hub.seen.length = 0;
    expect((await read('hf:org/films:test', { ...options, offline: true })).rows).toEqual(rows);
    expect(hub.seen).toEqual([]);
  });

  test('they are of the main branch only', async () => {
    const options = await serve(
      { 'dev.csv': 'text,label\nold,1\n' },
      { [BRANCH]: { ...converted, files: { 'default/validation/0000.parquet': parquet(['new'], [1]) } } },
      { refs: ['v1'] },
    );
    expect((await read('hf:org/films:validation@v1', options)).rows).toEqual(['old 1']);
    expect((await read('hf:org/films:validation', options)).rows).toEqual(['new 1']);
  });

  test('where there are none, files are known by their names', async () => {
    const options = await serve({ 'data/dev.csv': 'text,label\nx,1\n', 'train.csv': 'text,label\ny,0\n' });
    expect((await read('hf:org/films:validation', options)).rows).toEqual(['x 1']);
  });

  test('nothing that is read here: what to do', async () => {
    const options = await serve({ 'films.py': '', 'all.zip': '' });
    expect(await failure(read('hf:org/films', options))).toMatchObject({ code: 'DATA_NOT_FOUND' });
  });
});

describe('the Hub', () => {
  test('has no such data set, or is careful with it', async () => {
    const options = await serve(described, {}, { token: 'hf_secret', gated: true });
    const _page = `${hub.url}/datasets/org/films`;
    await refusal(read('hf:org/films:train', options), 'ACCESS_DENIED');
    expect((await read('hf:org/films:train', { ...options, token: 'hf_secret' })).rows).toHaveLength(3);
    await refusal(read('hf:org/none:train', options), 'HUB_NOT_FOUND');
    expect(await failure(read('hf:org/films:train@v9', { ...options, token: 'hf_secret' }))).toMatchObject({
      code: 'HUB_NOT_FOUND',
    });
  });

  test('receives no request offline, and a part of a split is never taken for the whole', async () => {
    const options = await serve(described);
    const off = { ...options, offline: true };
    await refusal(read('hf:org/films:train', off), 'HUB_NOT_CACHED');
    const { rows } = await read('hf:org/films:train', options);
    hub.seen.length = 0;
    expect((await read('hf:org/films:train', off)).rows).toEqual(rows);
    await refusal(read('hf:org/films:validation', off), 'HUB_NOT_CACHED');
    rmSync(join(options.cache, 'datasets--org--films', 'snapshots', COMMIT, 'data', 'train-1.json'));
    expect(await failure(read('hf:org/films:train', off))).toMatchObject({ code: 'HUB_NOT_CACHED' });
    expect(hub.seen).toEqual([]);
  });

  test('may be out of reach: the cached copy serves, with a warning', async () => {
    const options = await serve(described);
    const { rows } = await read('hf:org/films:train', options);
    hub.fail(/api/, { status: 503 }, 10);
    const later = await read('hf:org/films:train', options);
    expect(later.rows).toEqual(rows);
    expect(later.warnings).toEqual([expect.stringMatching(/503; the cached copy is used/)]);
  });

  test('a cache that another tool filled is read, with a warning', async () => {
    const cache = mkdtempSync(join(root, 'python-'));
    const repository = join(cache, 'datasets--org--films');
    mkdirSync(join(repository, 'snapshots', COMMIT), { recursive: true });
    mkdirSync(join(repository, 'refs'));
    writeFileSync(join(repository, 'refs', 'main'), COMMIT);
    writeFileSync(join(repository, 'snapshots', COMMIT, 'test.jsonl'), '{"text":"t","label":1}\n');
    const { rows, warnings } = await read('hf:org/films:test', { cache, offline: true });
    expect(rows).toEqual(['t 1']);
    expect(warnings).toEqual([expect.stringContaining('not known whether all files')]);
    expect(readdirSync(repository).sort()).toEqual(['refs', 'snapshots']);
  });
});

describe('specs', () => {
  test.each([
    ['hf:org/films', { id: 'org/films', revision: 'main' }],
    ['hf:films:test', { id: 'films', revision: 'main', split: 'test' }],
    ['hf:org/films/en:test@refs/pr/1', { id: 'org/films', config: 'en', split: 'test', revision: 'refs/pr/1' }],
  ])('%s', (spec, parts) => expect(parseHubDataSpec(spec)).toEqual({ kind: 'datasets', ...parts }));

  test.each('hf: hf:org/ hf:org/films/ hf:org/films: hf:a/b/c/d hf:../x:y hf:a/b:c@../d hf:a/b:c:d'.split(' '))(
    '%s is refused',
    (spec) => expect(() => parseHubDataSpec(spec)).toThrow(expect.objectContaining({ code: 'HUB_INVALID', exit: 2 })),
  );
});

describe('files', () => {
  const splits = (found: ReturnType<typeof namedFiles>) =>
    Object.fromEntries([...found].map(([config, each]) => [config, Object.fromEntries(each)]));

  test.each([
    [['train.csv', 'dev.csv', 'README.md'], { train: ['train.csv'], validation: ['dev.csv'] }],
    [
      ['data/test-00001-of-00002.parquet', 'data/test-00000-of-00002.parquet'],
      {
        test: ['data/test-00000-of-00002.parquet', 'data/test-00001-of-00002.parquet'],
      },
    ],
    [['train.csv', 'train.parquet'], { train: ['train.parquet'] }],
    [['validation/a.jsonl.gz', 'constrained.jsonl.gz'], { validation: ['validation/a.jsonl.gz'] }],
    [['all.tsv', 'dataset_infos.json'], { train: ['all.tsv'] }],
  ])('called %j', (names, expected) => expect(splits(namedFiles(new Set(names)))).toEqual({ default: expected }));

  test('in the folder of a configuration', () => {
    const card = cardOf('---\nconfigs:\n- config_name: en\n  data_dir: test/en\n---\n');
    const names = new Set(['test/en/train.csv', 'test/en/dev.csv', 'test/de/dev.csv']);
    expect(splits(describedFiles(card, names))).toEqual({
      en: { train: ['test/en/train.csv'], validation: ['test/en/dev.csv'] },
    });
  });

  test('are no split where a pattern finds nothing: the others would be a part of it', () => {
    const card = cardOf('---\nconfigs: [{data_files: [{split: train, path: [a.csv, b*.csv]}]}]\n---\n');
    expect(describedFiles(card, new Set(['a.csv'])).size).toBe(0);
    expect(splits(describedFiles(card, new Set(['a.csv', 'b1.csv'])))).toEqual({
      default: { train: ['a.csv', 'b1.csv'] },
    });
  });

  test('of a part that the Hub converted are a split of that name', () =>
    expect(splits(convertedFiles(new Set(['en/partial-train/0000.parquet', '.gitattributes'])))).toEqual({
      en: { 'partial-train': ['en/partial-train/0000.parquet'] },
    }));

  test('are only ever those of the repository, whatever a README says', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string()), (text, names) => {
        const pattern = JSON.stringify([text]);
        const card = cardOf(`---\n${text}\nconfigs: [{data_files: [{split: train, path: ${pattern}}]}]\n---\n`);
        for (const [, found] of describedFiles(card, new Set(names))) {
          for (const files of found.values()) expect(names).toEqual(expect.arrayContaining([...files]));
        }
      }),
    );
  });
});
