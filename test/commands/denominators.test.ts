/**
 * Denominators of rates, from outside: ten texts with known outcomes, for every kind of decision, by the command line, in every format, by
 * shards and by the gate. Expected figures are computed by hand.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folder, robust } from './cli.js';
import { ATTACK, expectRates, KINDS, type Share } from './decision-kinds.js';

/** Labels of every kind of decision. */
const RATE_ROWS = [...new Set(KINDS.flatMap(({ rows }) => rows.map(([label]) => label)))];

const FORMATS = ['md', 'html', 'json', 'csv', 'xml', 'sarif', 'prom', 'yaml'];

describe.each(KINDS)('$name', ({ model, data, flags, clean, rates, rows, never }) => {
  const cwd = folder({ 'model.mjs': model, 'data.tsv': data, 'told.mjs': ATTACK });
  const victim = ['-m', './model.mjs', '-d', 'data.tsv', '-n', '0', '-q', ...flags];
  const attack = [...victim, '-a', './told.mjs', '--max-error-rate', '0.5'];
  const read = (name: string): string => readFileSync(join(cwd, name), 'utf8');

  test('evaluate', async () => {
    const { stdout } = await robust(['evaluate', ...victim, '--json'], { cwd });
    expectRates(JSON.parse(stdout).result.clean, clean);
  });

  test('attack, and its report in every format', async () => {
    const { stdout } = await robust(
      ['attack', ...attack, '--wide', ...FORMATS.flatMap((name) => ['-o', `r.${name}`])],
      { cwd },
    );
    const { result } = JSON.parse(read('r.json'));
    const [entry] = result.attacks;
    expect(entry).toMatchObject({ succeeded: 1, errored: 1, applicable: false, notApplicable: { n: 4 } });
    expect(entry.succeeded + entry.failed + entry.skipped + entry.errored).toBe(10);
    expectRates(entry, rates);
    expectRates(result.overall, rates);
    expectRates(result.clean, clean);
    for (const text of [stdout, ...['md', 'html', 'xml', 'sarif'].map((name) => read(`r.${name}`))]) {
      const visible = text.replace(/<(script|style)[^>]*>.*?<\/\1>/gs, '');
      expect(never.filter((word) => visible.includes(word))).toEqual([]);
    }
    const inTable = (label: string) => stdout.split('\n').some((line) => line.startsWith(`${label}  `));
    expect(RATE_ROWS.filter(inTable)).toEqual(RATE_ROWS.filter((label) => rows.some(([own]) => own === label)));
    for (const [label, percent] of rows) {
      expect(stdout.split('\n').find((line) => line.startsWith(`${label}  `))).toContain(percent);
      expect(
        read('r.md')
          .split('\n')
          .find((line) => line.startsWith('|  |')),
      ).toContain(` ${label} |`);
      for (const name of ['xml', 'sarif']) expect(read(`r.${name}`)).toContain(`${label} ${percent}`);
      expect(read('r.html')).toContain(`>${label}</th>`);
      expect(read('r.yaml')).toContain(`name: ${label} (told)`);
    }
    for (const [, percent] of rows) expect(read('r.md')).toContain(`${percent}`);
    for (const [key, [part, n]] of Object.entries(rates)) {
      const family =
        { attackSuccessRate: 'attack_success' }[key] ?? key.replace(/[A-Z]/g, (sign) => `_${sign.toLowerCase()}`);
      const value = new RegExp(`^robust_${family}_ratio\\{[^}]*attack="told"[^}]*\\} (.*)$`, 'm').exec(
        read('r.prom'),
      )?.[1];
      expect({ family, value: Number(value) }).toEqual({ family, value: part / n });
    }
    expect(read('r.csv').trim().split('\n')).toHaveLength(11);
    const again = await robust(['report', 'r.json', '--json'], { cwd });
    expectRates(JSON.parse(again.stdout).result.attacks[0], rates);
  });

  test('shards', async () => {
    const runs: string[] = [];
    for (const shard of ['1/2', '2/2']) {
      const { stdout } = await robust(['attack', ...attack, '--shard', shard, '--json'], { cwd });
      runs.push(join('.robust', 'runs', JSON.parse(stdout).result.run));
    }
    const { stdout } = await robust(['report', '--merge', ...runs, '--json'], { cwd });
    const { result } = JSON.parse(stdout);
    expectRates(result.attacks[0], rates);
    expectRates(result.overall, rates);
  });

  test('the gate measures the same, and judges nothing by an attack that is not applicable', async () => {
    const require = Object.keys(rates).flatMap((key) => ['--require', `told.${key} >= 0 and <= 1`]);
    const { stdout, code } = await robust(['gate', ...attack, ...require, '--min-examples', '1', '--json'], { cwd });
    const { thresholds, verdict } = JSON.parse(stdout).result;
    expect({ code, verdict }).toEqual({ code: 4, verdict: 'inconclusive' });
    for (const { metric, actual, reason } of thresholds) {
      const [part, n] = rates[metric.replace('told.', '')] as Share;
      expect({ metric, actual, reason }).toMatchObject({
        ...{ metric, actual: { value: part / n, n }, reason: expect.stringContaining('not applicable') },
      });
    }
  });
});
