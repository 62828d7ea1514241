import { describe, expect, test } from 'vitest';
import { thing } from '../scenes.js';
import { folder, robust, toy } from './cli.js';

const rows = [
  'text\tlabel',
  ...Array.from({ length: 10 }, (_, at) => (at % 2 ? `a really good ${thing(at)}\t1` : `a dull ${thing(at)}\t0`)),
];
const cwd = folder({
  'dev.tsv': `${rows.join('\n')}\n`,
  'texts.tsv': 'text\tlabel\nthis film is good\t1\nthat plot is dull\t0\n',
});
const flags = ['--model', toy, '--data', 'dev.tsv', '--json'];
const resultOf = (stdout: string) => JSON.parse(stdout).result;

describe('a defended model', async () => {
  const { code, stdout } = await robust(
    ['attack', ...flags, '-a', 'homoglyphs', '--defend', 'spelling:texts=texts.tsv'],
    { cwd },
  );
  const result = resultOf(stdout);

  test('is another model in name and hash, and the report says what defends it', () => {
    expect(code).toBe(0);
    expect(result.model.name).toBe('toy-classifier+spelling:texts=texts.tsv');
    expect(result.model.defence).toContain('typos corrected');
    expect(result.undefended.models.map(({ name }: { name: string }) => name)).toEqual([
      'toy-classifier',
      result.model.name,
    ]);
    expect(result.model.sha256).not.toBe(result.undefended.models[0].sha256);
  });

  test('resists more attacks than the undefended one, which is compared with it on the same texts', () => {
    expect(result.undefended.attacks[0].difference.value).toBeGreaterThan(0);
    expect(result.undefended.transfer.map(({ to }: { to: string }) => to)).toContain(result.model.name);
  });

  test('compare takes model+defence', async () => {
    const compared = await robust(
      `compare ${toy} ${toy}+spelling:texts=texts.tsv --data dev.tsv -a homoglyphs --log plain --json`.split(' '),
      { cwd },
    );
    const { attacks, models } = resultOf(compared.stdout);
    expect(models[1].sha256).toBe(result.model.sha256);
    expect(attacks).toEqual(result.undefended.attacks);
  });
});

test('evaluate --certify prints how many words nobody can replace, of the very vote it measures', async () => {
  const { code, stdout } = await robust(['evaluate', ...flags, '--defend', 'ranmask:rate=0.3:seed=7', '--certify'], {
    cwd,
  });
  const { certified, clean } = resultOf(stdout);
  expect(code).toBe(0);
  expect(certified).toMatchObject({ rate: 0.3, samples: 100, seed: 7 });
  expect(certified.curve[0]).toEqual({ words: 0, accuracy: clean.accuracy });
  expect(certified.curve.length).toBeGreaterThan(1);
});

test('evaluate --certify prints the edits that the vote tolerates, and the abstentions', async () => {
  const defended = ['--defend', 'rs-del:rate=0.6:samples=50:alpha=0.05', '--certify'];
  const { code, stdout } = await robust(['evaluate', ...flags, ...defended], { cwd });
  const { certified, clean } = resultOf(stdout);
  expect(code).toBe(0);
  expect(certified).toMatchObject({ unit: 'word', rate: 0.6, samples: 50, alpha: 0.05, seed: 42 });
  const [none] = certified.curve;
  // Certain and right, of those that the vote is right on.
  expect(none.edits.value).toBeLessThanOrEqual(clean.accuracy.value);
  expect(none).toMatchObject({ count: 0, insertions: none.edits, deletions: none.edits });
  expect(none.edits.value).toBeLessThanOrEqual(1 - certified.abstained.value);
});

test('a defence that changes nothing is reported', async () => {
  const { stdout } = await robust(['evaluate', ...flags, '--defend', 'unicode'], { cwd });
  expect(JSON.parse(stdout).warnings.join()).toMatch(/unicode changed none of the \d+ texts/);
});

test.each([
  [['attack', '--defend', 'speling'], 'Did you mean "spelling"'],
  [['attack', '--defend', 'spelling', '--defend', 'spelling'], 'given twice'],
  [['attack', '--defend', 'ranmask:rate=2'], 'rate'],
  [['attack', '--defend', 'ranmask', '--defend', 'rs-del'], 'at most one defence that votes'],
  [['attack', '--defend', 'spelling', '-a', 'fgsm'], 'behind what a defence does to texts'],
  [['evaluate', '--certify'], '--defend ranmask'],
  [['evaluate', '--defend', 'spelling:texts=nowhere.tsv'], 'nowhere.tsv'],
])('%j: %s', async (args, message) => {
  const { code, stderr } = await robust([...args, '--model', 'bert-mini', '-n', '4'], { cwd });
  expect([2, 3]).toContain(code);
  expect(stderr).toContain(message);
});
