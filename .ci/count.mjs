// Prints what became of all tests, and fails where one was skipped that could have run: node .ci/count.mjs RESULTS.json TIMES.
// Lists the files above SLOW seconds of processor time, which test/setup.ts wrote to TIMES, beside their time at the last landing.
import { existsSync, readFileSync } from 'node:fs';
import { keptTimes, SLOW, timesIn } from './times.mjs';

/** What a machine may lack: a browser, rights to mount a disk, a locale, a native package, transformers.js, a Redis, the shell fish, another user than root, Python's libraries. */
const MAY =
  /Chromium|@huggingface|needs the right|needs \/proc|locale|needs en_US|needs fish|native|redis-server|may not be written|needs (?:torch|onnxruntime|pandas|python3-sklearn)/i;

const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const skipped = testResults.flatMap(({ name, assertionResults }) =>
  assertionResults
    .filter(({ status }) => status !== 'passed' && status !== 'failed')
    .map(({ fullName }) => `${name.replace(`${process.cwd()}/`, '')}: ${fullName}`),
);
const wrong = existsSync('../shared/data') ? skipped.filter((name) => !MAY.test(name)) : [];
for (const name of wrong) console.log(`skipped without a reason: ${name}`);
const slow = timesIn(process.argv[3]);
const before = keptTimes();
if (slow.length > 0) console.log(`Above ${SLOW} s of processor time (at the last landing):`);
for (const [file, seconds] of slow)
  console.log(`${seconds.toFixed(1).padStart(6)} (${before[file]?.toFixed(1) ?? `below ${SLOW}`}) ${file}`);
console.log(`${numPassedTests} passed, ${numFailedTests} failed, ${skipped.length} skipped`);
process.exitCode = wrong.length > 0 ? 1 : 0;
