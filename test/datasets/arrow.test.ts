/** Arrow files as `datasets`, pandas and pyarrow write them (arrow-goldens.py wrote those in arrow/), and damaged ones. */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { openDataset } from '../../datasets/index.js';
import { RobustError } from '../../src/core/errors.js';
import { packageRoot } from '../../src/core/package-root.js';
import { random } from '../../src/core/random.js';
import { refusal } from '../refusal.js';
import { fileOf, opened, rowsOf } from './write.js';

const GOLDENS = join(packageRoot, 'test', 'datasets', 'arrow');
const golden = (name: string): Buffer => readFileSync(join(GOLDENS, name));

const TEXTS = ['good film', 'café 😀', 'bad film', '', 'dull'];
const named = TEXTS.map((text, at) => [text, at < 2 ? 'positive' : 'negative']);

/** A copy of a folder of the goldens. */
function copied(name: string): string {
  const folder = join(fileOf('beside', ''), '..', name);
  cpSync(join(GOLDENS, name), folder, { recursive: true });
  return folder;
}

test('a folder of save_to_disk has its shards in order, and the names of its labels', async () => {
  const data = await openDataset(join(GOLDENS, 'saved'), { labels: ['positive', 'negative'] });
  expect(await rowsOf(data)).toEqual(named);
});

test('other files in that folder are no data', async () => {
  const folder = copied('saved');
  writeFileSync(join(folder, 'cache-1.arrow'), golden('lists.arrow'));
  expect(await rowsOf(await openDataset(folder, { labels: ['negative', 'positive'] }))).toEqual(named);
});

test('one file has the names that dataset_info.json beside it gives', async () => {
  const folder = copied('saved');
  const info = join(folder, 'dataset_info.json');
  writeFileSync(info, readFileSync(info, 'utf8').replace('"negative"', '"bad"').replace('"positive"', '"good"'));
  writeFileSync(join(folder, 'plain.arrow'), golden('zstd.feather'));
  const numbers = join(folder, 'data-00000-of-00002.arrow');
  // Without the metadata of `datasets`.
  writeFileSync(
    numbers,
    Buffer.from(readFileSync(numbers).toString('latin1').replace('huggingface', 'huggingfacE'), 'latin1'),
  );
  expect(await rowsOf(await openDataset(numbers, { labels: ['good', 'bad'] }))).toEqual(
    TEXTS.slice(0, 3).map((text, at) => [text, at < 2 ? 'good' : 'bad']),
  );
});

test('of several splits one is to be named', async () => {
  await refusal(openDataset(join(GOLDENS, 'splits')));
  const data = await openDataset(join(GOLDENS, 'splits', 'test'), { labels: ['negative', 'positive'] });
  expect(await rowsOf(data)).toEqual([named[3], named[2]]);
});

test.each(['zstd.feather', 'category.feather'])('%s', async (name) => {
  expect(await rowsOf(await openDataset(join(GOLDENS, name)))).toEqual(named);
});

test('blocks of LZ4 that refer to earlier ones', async () => {
  const rows = await rowsOf(await openDataset(join(GOLDENS, 'lz4.feather')));
  expect(rows).toEqual(TEXTS.map((text, at) => [`${`${text} `.repeat(9000)}${at}`.trim(), at < 2 ? '1' : '0']));
});

test('lists, truth values and views, over several batches', async () => {
  const path = join(GOLDENS, 'lists.arrow');
  const sets = await openDataset(path, { labelSets: true, labelColumn: 'labels' });
  const found: unknown[] = [];
  for await (const { text, labels = [] } of sets.examples()) found.push([text, labels.map((at) => sets.labels[at])]);
  expect(found).toEqual(TEXTS.map((text, at) => [text, [['a', 'b'], [], ['b'], [], ['a']][at]]));
  const truth = await openDataset(path, { labelColumn: 'toxic', labels: ['no', 'yes'] });
  expect((await rowsOf(truth)).map(([, label]) => label)).toEqual(['yes', 'no', 'yes', 'no', 'yes']);
});

test.each(['a.arrow.gz', 'a'])('packed, or without an ending: %s', async (name) => {
  const content = golden('category.feather');
  expect(await rowsOf(await opened(name, name === 'a' ? content : gzipSync(content)))).toEqual(named);
});

test.each([
  ['version 1 of Feather', 'a.feather', golden('version1.feather'), 'DATA_DAMAGED'],
  ['an empty file', 'a.arrow', Buffer.alloc(0), 'EXAMPLES_TOO_FEW'],
  ['another file', 'a.arrow', Buffer.from('x'), 'DATA_DAMAGED'],
])('%s is refused', async (_, name, content, code) => {
  await refusal(opened(name, content), code);
});

test('a file that is cut anywhere is refused', async () => {
  const content = golden('category.feather');
  const end = content.lastIndexOf(Buffer.from([255, 255, 255, 255, 0, 0, 0, 0])) + 8;
  for (let length = 1; length < end; length += 13) {
    const refused = await openDataset(fileOf('a.feather', content.subarray(0, length))).then(
      () => undefined,
      (error) => error.code,
    );
    expect(refused, `${length} bytes`).toMatch(/^DATA_DAMAGED$|^EXAMPLES_TOO_FEW$/);
  }
});

test('a stream that is cut between two messages is refused', async () => {
  const content = golden('saved/data-00000-of-00002.arrow');
  expect(content.subarray(-8)).toEqual(Buffer.from([255, 255, 255, 255, 0, 0, 0, 0]));
  await refusal(opened('a.arrow', content.subarray(0, -8)), 'DATA_DAMAGED');
});

test('changed bytes give rows or a refusal, soon', async () => {
  const chance = random(42, 'arrow');
  for (const name of ['category.feather', 'lists.arrow', 'lz4.feather', 'saved/data-00000-of-00002.arrow']) {
    for (let n = 0; n < 50; n++) {
      const content = Buffer.from(golden(name));
      for (let edits = 1 + chance.int(4); edits > 0; edits--)
        content[chance.int(content.length)] = [0, 1, 127, 128, 255, chance.int(256)][chance.int(6)]!;
      const path = fileOf('a.arrow', content);
      const outcome = await openDataset(path, name === 'lists.arrow' ? { labelColumn: 'toxic' } : {}).then(
        (data) => data.size,
        (error) => (error instanceof RobustError ? error.code : error),
      );
      expect(typeof outcome, `${name}, change ${n}: ${outcome?.stack}`).toMatch(/number|string/);
    }
  }
});

test('a state that names files elsewhere, or chooses rows, is refused', async () => {
  for (const [state, says] of [
    [{ _data_files: [{ filename: '../other.arrow' }] }, /names of Arrow files in this folder, got "..\/other.arrow"/],
    [{ _data_files: [{ filename: 'data-00000-of-00002.arrow' }], _indices_data_files: [{}] }, /a selection/],
  ] as const) {
    const folder = copied('saved');
    writeFileSync(join(folder, 'state.json'), JSON.stringify(state));
    await expect(openDataset(folder)).rejects.toMatchObject({
      code: 'DATA_DAMAGED',
      message: expect.stringMatching(says),
    });
    rmSync(folder, { recursive: true });
  }
  expect(readdirSync(GOLDENS)).toContain('saved');
});
