// Writes the files of tests above SLOW seconds of processor time to .ci/times.json, beside which the next run of .ci/run lists its own:
// TEST_TIMES=times npm test && node .ci/times.mjs times
import { readFileSync, writeFileSync } from 'node:fs';

/** Seconds of processor time. */
export const SLOW = 5;
const KEPT = new URL('times.json', import.meta.url);

/** File -> seconds, the longest first. test/setup.ts writes a line a file. */
export const timesIn = (path) =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .map(([file, seconds]) => [file.replace(`${process.cwd()}/`, ''), seconds])
    .filter(([, seconds]) => seconds > SLOW)
    .sort(([, a], [, b]) => b - a);

/** As of the last landing. */
export const keptTimes = () => JSON.parse(readFileSync(KEPT, 'utf8'));

if (process.argv[1] === import.meta.filename) {
  const slow = timesIn(process.argv[2]).map(([file, seconds]) => [file, Number(seconds.toFixed(1))]);
  writeFileSync(KEPT, `${JSON.stringify(Object.fromEntries(slow), undefined, 2)}\n`);
}
