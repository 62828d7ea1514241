// Prints what became of all tests, and fails where one was skipped that could have run: node .ci/count.mjs RESULTS.json TIMES.
// Lists the files whose own process computed for longer than SLOW, which test/setup.ts wrote to TIMES.
import { existsSync, readFileSync } from 'node:fs';

/** What a machine may lack: a browser, rights to mount a disk, a locale, a native package, transformers.js, a Redis, the shell fish, another user than root. */
const MAY =
  /Chromium|@huggingface|needs the right|needs \/proc|locale|needs en_US|needs fish|native|redis-server|may not be written/i;

/** Seconds of processor time. */
const SLOW = 5;

const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const skipped = testResults.flatMap(({ name, assertionResults }) =>
  assertionResults
    .filter(({ status }) => status !== 'passed' && status !== 'failed')
    .map(({ fullName }) => `${name.replace(`${process.cwd()}/`, '')}: ${fullName}`),
);
const wrong = existsSync('../shared/data') ? skipped.filter((name) => !MAY.test(name)) : [];
for (const name of wrong) console.log(`skipped without a reason: ${name}`);
const times = readFileSync(process.argv[3], 'utf8')
  .trim()
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line));
const slow = times.filter(([, seconds]) => seconds > SLOW).sort(([, a], [, b]) => b - a);
if (slow.length > 0) console.log(`Above ${SLOW} s of processor time:`);
for (const [file, seconds] of slow)
  console.log(`${seconds.toFixed(1).padStart(6)} ${file.replace(`${process.cwd()}/`, '')}`);
console.log(`${numPassedTests} passed, ${numFailedTests} failed, ${skipped.length} skipped`);
process.exitCode = wrong.length > 0 ? 1 : 0;
