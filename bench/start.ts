/**
 * @file Start-up of the command line: milliseconds from a process's start to its end, or to its first query of a model, by the clock and of
 * processor time, and the ratio of the latter to Node.js doing nothing. `-- FOLDER` adds another clone, built, in the same rounds.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../src/core/package-root.js';

const ROUNDS = 15;
const clock = pathToFileURL(join(import.meta.dirname, 'start-clock.js')).href;
const clones = [packageRoot, ...process.argv.slice(2)];

type Moment = 'query' | 'end';

const attack = ['attack', '-n', '1', '-a', 'deepwordbug'];
const commands: readonly (readonly [name: string, args: readonly string[], until: Moment])[] = [
  ['robust --help', ['--help'], 'end'],
  ['robust attack --help', ['attack', '--help'], 'end'],
  ['robust list', ['list'], 'end'],
  // Ends right before the model would be loaded.
  ['robust attack -m nowhere', ['attack', '-m', 'nowhere'], 'end'],
  ['robust attack -n 1, first query', attack, 'query'],
  ['robust attack -n 1', attack, 'end'],
];
const cases: readonly (readonly [name: string, args: readonly string[], until: Moment])[] = [
  ['node -e 0', ['-e', '0'], 'end'],
  ...commands.flatMap(([name, args, until]) =>
    clones.map(
      (clone) =>
        [clone === packageRoot ? name : `  there: ${name}`, [join(clone, 'bin', 'run.js'), ...args], until] as const,
    ),
  ),
];

const cwd = mkdtempSync(join(tmpdir(), 'robust-start-'));
const wall = cases.map((): number[] => []);
const processor = cases.map((): number[] => []);
// Round by round, so that what else the machine does falls on all alike.
for (let round = 0; round < ROUNDS; round++) {
  for (const [i, [name, args, until]] of cases.entries()) {
    const stdio = ['ignore', 'ignore', 'ignore', 'pipe'] as const;
    const { output } = spawnSync(process.execPath, ['--import', clock, ...args], {
      stdio: [...stdio],
      cwd,
      encoding: 'utf8',
    });
    const told = output[3]?.split('\n').find((line) => line.startsWith(until));
    if (told === undefined) throw new Error(`${name} never came to its ${until}`);
    const [, milliseconds, computed] = told.split(' ').map(Number);
    wall[i]?.push(milliseconds as number);
    processor[i]?.push(computed as number);
  }
}
rmSync(cwd, { recursive: true });
const median = (list: number[] | undefined): number => list?.sort((a, b) => a - b)[ROUNDS >> 1] ?? Number.NaN;
const bare = median(processor[0]);
console.log(`${''.padEnd(42)}${'clock'.padStart(8)}${'processor'.padStart(14)}`);
for (const [i, [name]] of cases.entries()) {
  const own = median(processor[i]);
  console.log(
    `${name.padEnd(42)}${median(wall[i]).toFixed(0).padStart(5)} ms${own.toFixed(0).padStart(11)} ms${(own / bare).toFixed(1).padStart(6)}x`,
  );
}
