/** A written file is complete, or keeps its former content. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { OutputError } from '../../src/core/errors.js';
import { temporaryPathOf } from '../../src/files/temporary-path.js';
import {
  appendWhole,
  checkWritableFile,
  makeFolder,
  outputError,
  placeFolder,
  replaceFile,
  writeAll,
  writeStream,
  writeWhole,
} from '../../src/files/write.js';
import { smallDisk, unmount } from './small-disk.js';

const inside = (): string => mkdtempSync(join(tmpdir(), 'robust-files-'));

/** The name a process that is dead by now would have written aside under. */
function asideOfTheDead(path: string): string {
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  return temporaryPathOf(path).replace(`-${process.pid}-`, `-${pid}-`);
}

test.skipIf(!existsSync('/dev/full'))('a write to a full disk is an OutputError that names the cure', () => {
  const file = openSync('/dev/full', 'w');
  try {
    writeAll(file, Buffer.from('x'));
    expect.unreachable();
  } catch (error) {
    const told = outputError('an outcome', '/dev/full', error, 'continue with: robust attack --resume x');
    expect(told).toBeInstanceOf(OutputError);
    expect(told).toMatchObject({
      code: 'OUTPUT_UNREACHABLE',
      hint: 'Free some space, then continue with: robust attack --resume x.',
    });
    expect(told.message).toMatch(/^could not write an outcome to \/dev\/full: ENOSPC/);
  } finally {
    closeSync(file);
  }
});

describe('a file', () => {
  test('is replaced whole or not at all', () => {
    const path = join(inside(), 'file');
    replaceFile(path, (file) => writeAll(file, Buffer.from('old')));
    const broken = new Error('half way');
    expect(() =>
      replaceFile(path, (file) => {
        writeAll(file, Buffer.from('ne'));
        throw broken;
      }),
    ).toThrow(broken);
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(join(path, '..'))).toEqual(['file']);
  });

  test('holds all pieces in their order, however they come', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(fc.string(), fc.uint8Array({ maxLength: 50 }))), async (pieces) => {
        const [whole, streamed] = ['a', 'b'].map((name) => join(inside(), name)) as [string, string];
        writeWhole(whole, pieces, 'it');
        async function* slowly() {
          yield* pieces;
        }
        await writeStream(streamed, slowly(), 'it');
        const expected = Buffer.concat(pieces.map((piece) => Buffer.from(piece as string)));
        expect(readFileSync(whole).equals(expected)).toBe(true);
        expect(readFileSync(streamed).equals(expected)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  test.skipIf(process.platform === 'win32')('keeps its rights', () => {
    const path = join(inside(), 'file');
    writeFileSync(path, 'old');
    chmodSync(path, 0o600);
    writeWhole(path, 'new', 'it');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('what a killed process left half written goes with the next; what another writes stays', () => {
    const path = join(inside(), 'file');
    const mine = temporaryPathOf(path);
    const of = { dead: asideOfTheDead(path), init: mine.replace(`-${process.pid}-`, '-1-'), mine };
    for (const aside of Object.values(of)) writeFileSync(aside, 'half');
    writeWhole(path, 'new', 'it');
    expect(Object.entries(of).flatMap(([name, aside]) => (existsSync(aside) ? [name] : []))).toEqual(['init', 'mine']);
  });

  test('in a folder that is not there is an error that says so', async () => {
    const path = join(inside(), 'missing', 'x');
    const error = { code: 'OUTPUT_UNREACHABLE', exit: 3, message: expect.stringContaining('ENOENT') };
    expect(() => writeWhole(path, 'x', 'it')).toThrow(expect.objectContaining(error));
    expect(() => appendWhole(path, 'x', 'it')).toThrow(expect.objectContaining(error));
    await expect(writeStream(path, new Blob(['x']).stream(), 'it')).rejects.toMatchObject(error);
  });

  test('that is a folder is an error', () => {
    expect(() => writeWhole(inside(), 'x', 'it')).toThrow(expect.objectContaining({ code: 'OUTPUT_UNREACHABLE' }));
  });

  test('an error in making the pieces stays what it is', async () => {
    const path = join(inside(), 'file');
    async function* broken() {
      yield 'half';
      throw Object.assign(new Error('ENOENT: a card is missing'), { code: 'ENOENT', syscall: 'open' });
    }
    await expect(writeStream(path, broken(), 'it')).rejects.not.toBeInstanceOf(OutputError);
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });

  test('that is tried leaves nothing behind', () => {
    const folder = inside();
    checkWritableFile(join(folder, 'file'));
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a folder', () => {
  test('is made with those above it, also where it is there', () => {
    const path = join(inside(), 'a', 'b');
    makeFolder(path, 'it');
    makeFolder(path, 'it');
    writeFileSync(join(path, 'file'), '');
    expect(() => makeFolder(join(path, 'file'), 'it')).toThrow(expect.objectContaining({ code: 'OUTPUT_UNREACHABLE' }));
  });

  test('appears with all that is in it, or not at all', () => {
    const root = inside();
    const fill = (folder: string) => writeFileSync(join(folder, 'file'), 'whole');
    placeFolder(join(root, 'one'), fill);
    expect(readFileSync(join(root, 'one', 'file'), 'utf8')).toBe('whole');
    const broken = (folder: string) => {
      fill(folder);
      throw new Error('half way');
    };
    expect(() => placeFolder(join(root, 'two'), broken)).toThrow('half way');
    expect(readdirSync(root)).toEqual(['one']);
  });

  test('what a killed process left of one goes with the next', () => {
    const root = inside();
    const dead = asideOfTheDead(join(root, 'folder'));
    mkdirSync(dead);
    writeFileSync(join(dead, 'run.json'), '{}');
    placeFolder(join(root, 'one'), () => {});
    expect(readdirSync(root)).toEqual(['one']);
  });
});

const disk = smallDisk(64);
afterAll(() => unmount(disk ?? ''));

describe.skipIf(disk === undefined)('on a disk that fills up (needs the right to mount one)', () => {
  const path = join(disk as string, 'file');
  const much = 'x'.repeat(1000);
  const full = { code: 'OUTPUT_UNREACHABLE', exit: 3, message: expect.stringContaining('ENOSPC') };
  function* pieces(count: number): Generator<string> {
    for (let at = 0; at < count; at++) yield much;
  }
  async function* slowly(count: number) {
    yield* pieces(count);
  }

  test.each([0, 20, 40, 60])('with %i KiB taken the old file stands', async (kib) => {
    const ballast = join(disk as string, 'ballast');
    writeWhole(path, 'old', 'it');
    writeFileSync(ballast, Buffer.alloc(kib * 1024));
    expect(() => writeWhole(path, pieces(100), 'it')).toThrow(expect.objectContaining(full));
    expect(() => writeWhole(path, much.repeat(100), 'it')).toThrow(expect.objectContaining(full));
    await expect(writeStream(path, slowly(100), 'it')).rejects.toMatchObject(full);
    expect(() => appendWhole(path, much.repeat(100), 'it')).toThrow(expect.objectContaining(full));
    expect(() =>
      placeFolder(join(disk as string, 'folder'), (folder) => writeWhole(join(folder, 'file'), much.repeat(100), 'it')),
    ).toThrow(expect.objectContaining(full));
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(disk as string).sort()).toEqual(['ballast', 'file']);
    rmSync(ballast);
    await writeStream(path, slowly(20), 'it');
    expect(readFileSync(path, 'utf8')).toBe(much.repeat(20));
  });
});
