/**
 * @file Whatever writes a file does so on a disk of a few KiB, of which a random part is taken: it ends with 0 and the whole file, or
 * with 3, a message that says so, and the old file as it was. Needs the right to mount a disk.
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/core/package-root.js';
import { smallDisk, unmount } from '../files/small-disk.js';
import type { Campaign, Trial } from './campaign.js';

const bin = join(packageRoot, 'bin', 'run.js');
const toy = join(packageRoot, 'test', 'commands', 'toy-classifier.mjs');
/** Fills a page of the disk: what is added to it needs another. */
const OLD = 'what was there before\n'.repeat(186);
const KIB = 1024;

interface Writer {
  readonly name: string;
  /** The files it writes on the disk. */
  readonly files: readonly string[];
  /** Run with the disk as `to`; `cwd` holds data.tsv and a finished run. */
  args(to: string): readonly string[];
  /** It is run on the disk itself. */
  readonly inside?: true;
  readonly env?: (to: string) => Record<string, string>;
  /** It adds to the old file, instead of replacing it. */
  readonly adds?: true;
  /** There must be no old file. */
  readonly fresh?: true;
}

const REQUIREMENT = ['--require', 'overall.accuracyUnderAttack >= 0 and <= 1'];
const SMALL = ['--arch', 'layers=1:dim=16:heads=2:vocabulary=60', '--lr', '0.01', '--epochs', '2'];

const writers: readonly Writer[] = [
  ...['md', 'html', 'json', 'csv', 'xml', 'sarif', 'prom', 'yaml'].map(
    (format): Writer => ({
      name: `report.${format}`,
      files: [`r.${format}`],
      args: (to) => ['report', 'latest', '-o', join(to, `r.${format}`)],
    }),
  ),
  {
    name: 'baseline',
    files: ['b.json'],
    fresh: true,
    args: (to) => ['baseline', 'save', '--baseline', join(to, 'b.json')],
  },
  { name: 'augment', files: ['a.tsv'], args: (to) => ['augment', '-d', 'data.tsv', '-o', join(to, 'a.tsv')] },
  {
    name: 'filter',
    files: ['f.tsv', 's.json'],
    args: (to) => [
      'backdoor',
      'filter',
      '-d',
      'data.tsv',
      '--force',
      '-o',
      join(to, 'f.tsv'),
      '--suspects',
      join(to, 's.json'),
    ],
  },
  { name: 'init', files: ['robust.config.yaml'], inside: true, args: () => ['init', '--force'] },
  {
    name: 'comment',
    files: ['c.md'],
    args: (to) => ['gate', 'latest', ...REQUIREMENT, '--comment', join(to, 'c.md')],
  },
  {
    name: 'github outputs',
    files: ['output'],
    adds: true,
    args: () => ['gate', 'latest', ...REQUIREMENT],
    env: (to) => ({ GITHUB_ACTIONS: 'true', GITHUB_OUTPUT: join(to, 'output') }),
  },
  {
    name: 'run folder',
    files: [],
    inside: true,
    args: () => ['attack', '-m', toy, '-d', 'd.tsv', '-a', 'pruthi', '-n', '0'],
  },
  {
    name: 'trained model',
    files: ['m/model.onnx', 'm/tokenizer.json'],
    fresh: true,
    args: (to) => ['train', '-d', 'data.tsv', ...SMALL, '-o', join(to, 'm')],
  },
];

const rows = Array.from({ length: 60 }, (_, at) => `the ${at % 2 ? 'good' : 'dull'} film number ${at}\t${at % 2}`);

interface Ended {
  readonly code: number | null;
  readonly stderr: string;
}

function robust(args: readonly string[], cwd: string, env: Record<string, string> = {}): Ended {
  const own = Object.entries(process.env).filter(([name]) => !/^(ROBUST_|GITHUB_)/.test(name));
  const { status, stderr } = spawnSync(process.execPath, [bin, ...args], {
    cwd,
    env: { ...Object.fromEntries(own), ...env },
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  return { code: status, stderr };
}

export const disk: Campaign = {
  name: 'disk',
  summary: 'every writer on a disk that fills up: the whole file and 0, or the old one and 3',
  count: 200,
  async open(home) {
    const place = smallDisk(KIB);
    if (place === undefined) throw new Error('expected the right to mount a disk of a few KiB (root), got none');
    writeFileSync(join(home, 'data.tsv'), `text\tlabel\n${rows.join('\n')}\n`);
    const made = robust(['attack', '-m', toy, '-d', 'data.tsv', '-a', 'deepwordbug', '-n', '0'], home);
    if (made.code !== 0) throw new Error(`expected a run, got ${made.code}: ${made.stderr}`);
    let last: Promise<unknown> = Promise.resolve();
    const emptied = ({ files, inside, fresh }: Writer): void => {
      for (const each of readdirSync(place)) rmSync(join(place, each), { recursive: true });
      if (inside) writeFileSync(join(place, 'd.tsv'), `text\tlabel\n${rows.slice(0, 20).join('\n')}\n`);
      for (const file of fresh ? [] : files) writeFileSync(join(place, file), OLD);
    };
    const free = (): number => statfsSync(place).bfree;
    const run = (writer: Writer): Ended =>
      robust(writer.args(place), writer.inside ? place : home, writer.env?.(place));
    // Pages that each takes where there is room for all.
    const needs = writers.map((writer) => {
      emptied(writer);
      const before = free();
      const { code, stderr } = run(writer);
      if (code !== 0 && code !== 4) throw new Error(`${writer.name}: expected exit code 0, got ${code}: ${stderr}`);
      return before - free() + (writer.fresh ? 0 : writer.files.length);
    });
    const trial = (number: number, share: number): Trial => {
      const at = number % writers.length;
      const writer = writers[at] as Writer;
      const { name, files, fresh, adds } = writer;
      emptied(writer);
      // From no page free to one more than it needs.
      const spare = Math.floor(share * ((needs[at] as number) + 2));
      writeFileSync(join(place, 'ballast'), Buffer.alloc(Math.max(0, free() - spare) * statfsSync(place).bsize));
      const { code: exit, stderr } = run(writer);
      // Sixty texts are too few for some verdicts, and the files are written all the same.
      const code = exit === 4 ? 0 : exit;
      const end = (fault?: string): Trial => ({
        kind: name,
        ended: code === 0 ? 'written' : `exit code ${exit}`,
        ...(fault !== undefined && { fault: `${fault}\n${stderr}` }),
      });
      const litter = readdirSync(place, { recursive: true, encoding: 'utf8' }).find((each) => each.endsWith('.part'));
      if (litter !== undefined) return end(`left ${litter} behind`);
      if (code !== 0 && code !== 3) return end('expected exit code 0 or 3');
      if (code === 3 && !/ENOSPC|disk is full/.test(stderr)) return end('expected a message that says why');
      for (const file of files) {
        const path = join(place, file);
        const now = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
        const old = now === (fresh ? undefined : OLD);
        if (code === 0 && (old || now === '')) return end(`${file}: expected what was to be written`);
        if (code === 0 && adds && !now?.startsWith(OLD)) return end(`${file}: expected the old content before the new`);
        if (code === 3 && files.length === 1 && !old)
          return end(`${file}: expected the old file, got ${statSync(path).size} bytes`);
      }
      if (name === 'run folder') return afterRun(place, code, end);
      return end();
    };
    return {
      // One disk: one trial at a time.
      trial: (number, { random }) => {
        const mine = last.then(() => trial(number, random.unit()));
        last = mine.catch(() => {});
        return mine;
      },
      async [Symbol.asyncDispose]() {
        unmount(place);
      },
    };

    /** A run that stopped on a full disk, moved to a larger one, continues to the same bytes. */
    function afterRun(from: string, code: number | null, end: (fault?: string) => Trial): Trial {
      const away = join(home, 'away');
      rmSync(away, { recursive: true, force: true });
      mkdirSync(away);
      cpSync(from, away, { recursive: true, filter: (path) => !path.endsWith('ballast') });
      const runs = join(away, '.robust', 'runs');
      const begun = existsSync(runs) && readdirSync(runs).some((each) => each !== 'latest');
      if (!begun) return end(code === 0 ? 'expected a run' : undefined);
      // The file is another one by its path: the run only knows its hash.
      const resumed = robust(['attack', '--resume'], away);
      if (resumed.code !== 0) return end(`expected it to be continued, got ${resumed.code}: ${resumed.stderr}`);
      return end();
    }
  },
};
