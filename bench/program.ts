/**
 * @file Measures what a process costs as a victim. One figure is the time of a program (`cmd:`, batches of 32) over that of the same function
 * as a module, for a function that computes for some time on each text. The other is the answers a second of a program that computes nothing.
 *
 *     npm run bench dist/bench/program.js [rounds] [microseconds a text]
 *
 * The workload is an attack's: see searching.ts. Rounds alternate, each with new texts, so that no cache helps. In the last column both figures
 * are by processor time, of both processes, which a busy machine distorts less.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadModel } from '../src/model/load.js';
import { searching } from './searching.js';

const [rounds = '7', micros = '100'] = process.argv.slice(2);
const TEXTS = 6400;
const TRIVIAL_TEXTS = 64_000;

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number;
const range = (values: readonly number[], digits: number): string =>
  `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)})`;

/** Work of about so many microseconds a text: the same steps wherever it runs. */
const work = (steps: number): string => `
const classify = (text) => {
  let state = text.length;
  for (let step = 0; step < ${steps}; step++) state = (Math.imul(state, 1664525) + text.charCodeAt(step % text.length)) | 0;
  const p = (state >>> 0) / 2 ** 32;
  return [1 - p, p];
};`;
const moduleOf = (steps: number) =>
  `${work(steps)}\nexport default { labels: ['a', 'b'], classify: async (texts) => texts.map(classify) };`;
const programOf = (steps: number) => `${work(steps)}
import { createInterface } from 'node:readline';
import { writeFileSync } from 'node:fs';
writeFileSync('pid', String(process.pid));
console.log(JSON.stringify({ robust: 1, labels: ['a', 'b'], scores: 'probabilities' }));
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, texts } = JSON.parse(line);
  process.stdout.write(JSON.stringify({ id, scores: texts.map(classify) }) + '\\n');
});`;

/** Steps that take a microsecond here. */
function stepsOfAMicrosecond(): number {
  let state = 1;
  const began = performance.now();
  for (let step = 0; step < 2e7; step++) state = (Math.imul(state, 1_664_525) + (step % 97)) | 0;
  return 2e7 / ((performance.now() - began + (state & 0)) * 1000);
}

let made = 0;
const texts = (count: number): string[] =>
  Array.from(
    { length: count },
    () => `the film number ${made++} is a warm and funny evening, well played and well written`,
  );

/** Processor seconds of a process; NaN if the system does not report them (man 5 proc). */
function processorSeconds(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return Number.NaN;
  }
}

const folder = mkdtempSync(join(tmpdir(), 'robust-bench-'));

async function measured(model: Awaited<ReturnType<typeof loadModel>>, all: readonly string[], pid?: number) {
  const own = () => (process.cpuUsage().user + process.cpuUsage().system) / 1e6;
  const used = () => own() + (pid === undefined ? 0 : processorSeconds(pid));
  const [began, before] = [performance.now(), used()];
  await searching(model, all);
  return { seconds: (performance.now() - began) / 1000, processor: used() - before };
}

async function program(steps: number) {
  writeFileSync(join(folder, 'program.mjs'), programOf(steps));
  writeFileSync(join(folder, 'program.yaml'), `command: ['${process.execPath}', program.mjs]\nbatch: 32\n`);
  const model = await loadModel(`cmd:${join(folder, 'program.yaml')}`, { cacheEntries: 0 });
  return { model, pid: Number(readFileSync(join(folder, 'pid'), 'utf8')) };
}

const steps = Math.round(Number(micros) * stepsOfAMicrosecond());
writeFileSync(join(folder, 'module.mjs'), moduleOf(steps));
const here = await loadModel(join(folder, 'module.mjs'), { cacheEntries: 0 });
const there = await program(steps);
const ratios: { seconds: number; processor: number }[] = [];
const spent: number[] = [];
for (let round = 0; round <= Number(rounds); round++) {
  const inside = () => measured(here, texts(TEXTS));
  const outside = () => measured(there.model, texts(TEXTS), there.pid);
  const [first, second] = round % 2 ? [await inside(), await outside()] : [await outside(), await inside()];
  const [module, process] = round % 2 ? [first, second] : [second, first];
  // The first round compiles.
  if (round === 0) continue;
  spent.push((module.seconds / TEXTS) * 1e6);
  ratios.push({ seconds: process.seconds / module.seconds, processor: process.processor / module.processor });
}
await there.model.close();
console.log(
  `a function of ${range(spent, 0)} microseconds a text as a program, relative to a module: time ${range(
    ratios.map(({ seconds }) => seconds),
    3,
  )}, processor ${range(
    ratios.map(({ processor }) => processor),
    3,
  )}`,
);

const trivial = await program(1);
const speeds: { seconds: number; processor: number }[] = [];
for (let round = 0; round <= Number(rounds); round++) {
  const { seconds, processor } = await measured(trivial.model, texts(TRIVIAL_TEXTS), trivial.pid);
  if (round > 0) speeds.push({ seconds: TRIVIAL_TEXTS / seconds, processor: TRIVIAL_TEXTS / processor });
}
await trivial.model.close();
console.log(
  `a program that computes nothing: ${range(
    speeds.map(({ seconds }) => seconds),
    0,
  )} answers a second; ${range(
    speeds.map(({ processor }) => processor),
    0,
  )} a second of processor time`,
);
await here.close();
rmSync(folder, { recursive: true });
