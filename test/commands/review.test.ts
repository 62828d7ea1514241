/** `robust review` as a user runs it, and its figures in reports and gates. */
import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { serving, stopServing } from '../remote/server.js';
import { reviewedRun } from './reviewed-run.js';

/** The figures of a review in each format. */
const FORMATS = [
  ['md', /label kept for readers 100.0 % .*valid success rate/],
  ['html', /label kept for readers 100.0 % .*valid success rate/],
  ['xml', /Valid success rate [\d.]+ % \(/],
  ['sarif', /Label kept 100.0 % .*"validSuccessRate":\{"value"/],
  ['prom', /^robust_valid_success_rate_ratio\{model="toy",data="data.tsv",attack="any",suite="typos"\} 0/m],
  ['prom', /^robust_review_conclusive\{.*\} 1$/m],
  ['yaml', /type: valid_success_rate\n +name: Valid success rate \(any attack\)\n(?:.*\n){0,6} +readers: 1/],
] as const;

let scene: Awaited<ReturnType<typeof reviewedRun>>;
const run = (...args: string[]) => scene.run(...args);
const gate = () => run('gate', 'latest', '--require', 'typos.validSuccessRate <= 0.99', '--json');

beforeAll(async () => {
  scene = await reviewedRun();
});

test('without a review, a requirement on its figures is inconclusive: exit code 4', async () => {
  const { code, stdout } = await gate();
  expect(code).toBe(4);
  expect(stdout).toContain('nobody has reviewed the run');
});

test('a sheet goes out, comes back, and its figures are in the report, the gate and every format', async () => {
  const out = await run('review', '--export', 'sheet.csv', '-n', '30', '--as', 'anna');
  expect(out.code, out.stderr).toBe(0);
  expect(out.stdout).toContain('30 adversarial texts');
  expect(out.stdout).toMatch(/^Written {2}sheet\.csv: \d+ texts for anna$/m);
  scene.fill('sheet.csv', 'back.csv');
  const back = await run('review', '--import', 'back.csv', '--as', 'anna', '--json');
  const { result } = JSON.parse(back.stdout);
  expect(result.review).toMatchObject({ labelKept: { value: 1, n: 30 }, verdict: 'conclusive' });
  expect(result.readers).toEqual([
    { name: 'anna', kind: 'person', answered: scene.plan().items.length, total: scene.plan().items.length },
  ]);
  const report = JSON.parse((await run('report', '--json')).stdout).result;
  expect(report.review).toEqual(result.review);
  const [attack] = report.suites;
  expect(attack.validSuccessRate.value).toBeCloseTo(attack.attackSuccessRate.value, 10);
  expect((await gate()).code).not.toBe(4);
  const files = FORMATS.map(([extension]) => `report.${extension}`);
  await run('report', ...[...new Set(files)].flatMap((name) => ['-o', name]));
  for (const [at, [, found]] of FORMATS.entries())
    expect(readFileSync(scene.file(files[at] as string), 'utf8'), files[at]).toMatch(found);
});

test('a faulty sheet is refused and nothing of it is stored', async () => {
  writeFileSync(scene.file('bad.csv'), 'item,answer\nnosuchid,1\n');
  const { code, stderr } = await run('review', '--import', 'bad.csv', '--as', 'ben');
  expect(code).toBe(3);
  expect(stderr).toContain('bad.csv, row 2');
  expect(JSON.parse((await run('review', '--json')).stdout).result.readers).toHaveLength(1);
});

test('the design of a review may grow, but not change', async () => {
  expect((await run('review', '--seed', '7', '--json')).code).toBe(2);
  const { result } = JSON.parse((await run('review', '-n', '40', '--json')).stdout);
  expect(result).toMatchObject({ texts: 40, changed: true });
  expect(result.readers[0].answered).toBeLessThan(result.readers[0].total);
});

test('a language model is a column of its own: no figure of people, no gate and no name of a reader changes by it', async () => {
  const before = JSON.parse((await run('report', '--json')).stdout).result;
  const url = await serving((body) => ({
    choices: [{ message: { content: /\bgo*d\b|brave|calm/.test(JSON.parse(body).messages[1].content) ? 'B' : 'A' } }],
  }));
  const address = `openai-chat+${url}/v1#toy`;
  expect((await run('review', '--judge', address, '--export', 'sheet.csv')).code).toBe(2);
  const { code, stdout, stderr } = await run('review', '--judge', address);
  stopServing();
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/^Judged {3}\d+ answers of judge-toy, openai-chat\+http:\/\/127/m);
  expect(stdout).toMatch(/^Model {4}judge-toy: [\d.]+ % \(.*\) keep their label/m);
  const { review, ...report } = JSON.parse((await run('report', '--json')).stdout).result;
  const { judges, readers, ...figures } = review;
  expect({ ...report, review: figures }).toMatchObject(
    (({ review: { readers: _, ...unjudged }, ...rest }) => ({ ...rest, review: unjudged }))(before),
  );
  expect(readers).toMatchObject([
    { name: 'anna', kind: 'person' },
    { name: 'judge-toy', kind: 'model' },
  ]);
  expect(judges).toMatchObject([{ name: 'judge-toy', address, agreement: { n: review.labelKept.n } }]);
  await run('report', '-o', 'judged.md');
  expect(readFileSync(scene.file('judged.md'), 'utf8')).toContain('agrees with people');
  // The model is gone; what it answered stays, and a call that cannot reach it fails as other commands do.
  expect((await run('review', '--judge', address, '-n', '41')).code).toBe(3);
});

test('a comparison shows the review of each run that has one', async () => {
  const attack = await run('attack', '-m', './other.mjs', '-d', 'data.tsv', '-n', '0', '--suite', 'typos', '--json');
  const { run: other } = JSON.parse(attack.stdout).result;
  const { stdout } = await run('compare', scene.id, other, '-o', 'comparison.md', '--json');
  expect(JSON.parse(stdout).result.reviews).toMatchObject([
    { run: scene.id, readers: 1, verdict: 'conclusive', labelKept: { value: 1 }, validSuccessRate: { n: 30 } },
  ]);
  expect(readFileSync(scene.file('comparison.md'), 'utf8')).toMatch(/## Do readers keep the labels\?[^#]*100\.0 %/);
});
