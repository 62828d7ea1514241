/** docs/reference/python.md, run as a reader runs it: its programs and commands in one folder, one after the other. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, robust } from '../commands/cli.js';
import { commandsOf } from '../commands/documented-commands.js';
import { readDocument } from '../documents.js';
import { goldens } from '../model/goldens.js';
import { environment, pythonWith, robustText } from './pythons.js';

const PAGE = 'docs/reference/python.md';
const programs = Array.from(readDocument(PAGE).matchAll(/^```python\n(.*?)^```/gms), ([, code]) => code as string);
const notebook = programs.filter((code) => !code.startsWith('# ')).join('\n');

const ABOUT =
  'horses gardens winter trains bread pirates chess lawyers rivers music soldiers cooking spies dancers ghosts doctors sailors robots teachers storms'.split(
    ' ',
  );

/** Forty texts, of which half are dull. */
const rows = (positive: string, negative: string): string =>
  ABOUT.flatMap((what) => [
    `A dull film about ${what}.\t${negative}\n`,
    `A great film about ${what}.\t${positive}\n`,
  ]).reduce((all, row) => all + row, 'text\tlabel\n');

/** What the reader has before. */
function home(): string {
  const cwd = folder({
    'dev.tsv': rows('pos', 'neg'),
    'mail.tsv': rows('spam', 'ham'),
    'spam.py':
      'def classify(texts):\n    return [[0.93, 0.07] if "dull" in text else [0.12, 0.88] for text in texts]\n',
  });
  copyFileSync(robustText, join(cwd, 'robust_text.py'));
  return cwd;
}

test('the notebook prints figures and examples, and its test fails as the page says', () => {
  const cwd = home();
  const failing = `${notebook}
try:
    test_robustness()
except AssertionError:
    print(repr(gate(classify, "dev.tsv", require=["typos.attackSuccessRate <= 30 %"], suite="typos", num_examples=40)))`;
  writeFileSync(join(cwd, 'notebook.py'), failing);
  const { status, stdout, stderr } = spawnSync('python3', ['notebook.py'], {
    cwd,
    encoding: 'utf8',
    env: environment(),
  });
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
  const [figures, ...others] = stdout.trim().split('\n');
  expect(figures).toMatch(/^0\.\d+ (?:0\.\d+|1)$/);
  const stated = /`(Gate failed; [^`]*)`/.exec(readDocument(PAGE))?.[1] as string;
  expect(others.at(-1)).toBe(stated);
});

const commands = commandsOf(PAGE).filter(({ inBlock, words }) => inBlock && words[0] !== 'new');
const few = ['-n', '4', '--json'];

test.each(commands.filter(({ words }) => !words.join(' ').includes('sentiment')))(
  '$where: robust $words',
  async ({ words }) => {
    const cwd = home();
    await robust('new victim reviews --language python'.split(' '), { cwd });
    writeFileSync(join(cwd, 'dev.tsv'), rows('positive', 'negative'));
    const { result, error } = JSON.parse((await robust([...words, ...few], { cwd })).stdout);
    expect(error).toBeUndefined();
    expect(result.clean.accuracy).toMatchObject({ value: 1, n: 4 });
  },
);

const torch = pythonWith('torch', 'transformers');
const checkpoint = goldens.find(({ name }) => name === 'distilbert')?.folder;

test.skipIf(torch === undefined || checkpoint === undefined)(
  'the program of a torch module (needs torch and transformers, and ../shared)',
  async () => {
    const cwd = home();
    writeFileSync(join(cwd, 'dev.tsv'), rows('positive', 'negative'));
    const code = programs.find((each) => each.startsWith('# sentiment.py')) as string;
    writeFileSync(join(cwd, 'sentiment.py'), code.replaceAll('"my-model"', JSON.stringify(checkpoint)));
    const { words } = commands.find((each) => each.words.join(' ').includes('sentiment')) as (typeof commands)[number];
    const asked = words.map((word) => word.replace('python3', torch as string));
    const { result, error } = JSON.parse((await robust([...asked, ...few], { cwd })).stdout);
    expect(error).toBeUndefined();
    expect(result.attacks).toMatchObject([{ name: 'hotflip' }]);
    expect(readdirSync(cwd)).toContain('.robust');
  },
);
