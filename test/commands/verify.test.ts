/** `robust verify` as a user runs it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verifySettings } from '../../src/config/settings/index.js';
import { SPACE_NAMES } from '../../src/verify/spaces.js';
import { folder, robust, robustProcess, toy } from './cli.js';

// The toy answers positive if and only if the text holds the word "good".
const EXAMPLES = [
  ['a good film', 'positive', 'broken'],
  ['good , good', 'positive', 'proved'],
  ['dull film', 'negative', 'proved'],
  ['god awful', 'negative', 'broken'],
  ['fine film', 'positive', 'wrong'],
] as const;
const FILES = { 'data.tsv': `text\tlabel\n${EXAMPLES.map(([text, label]) => `${text}\t${label}\n`).join('')}` };
const ARGS = ['verify', '-m', toy, '-d', 'data.tsv', '--force'];
const PLAIN = { env: { NO_COLOR: '1', COLUMNS: '80' } };

const resultsOf = (cwd: string): string => {
  const runs = join(cwd, '.robust', 'runs');
  const [run] = readdirSync(runs).filter((name) => existsSync(join(runs, name, 'results.jsonl')));
  return readFileSync(join(runs, run as string, 'results.jsonl'), 'utf8');
};

test('each example is proved, broken or wrong, and wrong ones count against the robust accuracy', async () => {
  const cwd = folder(FILES);
  const { code, stdout } = await robust([...ARGS, '-a', 'charmer:max-edits=1', '--json'], { cwd });
  const { result } = JSON.parse(stdout);
  expect(result.examples.map(({ verdict }: { verdict: string }) => verdict)).toEqual(
    EXAMPLES.map(([, , verdict]) => verdict),
  );
  expect(result.verify).toMatchObject({
    proved: { value: 0.4, n: 5 },
    notBroken: { value: 0.4, n: 5 },
    broken: { value: 0.4, n: 5 },
    unfinished: { value: 0, n: 5 },
  });
  const [broken] = result.examples;
  expect(broken.adversarial).not.toMatch(/\bgood\b/);
  const [charmer] = result.attacks;
  expect(charmer).toMatchObject({ name: 'charmer:max-edits=1', outside: 0 });
  expect(charmer.found + charmer.missed).toBe(2);
  expect(code).toBe(0);
});

test('the screen says between which shares the robust accuracy lies, in 80 columns', async () => {
  const { code, stdout, stderr } = await robust([...ARGS, '-o', 'page.html'], {
    ...PLAIN,
    cwd: folder(FILES),
  });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stdout).toMatch(/proved 40\.0 % \(\d+-\d+\) <= robust accuracy <= 40\.0 % \(\d+-\d+\)/);
  const [shown] = stdout.split('\nRun ');
  for (const line of (shown as string).split('\n')) expect(line.length).toBeLessThanOrEqual(80);
});

test('a budget that ends every check is inconclusive', async () => {
  const { code, stdout } = await robust([...ARGS, '--query-budget', '2', '--space', 'layout', '--json'], {
    cwd: folder(FILES),
  });
  const { result } = JSON.parse(stdout);
  expect(result.verify).toMatchObject({ proved: { value: 0 }, notBroken: { value: 0.8 }, unfinished: { value: 0.8 } });
  expect(result.reasons).toContain('the query budget ended every check: raise --query-budget');
  expect(code).toBe(4);
});

test('examples whose space holds no text are counted beside the proved share', async () => {
  const cwd = folder({ 'data.tsv': 'text\tlabel\na good movie\tpositive\nRiga 1972\tnegative\n' });
  const { stdout } = await robust([...ARGS, '--space', 'synonyms'], { ...PLAIN, cwd });
  expect(stdout).toContain('1 of the proved examples have no text in the space');
});

test('an inconclusive check says so first', async () => {
  const cwd = folder({ 'data.tsv': 'text\tlabel\ngood\tpositive\ngood film\tnegative\n' });
  const { code, stdout } = await robust(['verify', '-m', toy, '-d', 'data.tsv'], { ...PLAIN, cwd });
  expect([code, stdout.split('\n')[0]]).toEqual([4, expect.stringMatching(/^Inconclusive: proved /)]);
});

test('two edits reach what one does not', async () => {
  const cwd = folder({ 'data.tsv': 'text\tlabel\ngood good\tpositive\nbad\tnegative\n' });
  const { stdout } = await robust([...ARGS, '--edits', '2', '--space', 'alphabet=x', '--json'], { cwd });
  const { result } = JSON.parse(stdout);
  expect(result.examples).toMatchObject([
    { verdict: 'broken', adversarial: expect.not.stringMatching(/\bgood\b/) },
    { verdict: 'proved' },
  ]);
});

test('a check that was interrupted and resumed ends in the bytes of one that was not', async () => {
  const [whole, cut] = [folder(FILES), folder(FILES)];
  await robust([...ARGS], { cwd: whole });
  const stop = await robustProcess(ARGS, {
    cwd: cut,
    env: { TOY_DELAY: '20', TOY_TELLS: '1' },
    at: [['toy: 4 calls', (child) => child.kill('SIGINT')]],
  });
  expect(stop.code).toBe(130);
  const [, run] = /robust verify --resume (\S+)/.exec(stop.stderr) ?? [];
  const other = await robust(['verify', '--resume', run as string, '--edits', '2'], { cwd: cut });
  expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('expected the space of the run') });
  const resumed = await robust(['verify', '--resume', run as string, '--json'], { cwd: cut });
  expect(JSON.parse(resumed.stdout).result.verify.proved.value).toBe(0.4);
  expect(resultsOf(cut)).toBe(resultsOf(whole));
});

test('shards merge into the bytes of an undivided check', async () => {
  const [whole, parts] = [folder(FILES), folder(FILES)];
  await robust(ARGS, { cwd: whole });
  for (const shard of ['1/2', '2/2']) await robust([...ARGS, '--shard', shard], { cwd: parts });
  const runs = readdirSync(join(parts, '.robust', 'runs')).filter((name) => name !== 'latest');
  const paths = runs.map((run) => join('.robust', 'runs', run));
  const { code, stdout } = await robust(['report', '--merge', ...paths, '-o', 'merged.json', '--json'], { cwd: parts });
  expect(code).toBe(0);
  const { run } = JSON.parse(stdout).result;
  expect(readFileSync(join(parts, '.robust', 'runs', run, 'results.jsonl'), 'utf8')).toBe(resultsOf(whole));
});

test('a run of other attacks is refused, and the gate judges the proved share', async () => {
  const cwd = folder(FILES);
  await robust(['attack', '-m', toy, '-d', 'data.tsv', '-a', 'pruthi', '--force'], { cwd });
  const { code, stderr } = await robust(['verify', '--resume'], { cwd });
  expect(code).toBe(2);
  expect(stderr).toMatch(/expected a run of robust verify, got run/);
  const gate = ['gate', '-m', toy, '-d', 'data.tsv', '-a', 'verify', '--force', '--min-examples', '1'];
  // 2 of 5 are proved (12-77).
  for (const [limit, code] of [
    ['verify.proved >= 0.8', 1],
    ['verify.proved >= 0.5', 4],
    ['verify.proved >= 0.1', 0],
  ] as const) {
    const judged = await robust([...gate, '--require', limit], { cwd });
    expect(judged.stdout).toMatch(/verify\.proved/);
    expect({ limit, code: judged.code }).toEqual({ limit, code });
  }
});

test('the flag --space names the spaces that exist', () => {
  const { error } = verifySettings.spaces.schema.safeParse(SPACE_NAMES);
  expect(error).toBeUndefined();
  expect(verifySettings.spaces.schema.safeParse(['letters']).success).toBe(false);
});
