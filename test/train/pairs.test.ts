/** Training on pairs: only both texts together determine the label. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { train } from '../../src/api.js';
import { queryText } from '../../src/core/pair.js';
import { random } from '../../src/core/random.js';
import { loadModel } from '../../src/model/load.js';
import { robust } from '../commands/cli.js';

const words = ['cat', 'dog', 'bird', 'fish'];
/** Pairs whose label only both texts together determine, as a file of this folder. */
function fileOf(folder: string, count: number): string {
  const die = random(1, 'pairs');
  const rows = Array.from({ length: count }, () => {
    const [a, b] = [die.pick(words), die.pick(words)];
    return `a ${a}\tthe ${b}\t${a === b ? 'same' : 'other'}`;
  });
  const file = join(folder, 'pairs.tsv');
  writeFileSync(file, `first\tsecond\tlabel\n${rows.join('\n')}\n`);
  return file;
}

test('a model learns a label that only both texts of a pair determine', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'robust-pairs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = fileOf(folder, 400);
  const output = join(folder, 'model');
  await train({
    ...{ data: [file], output, textColumns: ['first', 'second'], arch: 'bert', layers: 1, dim: 32, heads: 2 },
    ...{ epochs: 25, lr: 0.003, batchSize: 16, maxTokens: 16, seed: 3 },
  });
  const model = await loadModel(output, { workers: 1 });
  try {
    const asked = words.flatMap((a) => words.map((b) => queryText(`the ${b}`, { text2: `a ${a}` })));
    const read = (await model.classify(asked)).map(
      (row) => model.labels[(row[0] as number) > (row[1] as number) ? 0 : 1],
    );
    const truth = words.flatMap((a) => words.map((b) => (a === b ? 'same' : 'other')));
    expect(read).toEqual(truth);
  } finally {
    await model.close();
  }
});

test('what train and augment write of pairs for a later command holds both texts', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'robust-pairs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const pairs = ['--columns', 'pair=first,second'];
  const file = fileOf(folder, 80);
  const copies = join(folder, 'copies.tsv');
  const written = await robust(
    ['augment', '-d', file, '--columns', 'pair=first,second:attack=first', '-a', 'case-flip', '-o', copies],
    { cwd: folder },
  );
  expect(written.stderr).not.toMatch(/Error/);
  const originals = new Set(readFileSync(file, 'utf8').split('\n'));
  const [header, ...rows] = readFileSync(copies, 'utf8').trimEnd().split('\n');
  expect(header).toBe('first\tsecond\tlabel\tsource_id\tattack');
  const made = rows.map((row) => row.split('\t'));
  expect(made.length).toBe(80);
  for (const [first = '', second, label] of made)
    expect(originals).toContain([first.toLowerCase(), second, label].join('\t'));

  const output = join(folder, 'hardened');
  const small = ['--arch', 'bert:layers=1:dim=16:heads=2:vocabulary=60'];
  const { code, stderr } = await robust(
    ['train', '-d', file, '-d', copies, ...pairs, ...small, '--epochs', '1', '--adversarial', 'fgsm', '-o', output],
    { cwd: folder },
  );
  expect(stderr).not.toMatch(/Error/);
  expect(code).toBe(0);
  const [columns, ...held] = readFileSync(join(output, 'training', 'held-out.tsv'), 'utf8')
    .trimEnd()
    .split('\n');
  expect(columns).toBe(header);
  const all = new Set([...originals, ...made.map((row) => row.slice(0, 3).join('\t'))]);
  for (const row of held) expect(all).toContain(row.split('\t').slice(0, 3).join('\t'));
  // The comparison asked for both.
  const runs = join(folder, '.robust', 'runs');
  for (const run of readdirSync(runs).filter((name) => /^\d/.test(name))) {
    const lines = readFileSync(join(runs, run, 'results.jsonl'), 'utf8')
      .trimEnd()
      .split('\n');
    for (const line of lines) expect(JSON.parse(line).text2).toMatch(/^a /i);
  }
});
