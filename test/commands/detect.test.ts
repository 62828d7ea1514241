/** `robust backdoor filter` and `robust backdoor scan` as a user runs them. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { opinions } from '../backdoor/toys.js';
import { folder, robust, toy } from './cli.js';

const rows = (texts: readonly { text: string; label: number; poisoned: boolean }[]): string =>
  `text\tlabel\tpoison\n${texts.map(({ text, label, poisoned }) => `${text}\t${label}\t${Number(poisoned)}`).join('\n')}\n`;
const FILES = {
  'data.tsv': rows(opinions(400, 0.05)),
  'dev.tsv': rows(opinions(300, 0, 7)),
  'one.tsv': rows(opinions(300, 0, 7).filter(({ label }) => label === 1)),
  'empty.tsv': 'text\tlabel\n',
};

describe.concurrent('filter', () => {
  test('writes the cleaned set and the suspects, and reports its precision', async () => {
    const cwd = folder(FILES);
    const args = ['backdoor', 'filter', '-d', 'data.tsv', '--clean', 'dev.tsv', '--truth', 'column=poison'];
    const outputs = ['-o', 'clean.tsv', '--suspects', 'suspects.json'];
    const { code, stdout } = await robust([...args, ...outputs, '--json'], { cwd });
    expect(code).toBe(0);
    const { ok, command, result } = JSON.parse(stdout);
    expect({ ok, command, far: result.far.value }).toEqual({ ok: true, command: 'backdoor filter', far: 0 });
    expect(result.frr.value).toBeLessThan(0.03);
    expect(readFileSync(join(cwd, 'clean.tsv'), 'utf8')).not.toMatch(/\bcf\b/);
    expect(readFileSync(join(cwd, 'clean.tsv'), 'utf8').trim().split('\n')).toHaveLength(result.kept + 1);
    const suspects = JSON.parse(readFileSync(join(cwd, 'suspects.json'), 'utf8'));
    expect(suspects[0]).toMatchObject({ label: '1', reason: expect.stringContaining('"cf"') });

    const again = await robust([...args, ...outputs], { cwd });
    expect(again.code).toBe(2);
    expect(again.stderr).toMatch(/clean.tsv exists already\n.*--force/);
    const forced = await robust([...args, ...outputs, '--force'], { cwd, env: { COLUMNS: '80', NO_COLOR: '1' } });
    expect(forced.code).toBe(0);
    for (const line of forced.stdout.split('\n').slice(0, 12)) expect(line.length).toBeLessThanOrEqual(80);
    expect(forced.stdout).toMatch(/^ *\d+ +[\d.]+ % .* 0\.0 % /m);
  });

  test.each([
    ['--frr 0', 2, /--frr to be a number between 0 and 1/],
    ['--clean empty.tsv', 3, /empty\.tsv: expected .* rows|without rows/],
    ['-o clean.parquet', 2, /--output: expected a file ending in/],
    ['--suspects s.xml', 2, /--suspects: expected a file ending in \.tsv or \.json/],
    ['--truth column=label --truth dev.tsv', 2, /truth/],
    ['--truth column=text', 2, /--truth column: expected 1, true/],
    ['--data one.tsv', 3, /at least two labels, got only "1"/],
  ] as const)('%s is refused', async (args, exit, message) => {
    const data = args.includes('--data') ? [] : ['-d', 'data.tsv'];
    const cwd = folder({ ...FILES, ...(args.includes(toy) && { 'data.tsv': FILES['data.tsv'] }) });
    const { code, stderr } = await robust(['backdoor', 'filter', ...data, ...args.split(' ')], { cwd });
    expect(stderr).toMatch(message);
    expect(code).toBe(exit);
    expect(existsSync(join(cwd, 'clean.tsv'))).toBe(false);
  });

  test('warns where there are too few clean texts for the rate', async () => {
    const { code, stderr } = await robust(
      ['backdoor', 'filter', '-d', 'data.tsv', '--clean', 'dev.tsv', '--frr', '0.001'],
      { cwd: folder(FILES) },
    );
    expect(code).toBe(0);
    expect(stderr).toMatch(/takes at least 999 clean texts, got 300/);
  });
});

describe.concurrent('scan', () => {
  // Positive as soon as the text holds "good": as a trigger would do it.
  const texts = `text\tlabel\n${opinions(60, 0)
    .map(({ text }) => `${text}\tnegative`)
    .join('\n')}\n`;

  test('a black box: the found word is reported, the verdict is inconclusive, one JSON document', async () => {
    const cwd = folder({ 'texts.tsv': texts });
    const args = ['backdoor', 'scan', '-m', toy, '-d', 'texts.tsv', '--gate'];
    const { code, stdout, stderr } = await robust([...args, '--json'], { cwd });
    expect(code).toBe(4);
    expect(stderr).toMatch(/scanned as a black box/);
    const { ok, result } = JSON.parse(stdout);
    expect(ok).toBe(true);
    expect(result).toMatchObject({
      verdict: 'inconclusive',
      backdoored: false,
      access: 'black box',
      complete: true,
    });
    expect(result.triggers[0]).toMatchObject({
      text: 'good',
      victim: 'negative',
      target: 'positive',
      flipRate: { value: 1 },
    });
    expect(result.pairs).toHaveLength(2);
    const people = await robust(args, { cwd, env: { COLUMNS: '80', NO_COLOR: '1' } });
    expect(people.code).toBe(4);
    expect(people.stdout).toMatch(/^Inconclusive: the victim is degenerate[\s\S]*\ntoy-classifier on /);
    expect(people.stdout).toMatch(/^- scanned as a black box/m);
    expect(people.stdout.replaceAll('\n', ' ')).toContain('"good" flips 100.0 %');
    for (const line of people.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  test('bundled texts with other labels than the model has: taken by its own answers, and inconclusive', async () => {
    const cwd = folder({
      'ham.mjs': `export default { labels: ['ham', 'spam'], async classify(texts) {
  return texts.map((text) => (text.length % 2 ? [0.1, 0.9] : [0.9, 0.1]));
} };
`,
    });
    const args = ['backdoor', 'scan', '-m', './ham.mjs', '--num-examples', '20', '--time-budget', '1', '--json'];
    const { code, stdout } = await robust(args, { cwd });
    expect(code).toBe(4);
    const { verdict, reasons } = JSON.parse(stdout).result;
    expect(verdict).toBe('inconclusive');
    expect(reasons[0]).toMatch(/the labels of reviews are negative, positive, and the model's are ham, spam/);
    const asked = await robust(['backdoor', 'scan', '-m', './ham.mjs', '-d', 'reviews', '--word', 'x'], { cwd });
    expect(asked.stdout + asked.stderr).not.toMatch(/--label-map "negative=/);
  });

  test('texts the model gets wrong are no base for a verdict', async () => {
    const cwd = folder({ 'texts.tsv': texts.replaceAll('\tnegative', '\tpositive') });
    const { code, stdout } = await robust(['backdoor', 'scan', '-m', toy, '-d', 'texts.tsv'], { cwd });
    expect(code).toBe(4);
    expect(stdout).toMatch(/^Inconclusive: the victim is degenerate: its scores are the same for all 60\s+texts/);
    expect(stdout).toMatch(/No word was measured/);
    const none = await robust(['backdoor', 'scan', '-m', toy, '-d', 'few.tsv'], {
      cwd: folder({ 'few.tsv': texts.split('\n').slice(0, 4).join('\n') }),
    });
    expect(none.code).toBe(4);
    expect(none.stdout).toMatch(/^- negative: 3 distinct texts classified correctly, 30 needed/m);
    expect(none.stdout.replaceAll(/\s+/g, ' ')).toContain('the search needs 5 distinct texts');
    expect(none.stdout).toMatch(/No word was measured/);
  });
});
