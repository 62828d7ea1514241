import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { reportFiles, writeReport } from '../../src/app/runs/output-files.js';
import { OutputError } from '../../src/core/errors.js';
import type { ReportRenderer } from '../../src/results/report/report.js';
import { smallDisk, unmount } from '../files/small-disk.js';
import { refusal } from '../refusal.js';
import { report } from '../reports/fixture.js';
import { folder } from './cli.js';

/** A disk of 64 KiB; undefined if it cannot be mounted. */
const disk = smallDisk(64);
afterAll(() => unmount(disk ?? ''));

describe('before the run', () => {
  test('the ending picks the format, and nothing is left behind', async () => {
    const home = folder();
    const files = await reportFiles(['a.md', 'b.JSON', 'c.csv'].map((name) => join(home, name)));
    expect(files.map(({ format }) => format.name)).toEqual(['markdown', 'json', 'csv']);
    expect(readdirSync(home)).toEqual([]);
  });

  test.each(['report.pdf', 'report', '.md', 'report.mdd'])('%s is no format', async (path) => {
    await expect(reportFiles([path])).rejects.toThrow(expect.objectContaining({ exit: 2 }));
  });

  test('the same file twice', async () => {
    await refusal(reportFiles(['x.md', './x.md']));
  });

  test.each([
    ['a folder that does not exist', 'nowhere/x.md', /folder does not exist/],
    ['a file for a folder', 'file/x.md', /folder is a file/],
    ['a file name too long', `${'x'.repeat(300)}.md`, /ENAMETOOLONG/],
  ])('%s', async (_, path, message) => {
    const home = folder({ file: '' });
    await expect(reportFiles([join(home, path)])).rejects.toThrow(OutputError);
    await expect(reportFiles([join(home, path)])).rejects.toThrow(message);
  });

  test.skipIf(!existsSync('/proc/self'))('a read-only place', async () => {
    await expect(reportFiles(['/proc/self/x.md'])).rejects.toMatchObject({ code: 'OUTPUT_UNREACHABLE', exit: 3 });
  });
});

describe('after the run', () => {
  const lines = (count: number, end?: () => void): ReportRenderer => ({
    name: 'lines',
    extension: 'txt',
    *render() {
      for (let i = 0; i < count; i++) yield `line ${i}\n`;
      end?.();
    },
  });

  test('a report of many pieces arrives whole', async () => {
    const path = join(folder(), 'x.txt');
    await writeReport({ path, format: lines(20_000) }, report());
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(20_001);
  });

  test.skipIf(disk === undefined)(
    'the earlier file survives a disk that fills up, and no half one is left',
    async () => {
      const path = join(disk as string, 'x.txt');
      writeFileSync(path, 'earlier');
      const writing = writeReport({ path, format: lines(20_000) }, report());
      await refusal(writing, 'OUTPUT_UNREACHABLE');
      expect(readFileSync(path, 'utf8')).toBe('earlier');
      expect(readdirSync(disk as string)).toEqual(['x.txt']);
    },
  );

  test.skipIf(!existsSync('/dev/full'))('a full device', async () => {
    await expect(writeReport({ path: '/dev/full', format: lines(20_000) }, report())).rejects.toThrow(OutputError);
  });

  test('an error of the renderer stays what it is', async () => {
    const home = folder();
    writeFileSync(join(home, 'x.txt'), 'earlier');
    const broken = (): never => {
      throw new TypeError('defect');
    };
    await expect(writeReport({ path: join(home, 'x.txt'), format: lines(1, broken) }, report())).rejects.toThrow(
      TypeError,
    );
    expect(readFileSync(join(home, 'x.txt'), 'utf8')).toBe('earlier');
    expect(readdirSync(home)).toEqual(['x.txt']);
  });
});
