/** What strangers put in place of a file: a pipe, a device, a link, a file without end. Nothing hangs, and nothing is written elsewhere. */
import { spawnSync } from 'node:child_process';
import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync as plainly,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createReadStream, LONGEST_TEXT, openFile, openToRead, readFile, readFileSync } from '../../src/files/read.js';
import { appendWhole, makeInnerFolder, openToWrite, writeNamed, writeWhole } from '../../src/files/write.js';
import { refusal } from '../refusal.js';

const inside = (): string => mkdtempSync(join(tmpdir(), 'robust-strangers-'));

/** A path, and what is said of it. */
const PLANTED: readonly (readonly [what: string, plant: (path: string) => void, got: RegExp])[] = [
  ['a pipe', (path) => void spawnSync('mkfifo', [path]), /expected a file, got a pipe or device/],
  ['a link to a device', (path) => symlinkSync('/dev/zero', path), /expected a file, got a pipe or device/],
  ['a folder', (path) => mkdirSync(path), /expected a file, got a folder/],
  [
    'a file without end',
    (path) => {
      writeFileSync(path, '');
      truncateSync(path, 4e12);
    },
    /expected at most 64 MiB, got 3814697\.3 MiB/,
  ],
];

describe.skipIf(process.platform === 'win32').each(PLANTED)('%s', (what, plant, got) => {
  test('is refused by each reader at once', async () => {
    const path = join(inside(), 'file');
    plant(path);
    const error = { code: 'FILE_DAMAGED', exit: 3, message: expect.stringMatching(got) };
    expect(() => readFileSync(path)).toThrow(expect.objectContaining(error));
    await expect(readFile(path, 'utf8')).rejects.toMatchObject(error);
    if (what === 'a file without end') return;
    expect(() => openToRead(path)).toThrow(expect.objectContaining(error));
    expect(() => createReadStream(path)).toThrow(expect.objectContaining(error));
    await expect(openFile(path)).rejects.toMatchObject(error);
  });
});

test('a small file is read, and a large one where that is expected', async () => {
  const path = join(inside(), 'file');
  writeFileSync(path, 'text');
  expect(readFileSync(path, 'utf8')).toBe('text');
  expect(await readFile(path)).toEqual(Buffer.from('text'));
  truncateSync(path, 65 * 2 ** 20);
  expect(readFileSync(path, 'utf8', LONGEST_TEXT)).toHaveLength(65 * 2 ** 20);
});

describe.skipIf(process.platform === 'win32')('a file of the user', () => {
  const WAYS: readonly (readonly [string, (path: string) => void])[] = [
    ['written in place', (path) => void openToWrite(path)],
    ['appended to', (path) => appendWhole(path, 'more', 'it')],
    ['replaced', (path) => writeWhole(path, 'new', 'it')],
  ];
  test.each(WAYS)('to which a link leads stays as it was when the link is %s', (_, write) => {
    const folder = inside();
    const [mine, planted] = [join(folder, 'mine'), join(folder, 'results.jsonl')];
    writeFileSync(mine, 'mine');
    symlinkSync(mine, planted);
    try {
      write(planted);
      expect(lstatSync(planted).isFile()).toBe(true);
    } catch (error) {
      expect(String(error)).toContain('ELOOP');
    }
    expect(plainly(mine, 'utf8')).toBe('mine');
  });

  test('with a second name is not written in place', () => {
    const folder = inside();
    writeFileSync(join(folder, 'mine'), 'mine');
    linkSync(join(folder, 'mine'), join(folder, 'results.jsonl'));
    expect(() => openToWrite(join(folder, 'results.jsonl'))).toThrow(
      /expected a file of its own, got one of 2 hard links/,
    );
  });

  test('is not in the way of a pipe that is replaced', async () => {
    const path = join(inside(), 'run.json');
    spawnSync('mkfifo', [path]);
    await refusal(() => openToWrite(path));
    writeWhole(path, 'new', 'it');
    expect(plainly(path, 'utf8')).toBe('new');
  });
});

test.skipIf(process.platform === 'win32')(
  'a folder within one of ours is no link; a file that the user named may be one',
  async () => {
    const folder = inside();
    mkdirSync(join(folder, 'far'));
    symlinkSync('far', join(folder, 'review'));
    await refusal(() => makeInnerFolder(join(folder, 'review'), 'it'));
    writeFileSync(join(folder, 'far', 'file'), 'old');
    symlinkSync(join('far', 'file'), join(folder, 'link'));
    writeNamed(join(folder, 'link'), 'new', 'it');
    expect(lstatSync(join(folder, 'link')).isSymbolicLink()).toBe(true);
    expect(plainly(join(folder, 'far', 'file'), 'utf8')).toBe('new');
  },
);
