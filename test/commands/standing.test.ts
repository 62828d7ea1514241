/** `robust card` and `robust leaderboard` as a user runs them. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { wilson } from '../../src/core/statistics/stats.js';
import { cardSchema, type StandingCard } from '../../src/results/card/card.js';
import { chromium, launch, open } from '../reports/chromium.js';
import { everything } from '../reports/everything.js';
import { folder, robust } from './cli.js';

/** A model to whose score every word adds a little of its own, so that the diagnostics have no reason to distrust it. */
const model = (words: RegExp, weight: number, bias: number): string => `export default {
  labels: ['negative', 'positive'],
  classify: async (texts) => texts.map((text) => {
    const code = (word) => [...word].reduce((sum, letter) => (31 * sum + letter.codePointAt(0)) % 9973, 7);
    const others = text.split(' ').reduce((sum, word) => sum + 0.4 * Math.sin(code(word)), 0);
    const logit = ${bias} + ${weight} * (text.match(${words}g) ?? []).length + others;
    return [1 / (1 + Math.exp(logit)), 1 / (1 + Math.exp(-logit))];
  }),
};\n`;
// The first model needs little more than the word "good", so all texts can be flipped. The second one needs a word that no attack inserts.
const TOY = model(/\bgood\b/, 1, 0.8);
const OTHER = model(/dull|slow|flat|grey/, -6, 4);
const toy = './toy.mjs';
const ADJECTIVES = ['brave', 'calm', 'dark', 'early', 'fine', 'gentle', 'happy', 'idle'];
const texts = [
  ...ADJECTIVES.flatMap((word) =>
    ['film', 'story', 'movie', 'song'].map((noun) => `a good ${word} ${noun} about an old town\tpositive`),
  ),
  ...['dull', 'slow', 'flat', 'grey'].map((word) => `a ${word} story about an old town\tnegative`),
];
const DATA = `text\tlabel\n${texts.join('\n')}\n`;
const PLAIN = { NO_COLOR: '1', COLUMNS: '80' };

const cwd = folder({ 'data.tsv': DATA, 'toy.mjs': TOY, 'other.mjs': OTHER });
const run = (...args: string[]) => robust(args, { cwd, env: PLAIN });
const attack = (model: string, ...more: string[]) =>
  run('attack', '-m', model, '-d', 'data.tsv', '--suite', 'standard', '--force', ...more);
const fileOf = (name: string): string => join(cwd, name);
const readJson = (name: string) => JSON.parse(readFileSync(fileOf(name), 'utf8'));
const write = (name: string, document: unknown): void =>
  writeFileSync(fileOf(name), typeof document === 'string' ? document : JSON.stringify(document));

beforeAll(async () => {
  mkdirSync(fileOf('cards'));
  for (const [name, model] of [
    ['toy', toy],
    ['other', './other.mjs'],
  ] as const) {
    const { stderr } = await attack(model, '-n', '0', '-o', `${name}-report.json`);
    expect(stderr).not.toContain('Error');
    await run('card', '-o', `cards/${name}.json`);
  }
});

const card = (name = 'toy'): StandingCard => readJson(`cards/${name}.json`).result;

describe('robust card', () => {
  test('a reviewed run: the valid success rate of the suite is on the card; without a review the card says nothing', async () => {
    const { result, ...document } = readJson('toy-report.json');
    const { review } = everything;
    const rates = { validSuccessRate: wilson(9, 30), accuracyUnderValidAttacks: wilson(20, 36) };
    const suites = result.suites.map((suite: object) => ({ ...suite, ...rates }));
    write('reviewed.json', { ...document, result: { ...result, review, suites } });
    const { code, stdout, stderr } = await run('card', 'reviewed.json', '-o', 'reviewed-card.json');
    // What the diagnostics found is as stated by the file.
    expect(code, stderr).toBe(4);
    expect(stdout).toMatch(/label kept for readers 86\.7 %.*valid success\s+rate 30\.0 %/s);
    const { result: made } = readJson('reviewed-card.json');
    cardSchema.parse(made);
    expect(made.review).toMatchObject({ ...rates, readers: 1, labelKept: review.labelKept, verdict: 'inconclusive' });
    expect(card().review).toBeUndefined();
  });

  test('the figures are those of the suite in the report, and the JSON document is valid', async () => {
    const { code, stdout } = await run('card', card().run, '--json');
    expect(code).toBe(0);
    const { result } = JSON.parse(stdout);
    const { result: report } = readJson('toy-report.json');
    cardSchema.parse(result);
    expect(result).toEqual(card());
    expect(result.worstCaseAccuracy).toEqual(report.suites[0].accuracyUnderAttack);
    expect(result.threatModels.map(({ name }: { name: string }) => name)).toEqual([
      'characters',
      'words',
      'layout',
      'context',
    ]);
    expect(result.threatModels[0].worstCaseAccuracy).toEqual(report.attacks[0].accuracyUnderAttack);
    expect(result.threatModels[0].curves).toEqual(report.attacks[0].curves);
    expect(result.curves).toEqual(report.suites[0].curves);
    expect(result.curves.edits.points.at(-1).accuracy).toEqual(result.worstCaseAccuracy);
    expect(result).toMatchObject({ standard: 'standard@2', seed: 42, verdict: 'none', data: { examples: 36 } });
  });

  test('the latest run: screen in 80 columns, page and Markdown', async () => {
    const { code, stdout } = await run('card', '-o', 'card.html', '-o', 'card.md');
    expect(code).toBe(0);
    expect(stdout).toMatch(/worst case \d+\.\d %/);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect(readFileSync(fileOf('card.md'), 'utf8')).toContain('## Threat models');
    expect(readFileSync(fileOf('card.html'), 'utf8')).toMatch(/all threat models, by edits.*characters, by edits/s);
  });

  test('a run without the suite is a usage error', async () => {
    await run('attack', '-m', toy, '-d', 'data.tsv', '-a', 'deepwordbug', '-n', '4', '--force', '-o', 'plain.json');
    const { code, stderr } = await run('card', 'plain.json');
    expect(code).toBe(2);
    expect(stderr).toMatch(/expected a run of the suite standard, got run \S+ without it/);
  });

  test('a missing member or a small sample is inconclusive and named', async () => {
    const report = readJson('toy-report.json');
    const { attacks, examples } = report.result;
    const kept = <T>(all: T[], of: (one: T) => string): T[] => all.filter((one) => of(one) !== 'standard-words');
    report.result.attacks = kept(attacks, ({ name }: { name: string }) => name);
    report.result.examples = kept(examples, ({ attack: name }: { attack: string }) => name);
    delete report.result.suites; // which contain the member
    write('cut.json', report);
    const { code, stdout } = await run('card', 'cut.json', '-o', 'cut.html', '-o', 'cards/inconclusive.json');
    expect(code).toBe(4);
    expect(stdout).toMatch(/^Inconclusive: /);
    expect(stdout.replace(/\s+/g, ' ')).toContain('standard-words is missing: the run does not contain it');
    expect(readFileSync(fileOf('cut.html'), 'utf8')).toContain('badge inconclusive');
    expect(readFileSync(fileOf('cut.html'), 'utf8')).not.toContain('badge passed');

    await attack(toy, '-n', '6', '-o', 'few.json');
    const few = await run('card', 'few.json', '--json');
    expect(few.code).toBe(4);
    expect(JSON.parse(few.stdout).result.reasons.join()).toMatch(/expected at least 30 attacked examples, got [0-6]/);
  });

  test.each([
    ['unknown', { verdict: 'unknown', reason: 'shard 2 of 4 is missing', queries: 0, checks: [] }, 'shard 2 of 4'],
    ['not checked', undefined, 'the run made no checks'],
  ])('figures whose trust is %s are inconclusive, and not ranked', async (_, trustworthy, reason) => {
    const report = readJson('toy-report.json');
    report.result.trustworthy = trustworthy;
    mkdirSync(fileOf('untrusted'), { recursive: true });
    write('untrusted/report.json', report);
    const { code, stdout } = await run('card', 'untrusted/report.json', '--json');
    expect(code).toBe(4);
    expect(JSON.parse(stdout).result.reasons.join()).toContain(`trustworthy: unknown: ${reason}`);
    expect((await run('leaderboard', 'untrusted')).code).toBe(4);
  });

  test('a proof is of the same model and data', async () => {
    const verify = (...args: string[]) =>
      run('verify', '-d', 'data.tsv', '-n', '3', '--force', '--space', 'layout', ...args);
    await verify('-m', toy, '-o', 'proof.json');
    const { code, stdout } = await run('card', card().run, '--verification', 'proof.json');
    expect(code).toBe(0);
    expect(stdout.replace(/\s+/g, ' ')).toMatch(/proved \d+\.\d % \(\d+-\d+\) <= robust accuracy/);
    await verify('-m', './other.mjs', '-o', 'other-proof.json');
    const other = await run('card', 'toy-report.json', '--verification', 'other-proof.json');
    expect(other).toMatchObject({ code: 2 });
    expect(other.stderr).toContain('--verification: expected the model of run');
    const none = await run('card', 'toy-report.json', '--verification', 'toy-report.json');
    expect(none).toMatchObject({ code: 2 });
    expect(none.stderr).toContain('expected a run of robust verify');
  });
});

describe('robust leaderboard', () => {
  test('models on the same examples share a table, sorted, with those that do not differ', async () => {
    const { code, stdout } = await run('leaderboard', 'cards', '--json');
    expect(code).toBe(0);
    const { tables, notRanked, skipped } = JSON.parse(stdout).result;
    expect(skipped).toEqual([]);
    expect(notRanked.every(({ file }: { file: string }) => file.endsWith('inconclusive.json'))).toBe(true);
    expect(tables).toHaveLength(1);
    const values = tables[0].rows.map((row: { card: StandingCard }) => row.card.worstCaseAccuracy.value);
    expect(values).toEqual([...values].sort((a: number, b: number) => b - a));
    expect(tables[0].rows.map(({ card: { model } }: { card: StandingCard }) => model.name)).toEqual(['other', 'toy']);
    expect(tables[0].rows.map(({ rank }: { rank: number }) => rank)).toEqual([1, 2]);
    expect(tables[0].rows.map((row: { notDistinguishableFrom: number[] }) => row.notDistinguishableFrom)).toEqual([
      [],
      [],
    ]);
  });

  test('runs and their cards are one entry; runs of other suites are passed over', async () => {
    const { code, stdout } = await run('leaderboard', '.robust/runs', '--json');
    const { tables, notRanked } = JSON.parse(stdout).result;
    expect(code).toBe(0);
    expect(tables.map(({ rows }: { rows: unknown[] }) => rows.length)).toEqual([2]);
    expect(notRanked.length).toBeLessThan(readdirSync(fileOf('.robust/runs')).length - 2);
  });

  test('a card has its trust from its checks, and says that a file states them; a run beside it is shown instead', async () => {
    const document = readJson('cards/toy.json');
    const { trustworthy } = document.result;
    const forge = (name: string, changes: object) =>
      write(`trust/${name}.json`, {
        ...document,
        result: { ...document.result, trustworthy: { ...trustworthy, ...changes } },
      });
    mkdirSync(fileOf('trust'), { recursive: true });
    forge('none', { checks: [] });
    forge('invented', {
      checks: Array.from({ length: 9 }, (_, at) => ({ ...trustworthy.checks[0], name: `check-${at}` })),
    });
    forge('failed', { checks: [...trustworthy.checks, { name: 'ties', status: 'failed', evidence: '9 of 9' }] });
    write('trust/good.json', document);
    const board = async (of: string) => JSON.parse((await run('leaderboard', of, '--json')).stdout).result;
    const { tables, notRanked } = await board('trust');
    expect(notRanked.map(({ file }: { file: string }) => file)).toEqual(
      ['failed', 'invented', 'none'].map((name) => `trust/${name}.json`),
    );
    expect(tables[0].rows.map(({ file, stated }: { file: string; stated: string }) => [file, stated])).toEqual([
      ['trust/good.json', 'file'],
    ]);
    expect((await run('leaderboard', 'trust', '-o', 'trust/board.md')).code).toBe(0);
    expect(readFileSync(fileOf('trust/board.md'), 'utf8')).toContain('yes, as stated');
    const runs = (await board('.robust/runs')).tables[0].rows;
    expect(runs.map(({ stated }: { stated?: string }) => stated)).toEqual([undefined, undefined]);
    write('.robust/card.json', document);
    expect((await board('.robust')).tables[0].rows.map(({ stated }: { stated?: string }) => stated)).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('another seed is another table; damaged, forged and hostile files are named, skipped or escaped: exit 3', async () => {
    mkdirSync(fileOf('odd'), { recursive: true });
    const document = readJson('cards/toy.json');
    const hostile = {
      ...document.result,
      run: 'x',
      model: { ...document.result.model, name: '<script>alert(1)</script>' },
    };
    write('odd/good.json', document);
    // The same run once more is no second model.
    write('odd/again.json', { ...document, result: { ...document.result, run: 'again' } });
    write('odd/seed.json', { ...document, result: { ...document.result, seed: 7, run: 'y' } });
    write('odd/hostile.json', { ...document, result: hostile });
    write('odd/cut.json', JSON.stringify(document).slice(0, 200));
    write('odd/deep.json', '['.repeat(100_000));
    const better = { ...document.result.worstCaseAccuracy, value: 0.99 };
    write('odd/forged.json', { ...document, result: { ...document.result, worstCaseAccuracy: better } });
    write('odd/shape.json', { ...document, result: { ...document.result, outcomes: 12 } });
    write('odd/package.json', { name: 'not a card' });
    const { code, stdout } = await run('leaderboard', 'odd', '-o', 'odd.html', '-o', 'odd.md', '-o', 'odd/board.json');
    expect(code).toBe(3);
    const screen = stdout.replace(/\s+/g, ' ');
    for (const name of ['cut', 'deep', 'forged', 'shape']) expect(screen).toContain(`skipped odd/${name}.json`);
    expect(screen).not.toMatch(/skipped odd\/(good|seed|hostile|package)/);
    for (const line of stdout.split('\n').filter((each) => !each.includes('sha256')))
      expect(line.length).toBeLessThanOrEqual(80);
    const { result } = readJson('odd/board.json');
    expect(result.tables.map(({ rows }: { rows: unknown[] }) => rows.length)).toEqual([2, 1]);
    const page = readFileSync(fileOf('odd.html'), 'utf8');
    expect(page).toContain('&lt;script&gt;alert(1)');
    expect(page).not.toContain('<script>alert');
    // Its own output is no card, and no fault.
    const again = await run('leaderboard', 'odd', '--json');
    expect(JSON.parse(again.stdout).result.skipped).toHaveLength(4);
  });

  test('nothing to rank', async () => {
    mkdirSync(fileOf('empty'));
    expect(await run('leaderboard', 'empty')).toMatchObject({ code: 2 });
    expect(await run('leaderboard', 'nowhere')).toMatchObject({ code: 2 });
    mkdirSync(fileOf('weak'));
    write('weak/card.json', readJson('cards/inconclusive.json'));
    expect(await run('leaderboard', 'weak')).toMatchObject({ code: 4 });
  });

  describe.skipIf(chromium === undefined)('the page in a browser', () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launch();
    });
    afterAll(async () => browser?.close());

    test('a click on a title sorts, a second one reverses the order', async () => {
      await run('leaderboard', 'cards', '-o', 'board.html');
      const { page, complaints } = await open(browser, readFileSync(fileOf('board.html'), 'utf8'));
      const ranks = () =>
        page.$$eval('table[data-sortable] tbody th', (cells) => cells.map((cell) => cell.textContent?.slice(0, 2)));
      const press = () =>
        page.$eval('table[data-sortable] th button', (button) => (button as unknown as { click(): void }).click());
      expect(await ranks()).toEqual(['1.', '2.']);
      await press();
      expect(await ranks()).toEqual(['2.', '1.']);
      await press();
      expect(await ranks()).toEqual(['1.', '2.']);
      expect(complaints).toEqual([]);
    });
  });
});
