/**
 * @file What --runtime isolate=true costs: wall time of a whole command with the model in processes of its own, over the same with it in threads.
 *
 *     npm run bench dist/bench/isolation.js [rounds]
 *
 * Runs alternate; the median of the ratios is printed, and that both wrote the same journal.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../src/core/package-root.js';

const rounds = Number(process.argv[2] ?? 5);
const folder = mkdtempSync(join(tmpdir(), 'robust-isolation-'));
const bin = join(packageRoot, 'bin', 'run.js');

/** Seconds of the command, and its journal. */
function run(flags: readonly string[]): { seconds: number; journal: string } {
  const began = performance.now();
  const args = [bin, 'attack', '-m', 'distilbert', '--suite', 'typos', '--json', '--quiet', ...flags];
  const out = execFileSync(process.execPath, args, {
    cwd: folder,
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const seconds = (performance.now() - began) / 1000;
  const id = (JSON.parse(out.toString('utf8')) as { result: { run: string } }).result.run;
  return { seconds, journal: readFileSync(join(folder, '.robust', 'runs', id, 'results.jsonl'), 'utf8') };
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;

const ratios: number[] = [];
let same = true;
try {
  for (let round = 0; round < rounds; round++) {
    const [isolated, threads] =
      round % 2
        ? [run(['--runtime', 'isolate=true']), run([])]
        : [run([]), run(['--runtime', 'isolate=true'])].reverse();
    if (isolated === undefined || threads === undefined) continue;
    same &&= isolated.journal === threads.journal;
    ratios.push(isolated.seconds / threads.seconds);
    console.log(`${isolated.seconds.toFixed(1)} s isolated, ${threads.seconds.toFixed(1)} s in threads`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(
  `isolated / threads: ${median(ratios).toFixed(3)} (median of ${rounds}); journals ${same ? 'equal' : 'DIFFER'}`,
);
