import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attacks } from '../../attacks/index.js';
import { openDataset } from '../../datasets/index.js';
import { rowFormat } from '../../datasets/write.js';
import { keepPlaceholders } from '../../src/constraints/placeholders.js';
import { protect } from '../../src/constraints/words.js';
import { english } from '../../src/language/english/index.js';
import type { Dataset } from '../../src/plugin.js';
import { augment, type RewrittenExample, rewriteExamples } from '../../src/run/augment.js';

const TEXTS = ['a truly charming film about two funny people', 'a dull and dangerous plot with weak acting', '?!'];

const dataset: Dataset = {
  name: 'toy',
  labels: ['negative', 'positive'],
  source: { url: 'toy', license: 'none', sha256: '' },
  async *examples() {
    for (const [at, text] of TEXTS.entries()) yield { id: String(at), text, label: at === 0 ? 1 : 0 };
  },
};

const planned = (names: readonly string[]) =>
  names.map((name) => {
    const plugin = attacks.find((each) => each.name === name) as (typeof attacks)[number];
    return { plugin, options: plugin.options.parse({}) as Record<string, unknown>, label: name };
  });

async function copies(
  names: readonly string[],
  given: Partial<Parameters<typeof augment>[0]> = {},
): Promise<RewrittenExample[]> {
  const made: RewrittenExample[] = [];
  const plan = {
    dataset,
    attacks: planned(names),
    perExample: 3,
    numExamples: 0,
    seed: 42,
    constraints: [],
    language: english,
    ...given,
  };
  for await (const copy of augment(plan)) made.push(copy);
  return made;
}

test.each(['human-typos', 'synonym', 'pwws', 'alzantot', 'checklist', 'appended-sentence', 'deepwordbug'])(
  '%s: distinct copies with their labels, the same twice, others by another seed',
  async (name) => {
    const made = await copies([name]);
    const texts = made.map(({ text }) => text);
    expect(new Set([...texts, ...TEXTS]).size).toBe(texts.length + TEXTS.length);
    for (const { id, label } of made) expect(label).toBe(id === '0' ? 1 : 0);
    expect(await copies([name])).toEqual(made);
    if (name === 'checklist') return; // nothing in these texts to exchange
    expect(made.length).toBeGreaterThanOrEqual(4);
    expect(made.some(({ id }) => id === '2')).toBe(false);
    expect(await copies([name], { seed: 1 })).not.toEqual(made);
  },
);

test('a data set is rewritten example for example: in order, with its labels, seeded, otherwise each round', async () => {
  const made = async (round: string, seed = 42) => {
    const plan = {
      dataset,
      attacks: planned(['human-typos', 'deepwordbug']),
      seed,
      constraints: [],
      language: english,
    };
    const all = [];
    for await (const example of rewriteExamples(plan, round).examples()) all.push(example);
    return all;
  };
  const first = await made('epoch 0');
  expect(first.map(({ id, label }) => [id, label])).toEqual([
    ['0', 1],
    ['1', 0],
    ['2', 0],
  ]);
  expect(first.map(({ text }, at) => text === TEXTS[at])).toEqual([false, false, true]);
  expect(await made('epoch 0')).toEqual(first);
  expect(await made('epoch 1')).not.toEqual(first);
  expect(await made('epoch 0', 43)).not.toEqual(first);
});

test('an attack that edits word after word edits one or many, by chance', async () => {
  const counts = new Map<number, number>();
  for (const { id, text } of await copies(['deepwordbug'], { perExample: 40 })) {
    const words = (TEXTS[Number(id)] as string).split(' ');
    const edited = text.split(' ').filter((word, at) => word !== words[at]).length;
    counts.set(edited, (counts.get(edited) ?? 0) + 1);
  }
  expect([...counts.keys()].sort((a, b) => a - b)).toEqual(expect.arrayContaining([1, 2, 3, 4, 5]));
  for (const count of counts.values()) expect(count).toBeLessThan(40);
});

test('protected words stay, and only the first examples are taken', async () => {
  const made = await copies(['deepwordbug'], { constraints: [protect(['charming film'])], numExamples: 1 });
  expect(made.length).toBe(3);
  for (const { id, text } of made) expect([id, text]).toEqual(['0', expect.stringContaining('charming film')]);
});

test.each(['x.tsv', 'x.csv', 'x.jsonl'])('what is written to %s is read back', async (name) => {
  const path = join(mkdtempSync(join(tmpdir(), 'augment-')), name);
  const format = rowFormat(path);
  const texts = ['plain', '"quoted, whole"', 'a "part" of; it', '"', 'Grüße, 映画', "it 's"];
  const rows = texts.map((text, at) => format?.row({ text, label: at % 2 ? 'no' : 'yes', id: String(at), attack: '' }));
  writeFileSync(path, `${format?.header}${rows.join('')}`);
  const read = await openDataset(path);
  expect(read.labels).toEqual(['no', 'yes']);
  let at = 0;
  for await (const { text, label } of read.examples()) {
    expect([text, label]).toEqual([texts[at], at % 2 ? 0 : 1]);
    at++;
  }
  expect(at).toBe(texts.length);
});

test.each(['x.tsv', 'x.csv', 'x.jsonl'])('pairs that are written to %s are read back, in their order', async (name) => {
  const path = join(mkdtempSync(join(tmpdir(), 'augment-')), name);
  const textColumns = ['the premise', 'it, "so"'];
  const format = rowFormat(path, textColumns);
  const pairs = [
    { id: '0', text: 'attacked', text2: 'beside' },
    { id: '1', text: '"quoted"', text2: "it 's", attacked: 'first' as const },
  ];
  writeFileSync(
    path,
    `${format?.header}${pairs.map((each, at) => format?.row({ ...each, label: String(at), attack: '' })).join('')}`,
  );
  const read = [];
  for await (const { text, text2 } of (await openDataset(path, { textColumns })).examples()) read.push([text2, text]);
  expect(read).toEqual([
    ['beside', 'attacked'],
    ['"quoted"', "it 's"],
  ]);
});

test('other endings have no format', () => {
  for (const path of ['x', 'x.parquet', 'x.constructor']) expect(rowFormat(path)).toBeUndefined();
});

test('placeholders stay in every copy under keep-placeholders', async () => {
  const tweets: Dataset = {
    ...dataset,
    async *examples() {
      for (const at of [0, 1, 2, 3])
        yield { id: String(at), text: `@username thanks <NAME> for http and {{city}} number ${at}`, label: 0 };
    },
  };
  const made = await copies(['human-typos', 'deepwordbug', 'textbugger'], {
    dataset: tweets,
    constraints: [keepPlaceholders],
  });
  expect(made.length).toBeGreaterThan(10);
  for (const { text } of made)
    for (const kept of ['@username', '<NAME>', 'http', '{{city}}']) expect(text).toContain(kept);
  const edited = await copies(['human-typos', 'deepwordbug', 'textbugger'], { dataset: tweets });
  expect(edited.some(({ text }) => !text.includes('@username') || !text.includes('<NAME>'))).toBe(true);
});
