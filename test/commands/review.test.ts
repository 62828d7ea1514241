/** `robust review` as a user runs it, and its figures in reports and gates. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { folder, robust } from './cli.js';

/** A model that needs the word "good". Its scores move with every character. */
const TOY = `export default {
  labels: ['negative', 'positive'],
  classify: async (texts) => texts.map((text) => {
    const letters = [...text].reduce((sum, letter) => sum + Math.sin(letter.codePointAt(0)), 0) / 40;
    const logit = 2 * (text.match(/\\bgood\\b/g) ?? []).length - 1 + letters;
    return [1 / (1 + Math.exp(logit)), 1 / (1 + Math.exp(-logit))];
  }),
};\n`;

const ADJECTIVES = ['brave', 'calm', 'dark', 'early', 'fine', 'gentle', 'happy', 'idle'];
const NOUNS = ['film', 'story', 'movie', 'song', 'novel'];
const texts = ADJECTIVES.flatMap((word) => NOUNS.map((noun) => `a good ${word} ${noun} about an old town\tpositive`));
const others = ADJECTIVES.flatMap((word) => NOUNS.map((noun) => `a dull ${word} ${noun} about an old town\tnegative`));
const cwd = folder({ 'toy.mjs': TOY, 'data.tsv': `text\tlabel\n${[...texts, ...others].join('\n')}\n` });
const run = (...args: string[]) => robust(args, { cwd, env: { NO_COLOR: '1', COLUMNS: '80' } });
const file = (name: string): string => join(cwd, name);
const runs = join(cwd, '.robust', 'runs');
const plan = () => {
  const [id = ''] = readdirSync(runs).filter((name) => name.startsWith('2'));
  return JSON.parse(readFileSync(join(runs, id, 'review', 'plan.json'), 'utf8'));
};
const gate = () => run('gate', 'latest', '--require', 'typos.validSuccessRate <= 0.99', '--json');

/** Fills a sheet in as the data set would. */
function fill(sheet: string, back: string): void {
  const truth = new Map<string, number>(
    plan().items.map((item: { id: string; truth: number }) => [item.id, item.truth]),
  );
  const [head, ...rows] = readFileSync(file(sheet), 'utf8').trim().split('\r\n');
  const answered = rows.map((row) => row.replace(/,,$/, `,${(truth.get(row.split(',')[1] ?? '') as number) + 1},`));
  writeFileSync(file(back), [head, ...answered].join('\r\n'));
}

beforeAll(async () => {
  const { code, stdout } = await run(
    'attack',
    '-m',
    './toy.mjs',
    '-d',
    'data.tsv',
    '-n',
    '0',
    '--suite',
    'typos',
    '--no-progress',
  );
  expect(code, stdout).toBe(0);
}, 120_000);

test('without a review, a requirement on its figures is inconclusive: exit code 4', async () => {
  const { code, stdout } = await gate();
  expect(code).toBe(4);
  expect(stdout).toContain('nobody has reviewed the run');
});

test('refuses to read without a terminal, and leaves nothing behind', async () => {
  const { code, stderr } = await run('review', '--terminal');
  expect(code).toBe(2);
  expect(stderr).toContain('--export sheet.csv');
  expect(readdirSync(join(runs, readdirSync(runs)[0] as string))).not.toContain('review');
});

test('a sheet goes out, comes back, and its figures are in the report, the gate and every format', async () => {
  const out = await run('review', '--export', 'sheet.csv', '-n', '30', '--as', 'anna');
  expect(out.code, out.stderr).toBe(0);
  expect(out.stdout).toContain('30 adversarial texts');
  expect(out.stdout).toMatch(/^Written {2}sheet\.csv: \d+ texts for anna$/m);
  fill('sheet.csv', 'back.csv');
  const back = await run('review', '--import', 'back.csv', '--as', 'anna', '--json');
  const { result } = JSON.parse(back.stdout);
  expect(result.review).toMatchObject({ labelKept: { value: 1, n: 30 }, verdict: 'conclusive' });
  expect(result.readers).toEqual([
    { name: 'anna', kind: 'person', answered: plan().items.length, total: plan().items.length },
  ]);
  const report = JSON.parse((await run('report', '--json')).stdout).result;
  expect(report.review).toEqual(result.review);
  const [attack] = report.suites;
  expect(attack.validSuccessRate.value).toBeCloseTo(attack.attackSuccessRate.value, 10);
  expect((await gate()).code).not.toBe(4);
  await run('report', '-o', 'report.md', '-o', 'report.html');
  expect(readFileSync(file('report.md'), 'utf8')).toContain('Valid success rate');
});

test('a faulty sheet is refused and nothing of it is stored', async () => {
  writeFileSync(file('bad.csv'), 'item,answer\nnosuchid,1\n');
  const { code, stderr } = await run('review', '--import', 'bad.csv', '--as', 'ben');
  expect(code).toBe(2);
  expect(stderr).toContain('bad.csv, row 2');
  expect(JSON.parse((await run('review', '--json')).stdout).result.readers).toHaveLength(1);
});

test('the design of a review may grow, but not change', async () => {
  expect((await run('review', '--seed', '7', '--json')).code).toBe(2);
  const { result } = JSON.parse((await run('review', '-n', '40', '--json')).stdout);
  expect(result).toMatchObject({ texts: 40, changed: true });
  expect(result.readers[0].answered).toBeLessThan(result.readers[0].total);
});
