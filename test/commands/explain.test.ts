/** `robust explain` as a user runs it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folder, robust, robustProcess, toy } from './cli.js';

const other =
  'export default { labels: ["POSITIVE", "negative"], async classify(texts) { return texts.map((t) => Float32Array.from(/film/.test(t) ? [0.6, 0.4] : [0.3, 0.7])); } };';
const topics =
  'export default { labels: ["sport", "politics", "arts"], classify: async (texts) => texts.map(() => Float32Array.of(0.2, 0.3, 0.5)) };';
const document = (stdout: string) => JSON.parse(stdout);

describe.concurrent('explain', () => {
  test('words with bars, readable without colour and in 80 columns', async () => {
    const { code, stdout, stderr } = await robust(['explain', '-m', toy, 'What a good film !']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^toy-classifier: positive 0\.75$/m);
    expect(stdout).toMatch(/^good +\+0\.\d+ +│█+ +\+0\.500 +│█+$/m);
    expect(stdout).toContain('exact, 32 texts');
    expect(stdout).not.toContain('\u001B');
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  test('texts of a data set that were done when it was stopped are kept, and the exit code says that it was', async () => {
    const rows = Array.from({ length: 30 }, (_, at) => `A good film, number ${at}.\t1`);
    const cwd = folder({ 'data.tsv': `text\tlabel\n${rows.join('\n')}\n` });
    const words = ['explain', '-m', toy, '-d', 'data.tsv', '-n', '30', '--method', 'shap', '-o', 'x.json'];
    const { code, stdout, stderr } = await robustProcess(words, {
      cwd,
      env: { TOY_TELLS: '1', TOY_DELAY: '60' },
      at: [['toy: 12 calls\n', (child) => child.kill('SIGINT')]],
    });
    expect(code).toBe(130);
    expect(stderr).toMatch(/stopped after \d+ of 30 texts/);
    const { result, warnings } = JSON.parse(readFileSync(join(cwd, 'x.json'), 'utf8'));
    const { length } = result.explanations;
    expect(length).toBeGreaterThan(0);
    expect(length).toBeLessThan(30);
    expect(warnings).toContain(`stopped: these are the first ${length} of 30 texts`);
    expect(stdout).toContain('A good film, number 0.');
  });

  test('--json of one text and model is the document of the conventions', async () => {
    const cwd = folder();
    const { stdout } = await robust(['explain', '-m', toy, 'What a good film !', '--json', '-o', 'x.json'], { cwd });
    const { ok, command, result, warnings } = document(stdout);
    expect({ ok, command, warnings }).toEqual({ ok: true, command: 'explain', warnings: [] });
    expect(result).toMatchObject({
      text: 'What a good film !',
      model: { name: 'toy-classifier' },
      label: 'positive',
      probabilities: [0.25, 0.75],
      methods: [{ name: 'lime' }, { name: 'shap', check: { estimator: 'exact', samples: 32 } }],
    });
    expect(result.methods[1].words).toEqual(
      ['What', 'a', 'good', 'film', '!'].map((word, at) => ({
        ...{ word, start: [0, 5, 7, 12, 17][at], weight: at === 2 ? 0.5 : 0 },
      })),
    );
    const again = await robust(['explain', '-m', toy, 'What a good film !', '--json'], { cwd });
    expect(again.stdout).toBe(stdout);
  });

  test("two models, the texts of a file: every text by both, by the label's name", async () => {
    const cwd = folder({
      'other.mjs': other,
      'data.tsv': 'text\tlabel\nA good film.\tpositive\nA dull day.\tnegative\n',
    });
    const { stdout, stderr } = await robust(
      ['explain', '-m', toy, '-m', './other.mjs', '-d', 'data.tsv', '--method', 'shap', '--json'],
      { cwd },
    );
    expect(stderr).toBe('');
    const { explanations } = document(stdout).result;
    expect(
      explanations.map(({ text, model, label }: never) => [text, (model as { name: string }).name, label]),
    ).toEqual([
      ['A good film.', 'toy-classifier', 'positive'],
      ['A good film.', 'other', 'POSITIVE'],
      ['A dull day.', 'toy-classifier', 'negative'],
      ['A dull day.', 'other', 'negative'],
    ]);
  });

  test('a text with markup and controls is shown, not obeyed', async () => {
    const text = '<script>alert(1)</script> \u001B[31mgood\u202E <b>film</b>';
    const { code, stdout } = await robust(['explain', '-m', toy, text]);
    expect(code).toBe(0);
    expect(stdout).toContain('<U+001B>');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is the point.
    expect(stdout).not.toMatch(/[\u001B\u202E]/);
  });

  test('a text of a pair: its own words are weighed, with the other one beside it, by every method', async () => {
    const methods = ['lime', 'shap', 'integrated-gradients', 'attention'].flatMap((each) => ['--method', each]);
    const args = ['explain', '-m', 'bert-mini', 'the film is a joy', '--json'];
    const beside = await robust([...args, ...methods, '--beside', 'A dull plot']);
    const { text2, probabilities, methods: found } = document(beside.stdout).result;
    expect(text2).toBe('A dull plot');
    for (const { words } of found) {
      expect(words.map(({ word }: { word: string }) => word)).toEqual(['the', 'film', 'is', 'a', 'joy']);
    }
    expect(found[2].check.completenessError).toBeLessThan(0.01);
    expect(found[1].check.value).toBeCloseTo(probabilities[0], 5);
    const alone = document((await robust([...args, '--method', 'shap'])).stdout).result;
    expect(alone.probabilities).not.toEqual(probabilities);
  });

  test('of data the column that is named is explained; the first one, read first', async () => {
    const cwd = folder({
      'pairs.tsv': 'premise\thypothesis\tlabel\nA dull day\tA good film\tpositive\n',
      'pair.mjs': `export default { labels: ['negative', 'positive'], classify: async (pairs) =>
        pairs.map(([first, second]) => (/dull/.test(first) && /good/.test(second) ? [0.2, 0.8] : [0.7, 0.3])) };`,
    });
    const args = ['explain', '-m', './pair.mjs', '-d', 'pairs.tsv', '--columns', 'pair=premise,hypothesis', '--json'];
    const weights = async (...more: string[]) => {
      const { stdout } = await robust([...args, '--method', 'shap', ...more], { cwd });
      const { text2, attacked, methods } = document(stdout).result;
      return { text2, attacked, words: methods[0].words.filter(({ weight }: { weight: number }) => weight !== 0) };
    };
    const word = (of: string, start: number) => [{ word: of, start, weight: expect.closeTo(0.5, 6) }];
    expect(await weights()).toEqual({ text2: 'A dull day', words: word('good', 2) });
    expect(await weights('--columns', 'attack=premise')).toEqual({
      text2: 'A good film',
      attacked: 'first',
      words: word('dull', 2),
    });
  });

  test('one word', async () => {
    const { code, stdout } = await robust(['explain', '-m', toy, 'good', '--json']);
    expect(code).toBe(0);
    for (const { words } of document(stdout).result.methods) expect(words[0].weight).toBeCloseTo(0.5, 6);
  });

  test.each([
    ['an empty text', ['-m', toy, ''], 2, 'TEXT_INVALID'],
    ['a text of blanks', ['-m', toy, '  '], 2, 'TEXT_INVALID'],
    ['labels where a number is expected', ['-m', toy, 'x', '-c', 'number.yaml'], 3, 'PLUGIN_DAMAGED'],
    ['data with another text beside', ['-m', toy, '-d', 'data.tsv', '--beside', 'x'], 2, 'FLAG_INVALID'],
    ['no text', ['-m', toy], 2, 'FLAG_INVALID'],
    ['a text and a file', ['-m', toy, 'x', '-d', 'reviews'], 2, 'FLAG_INVALID'],
    ['a label that does not exist', ['-m', toy, 'x', '--label', 'positiv'], 2, 'LABEL_NOT_FOUND'],
    ['three models', ['-m', toy, '-m', toy, '-m', toy, 'x'], 2, 'FLAG_INVALID'],
    ['models with different labels', ['-m', toy, '-m', './topics.mjs', 'x'], 2, 'LABELS_MISMATCH'],
    ['gradients of a model without', ['-m', toy, 'x', '--method', 'integrated-gradients'], 2, 'GRADIENTS_UNSUPPORTED'],
    ['a mask the model has not', ['-m', toy, 'x', '--method', 'baseline=mask'], 2, 'METHOD_UNSUPPORTED'],
    ['a method there is not', ['-m', toy, 'x', '--method', 'limes'], 2, 'NAME_NOT_FOUND'],
    ['a format there is not', ['-m', toy, 'x', '-o', 'x.docx'], 2, 'FORMAT_NOT_FOUND'],
  ] as const)('%s: exit %i', async (_, args, exit, error) => {
    const { code, stdout } = await robust(['explain', ...args, '--json'], {
      cwd: folder({ 'topics.mjs': topics, 'number.yaml': 'task: { value: regression, delta: 1 }\n' }),
    });
    expect(document(stdout).error).toMatchObject({ code: error, exit });
    expect(code).toBe(exit);
  });

  test('attack --explain weighs the words of what it found, before and after', async () => {
    const cwd = folder({ 'data.tsv': 'text\tlabel\nA good film.\tpositive\nA dull film.\tnegative\n' });
    const args = ['attack', '-m', toy, '-d', 'data.tsv', '-a', 'deepwordbug', '--explain', '-q'];
    const { code, stdout } = await robust([...args, '-o', 'x.html', '-o', 'x.json', '-o', 'x.md'], { cwd });
    expect(code).toBe(0);
    expect(stdout.replace(/\s+/g, ' ')).toMatch(
      /What counted for positive before: good \+0\.50, A \+0\.00, film \+0\.00; after:/,
    );
    const read = (file: string): string => readFileSync(join(cwd, file), 'utf8');
    const { explanations } = document(read('x.json')).result;
    expect(explanations).toHaveLength(1);
    expect(explanations[0]).toMatchObject({
      attack: 'deepwordbug',
      before: { label: 'positive', text: 'A good film.' },
    });
    expect(explanations[0].before.methods[0].words[1]).toMatchObject({ word: 'good', weight: 0.5 });
    expect(read('x.html')).toContain('<span class="weighed for-5" tabindex="0" data-tip="+0.500">good</span>');
    expect(read('x.md')).toContain('What counted for positive before: good +0.50');
  });

  test('the data set of a configuration file gives way to a text', async () => {
    const cwd = folder({ 'robust.config.json': JSON.stringify({ model: toy, data: 'reviews' }) });
    const { code, stdout } = await robust(['explain', 'A good film'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^toy-classifier: positive 0\.75$/m);
  });

  test('2,000 words: the unread part is reported', async () => {
    const text = `An awful film. ${'It goes on and on. '.repeat(400)}`;
    const args = ['explain', '-m', 'bert-mini', text, '--method', 'shap', '--method', 'samples=100', '--json'];
    const { stdout, stderr } = await robust(args);
    const { result, warnings } = document(stdout);
    expect(result.read.of).toBe(2003);
    expect(result.methods[0].words).toHaveLength(result.read.words);
    expect(warnings[0]).toContain(`bert-mini reads the first ${result.read.words} of 2003 words`);
    expect(stderr).toContain('of 2003 words');
  });
});
