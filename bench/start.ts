/** Start-up of the command line: milliseconds of a process from its start to its end, and their ratio to Node.js doing nothing. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../src/plugin.js';

const ROUNDS = 15;
const bin = join(packageRoot, 'bin', 'run.js');

const cases: readonly (readonly [string, readonly string[]])[] = [
  ['node -e 0', ['-e', '0']],
  ['robust --help', [bin, '--help']],
  ['robust attack --help', [bin, 'attack', '--help']],
  ['robust list', [bin, 'list']],
  // Ends right before the model would be loaded.
  ['robust attack -m nowhere', [bin, 'attack', '-m', 'nowhere']],
  ['robust attack -n 1', [bin, 'attack', '-n', '1', '-a', 'deepwordbug']],
];

const cwd = mkdtempSync(join(tmpdir(), 'robust-start-'));
const times = cases.map((): number[] => []);
// Round by round, so that what else the machine does falls on all alike.
for (let round = 0; round < ROUNDS; round++) {
  for (const [i, [, args]] of cases.entries()) {
    const began = performance.now();
    spawnSync(process.execPath, args, { stdio: 'ignore', cwd });
    times[i]?.push(performance.now() - began);
  }
}
rmSync(cwd, { recursive: true });
const medians = times.map((list) => list.sort((a, b) => a - b)[ROUNDS >> 1] as number);
for (const [i, [name]] of cases.entries()) {
  const median = medians[i] as number;
  console.log(
    `${name.padEnd(26)}${median.toFixed(0).padStart(5)} ms${(median / (medians[0] as number)).toFixed(1).padStart(6)}x`,
  );
}
