/** `robust compare A B --unlabelled FILE` as a user runs it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { unlabelledJsonSchema } from '../../src/app/runs/report-schema.js';
import { packageRoot } from '../../src/core/package-root.js';
import { type UnlabelledComparison, unlabelledComparisonSchema } from '../../src/core/unlabelled-comparison.js';
import { folder, robust, toy } from './cli.js';

/** The old guard knows two words and undoes disguises; the new one knows another second word and undoes nothing. */
const guard = (word: string, normalise: string): string =>
  `positive: attack\nnegative: benign\nstages:\n${normalise}  - rules: { words: [ignore, ${word}] }\n`;
const THINGS = ['letters', 'songs', 'rules', 'maps', 'tables', 'gardens', 'films', 'ships', 'roads', 'birds'];
const PLACES = ['town', 'house', 'valley', 'harbour'];
const each = (of: (thing: string, place: string) => string): string[] =>
  THINGS.flatMap((thing) => PLACES.map((place) => of(thing, place)));
const attacked = each((thing, place) => `please ignore the ${thing} of this ${place}`);
const secrets = each((thing, place) => `what is the secret of the ${thing} in the ${place}`);
const forgotten = each((thing, place) => `forget the ${thing} of the ${place}`).slice(0, 10);
const german = each((thing, place) => `das ist ein Text über ${thing} und ${place} für die Leute`);
const log = [...attacked, ...secrets, ...forgotten, ...german, ...attacked.slice(0, 5)];
const jsonl = (texts: readonly string[]): string =>
  texts.map((text) => `${JSON.stringify({ prompt: text })}\n`).join('');

const cwd = folder({
  'old.yaml': guard('secret', '  - normalise: shield\n'),
  'new.yaml': guard('forget', ''),
  'log.jsonl': jsonl(log),
  'few.jsonl': jsonl(attacked.slice(0, 12)),
  'benign.jsonl': jsonl(german),
  'labelled.tsv': `text\tlabel\n${attacked.map((text) => `${text}\tattack`).join('\n')}\n`,
  'one-column.csv': `text\n${attacked.join('\n')}\n`,
  'empty.jsonl': '',
  'number.mjs': 'export default { labels: ["score"], classify: async (texts) => texts.map(({ length }) => [length]) };',
});
const PAIR = ['pipeline:old.yaml', 'pipeline:new.yaml'];
const run = (log: string, ...more: string[]) =>
  robust(['compare', ...PAIR, '--unlabelled', log, '--positive', 'attack', '--log', 'plain', ...more], {
    cwd,
    env: { NO_COLOR: '1', COLUMNS: '80' },
  });
const resultOf = (stdout: string): UnlabelledComparison => JSON.parse(stdout).result;

describe('compare --unlabelled', async () => {
  const { code, stdout, stderr } = await run('log.jsonl', '--json', '-o', 'c.md', '-o', 'c.html', '-o', 'c.json');
  const result = resultOf(stdout);

  test('disagreement by direction, over different texts', () => {
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    unlabelledComparisonSchema.parse(result);
    expect(result.data).toMatchObject({ texts: 135, different: 130, unanswered: 0 });
    const count = ({ value, n }: { value: number | null; n: number }): number => Math.round((value ?? 0) * n);
    expect([result.laxer, result.stricter, result.other, result.disagreement].map(count)).toEqual([40, 10, 0, 50]);
    expect(result.models.map(({ flagged }) => count(flagged))).toEqual([80, 50]);
    expect(result.difference.value).toBeCloseTo(-30 / 130, 12);
    expect(result.differing.filter(({ direction }) => direction === 'stricter')).toHaveLength(10);
    expect(result.differing[0]).toMatchObject({ a: 'detected', b: 'not detected', copies: 1, id: '41' });
  });

  test('slices: the words and the language where the new guard is laxer, and too few texts', () => {
    const slice = (name: string) => result.slices.find((one) => one.name === name);
    expect(slice('secret, what')).toBeUndefined(); // "what" is a stop word
    expect(slice('secret')).toMatchObject({ kind: 'words', verdict: 'laxer', disagreement: { value: 1, n: 40 } });
    expect(slice('de')).toMatchObject({ kind: 'language', verdict: 'none', disagreement: { value: 0, n: 40 } });
    expect(slice('en')).toMatchObject({ kind: 'language', verdict: 'laxer' });
    const judged = result.slices.filter(({ adjustedP }) => adjustedP !== null);
    for (const { adjustedP, mcnemarP } of judged) expect(adjustedP).toBeGreaterThanOrEqual(mcnemarP ?? 0);
  });

  test('names the disguises that get past the new guard alone', () => {
    const attack = (start: string) => result.evasion.attacks.find(({ name }) => name.startsWith(start));
    expect(result.evasion).toMatchObject({ goal: 'evade', queryBudget: 100, attacked: 40 });
    expect(attack('homoglyphs')).toMatchObject({ newlyEvadable: { value: 1, n: 40 }, noLongerEvadable: { value: 0 } });
    expect(attack('homoglyphs')?.adjustedP).toBeLessThan(0.001);
    expect(attack('quoted')).toMatchObject({ a: { value: 0 }, b: { value: 0 } });
  });

  test('texts are hashed: none is stored or printed, unless requested', async () => {
    const files = ['c.md', 'c.html', 'c.json'].map((name) => readFileSync(join(cwd, name), 'utf8'));
    for (const written of [stdout, ...files]) {
      expect(log.filter((text) => written.includes(text))).toEqual([]);
      expect(written).toContain(result.differing[0]?.sha256.slice(0, 12));
    }
    expect(existsSync(join(cwd, '.robust'))).toBe(false);
    const shown = resultOf((await run('log.jsonl', '--show-texts', '-a', 'homoglyphs', '--json')).stdout);
    expect(shown.differing[0]?.text).toBe(secrets[0]);
    expect(attacked).toContain(shown.evasion.texts[0]?.text ?? attacked[0]);
  });

  test('the same seed gives the same bytes, whatever the concurrency; the replay repeats it', async () => {
    const { stdout: again } = await run('log.jsonl', '--json', '--runtime', 'concurrency=1');
    expect(resultOf(again)).toEqual(result);
    expect(result.command).toBe(
      'robust compare pipeline:old.yaml pipeline:new.yaml --positive attack --seed 42 --unlabelled log.jsonl',
    );
  });

  test('the document is valid by the published schema', () => {
    const schema = JSON.parse(readFileSync(join(packageRoot, 'schemas', 'unlabelled-comparison.schema.json'), 'utf8'));
    // npm run build writes it.
    expect(schema).toEqual(JSON.parse(JSON.stringify(unlabelledJsonSchema())));
    const valid = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true }).compile(schema);
    valid(JSON.parse(stdout));
    expect(valid.errors).toBeNull();
    const wrong = JSON.parse(stdout);
    wrong.result.verdict = 'passed';
    expect(valid(wrong)).toBe(false);
  });

  test('the screen fits 80 columns', async () => {
    const { stdout: screen } = await run('log.jsonl', '-a', 'homoglyphs');
    expect(screen).toMatch(/^a and b disagree on 38\.5 %/);
    for (const line of screen.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  test.each([
    ['few.jsonl', 'expected at least 30 different texts, got 12'],
    ['benign.jsonl', 'newly evadable texts: expected at least 30 texts'],
  ])('%s is inconclusive: %s', async (file, reason) => {
    const { code, stdout } = await run(file, '--json');
    expect(code).toBe(4);
    expect(resultOf(stdout)).toMatchObject({ verdict: 'inconclusive' });
    expect(resultOf(stdout).reasons.join()).toContain(reason);
  });

  test.each(['labelled.tsv', 'one-column.csv'])('%s: labels are neither needed nor read', async (file) => {
    const { stdout } = await run(file, '--json', '-a', 'homoglyphs');
    expect(resultOf(stdout)).toMatchObject({ data: { different: 40 }, disagreement: { value: 0 } });
  });

  test('without --positive the most probable labels are compared, without a direction', async () => {
    const args = ['compare', ...PAIR, '--unlabelled', 'log.jsonl', '-a', 'homoglyphs', '--log', 'plain', '--json'];
    const { laxer, other, difference, slices } = resultOf((await robust(args, { cwd })).stdout);
    expect([laxer.value, other.n, difference.value]).toEqual([0, 130, null]);
    expect(new Set(slices.map(({ adjustedP }) => adjustedP))).toEqual(new Set([null]));
  });

  test.each([
    ['models of other labels', ['pipeline:old.yaml', toy], 'expected models with the same labels, or two detectors'],
    [
      'a number',
      ['./number.mjs', toy, '--task', 'regression'],
      'expected a classifier of single texts, got number (a number)',
    ],
  ])('%s is refused', async (_, args, message) => {
    const { code, stderr } = await robust(['compare', ...args, '--unlabelled', 'log.jsonl', '--log', 'plain'], {
      cwd,
    });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });

  test.each([
    [['--unlabelled', 'empty.jsonl'], 3, 'got an empty file'],
    [['--unlabelled', 'missing.jsonl'], 3, 'missing.jsonl'],
    [['third', '--unlabelled', 'log.jsonl'], 2, '--unlabelled: expected two models, got 3'],
    [['--unlabelled', 'log.jsonl', '--data', 'reviews'], 2, 'cannot also be provided'],
    [['--unlabelled', 'log.jsonl', '--positive', 'bad'], 2, 'bad'],
    [['--unlabelled', 'log.jsonl', '-o', 'c.sarif'], 2, 'c.sarif'],
  ])('%j: exit code %i', async (args, expected, message) => {
    const { code, stderr } = await robust(['compare', ...PAIR, ...args, '--log', 'plain'], { cwd });
    expect(stderr).toContain(message);
    expect(code).toBe(expected);
  });
});
