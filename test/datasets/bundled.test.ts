import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readTsv } from '../../datasets/delimited.js';
import { bundledDatasets, openDataset } from '../../datasets/index.js';

test.each(['reviews', 'probes'])('%s opens, is listed with its size, and fits a sentiment model', async (name) => {
  const data = await openDataset(name, { labels: ['NEGATIVE', 'POSITIVE'] });
  expect(data).toMatchObject({ name, source: { url: `bundled:${name}`, license: 'MIT' } });
  expect(bundledDatasets().find((one) => one.name === name)?.size).toBe(data.size);
  expect((await openDataset(name)).labels).toEqual(['negative', 'positive']);
});

interface Review {
  readonly text: string;
  readonly label: string;
  readonly domain: string;
  readonly traits: string;
}

async function reviewRows(): Promise<Review[]> {
  const rows: Review[] = [];
  const table = await readTsv('datasets/data/reviews.tsv', () => false);
  for await (const { cells } of table.rows(['text', 'label', 'domain', 'traits'])) {
    const [text, label, domain, traits] = cells as string[];
    rows.push({ text, label, domain, traits });
  }
  return rows;
}

/** Without case and punctuation, so that SST-2's tokenised "it 's" equals "it's". */
const graphemesOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
const wordsOf = (text: string): Set<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}']+/gu));

function expectNoTwoAlike(texts: readonly string[]): void {
  const sets = texts.map(wordsOf);
  for (const [at, one] of sets.entries()) {
    for (const [before, other] of sets.slice(0, at).entries()) {
      const shared = [...one].filter((word) => other.has(word)).length;
      const jaccard = shared / (one.size + other.size - shared);
      if (jaccard > 0.6) expect.fail(`${texts[before]} | ${texts[at]}: ${jaccard}`);
    }
  }
}

describe('reviews', async () => {
  const rows = await reviewRows();
  const countOf = (key: keyof Review): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const row of rows) counts.set(row[key], (counts.get(row[key]) ?? 0) + 1);
    return counts;
  };

  test('as many negative as positive, in any first n too', () => {
    expect(countOf('label')).toEqual(
      new Map([
        ['positive', 300],
        ['negative', 300],
      ]),
    );
    let balance = 0;
    for (const { label } of rows) {
      balance += label === 'positive' ? 1 : -1;
      expect(Math.abs(balance)).toBeLessThanOrEqual(1);
    }
  });

  test('many domains, and enough of each trait to be seen', () => {
    expect(countOf('domain').size).toBeGreaterThanOrEqual(14);
    const traits = countOf('traits');
    for (const trait of ['negation', 'irony', 'mixed', 'comparative', 'understatement', 'slang', 'long']) {
      expect(traits.get(trait), trait).toBeGreaterThanOrEqual(15);
    }
    expect(traits.get('explicit')).toBeLessThan(rows.length * 0.55);
  });

  test('both labels under every common trait, so that a trait does not give the label away', () => {
    for (const [trait, n] of countOf('traits')) {
      const positive = rows.filter((row) => row.traits === trait && row.label === 'positive').length;
      if (n >= 15 && trait !== 'irony')
        expect(positive / n, trait).toSatisfy((share: number) => share > 0.3 && share < 0.7);
    }
  });

  test('3 to 45 words, trimmed, one space between words', () => {
    for (const { text } of rows) {
      const words = text.split(' ');
      expect(words.length, text).toBeGreaterThanOrEqual(3);
      expect(words.length, text).toBeLessThanOrEqual(45);
      expect(words, text).not.toContain('');
    }
  });

  test('no two alike: word sets overlap by at most 0.6', () => expectNoTwoAlike(rows.map(({ text }) => text)));

  test.skipIf(!existsSync('../shared/data/sst2'))(
    'none is in SST-2 (skipped where ../shared/data is absent)',
    async () => {
      const ours = new Set(rows.map(({ text }) => graphemesOf(text)));
      for (const split of ['train', 'train-sentences', 'dev', 'test']) {
        for await (const { text } of (await openDataset(`../shared/data/sst2/${split}.tsv`)).examples()) {
          if (ours.has(graphemesOf(text))) expect.fail(`${split}: ${text}`);
        }
      }
    },
  );
});

/** The sentences of the probes' table, two a pair, the original first. */
async function probePairs(): Promise<Record<string, string>[][]> {
  const columns = ['id', 'text', 'label', 'pair', 'relation'];
  const rows: Record<string, string>[] = [];
  for await (const { cells } of (await readTsv('datasets/data/probes.tsv', () => false)).rows(columns)) {
    rows.push(Object.fromEntries(columns.map((column, at) => [column, cells[at] as string])));
  }
  return Array.from({ length: rows.length / 2 }, (_, at) => rows.slice(2 * at, 2 * at + 2));
}

describe('probes', () => {
  test('every row is half of a pair with its id, and INV pairs share a label', async () => {
    const pairs = await probePairs();
    const ids: string[] = [];
    for await (const { id } of (await openDataset('probes')).examples()) ids.push(id);
    expect(pairs.flatMap(([{ pair }]) => [`${pair}a`, `${pair}b`])).toEqual(ids);
    for (const [original, variant] of pairs) {
      const { pair, relation } = original;
      expect(['INV', 'DIR', 'MFT'], pair).toContain(relation);
      expect([original.id, variant.id]).toEqual([`${pair}a`, `${pair}b`]);
      if (relation === 'INV') expect(original.label, pair).toBe(variant.label);
    }
  });

  test('at least 60 pairs, no sentence twice, the classic ones among them', async () => {
    const pairs = await probePairs();
    expect(pairs.length).toBeGreaterThanOrEqual(60);
    const texts = pairs.flat().map(({ text }) => text);
    expect(new Set(texts).size).toBe(texts.length);
    expect(pairs.map(([original, variant]) => [original.text, variant.text, original.relation])).toEqual(
      expect.arrayContaining([
        ['What an idiot!', 'What an idiit!', 'INV'],
        ['This is a good film.', 'This is a g o o d film.', 'INV'],
        ['An enjoyable little film.', 'A cosy little film.', 'INV'],
        ['There is nothing I do not like about this movie.', 'There is nothing I do like about this movie.', 'DIR'],
        ['I recommend this book.', 'I do not recommend this book.', 'DIR'],
      ]),
    );
  });
});

describe('prompts', async () => {
  const rows: { text: string; label: string; family: string }[] = [];
  const table = await readTsv('datasets/data/prompts.tsv', () => false);
  for await (const { cells } of table.rows(['text', 'label', 'family'])) {
    const [text, label, family] = cells as string[];
    rows.push({ text, label, family });
  }
  const texts = rows.map(({ text }) => text);
  /** Number of 300 labels that a rule predicts correctly: one label if `says` holds, else the other. */
  const rightBy = (says: (text: string) => boolean): number => {
    const right = rows.filter(({ text, label }) => says(text) === (label === 'attack')).length;
    return Math.max(right, rows.length - right);
  };

  test('opens, is listed with its size, and names its licence', async () => {
    const data = await openDataset('prompts');
    expect(data).toMatchObject({
      size: 300,
      labels: ['attack', 'benign'],
      source: { url: 'bundled:prompts', license: 'MIT' },
    });
    expect(bundledDatasets().find(({ name }) => name === 'prompts')?.size).toBe(300);
  });

  test('fifteen of each label in each of ten families, and a fair sample in any first n', () => {
    const counts = new Map<string, number>();
    let balance = 0;
    for (const { label, family } of rows) {
      counts.set(`${family} ${label}`, (counts.get(`${family} ${label}`) ?? 0) + 1);
      balance += label === 'attack' ? 1 : -1;
      expect(Math.abs(balance)).toBeLessThanOrEqual(1);
    }
    expect(counts.size).toBe(20);
    expect(new Set(counts.values())).toEqual(new Set([15]));
  });

  test('no two alike: word sets overlap by at most 0.6', () => expectNoTwoAlike(texts));

  test('neither length nor one word or sign gives more than 65 % of the labels away', () => {
    const most = 0.65 * rows.length;
    for (let length = 4; length < 30; length++)
      expect(
        rightBy((text) => text.split(' ').length > length),
        `${length} words`,
      ).toBeLessThan(most);
    for (let length = 20; length < 200; length += 5)
      expect(
        rightBy((text) => text.length > length),
        `${length} characters`,
      ).toBeLessThan(most);
    const tokens = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}']+|[^\s\p{L}\p{N}]/gu));
    const sets = new Map(texts.map((text) => [text, tokens(text)]));
    for (const token of new Set([...sets.values()].flatMap((set) => [...set])))
      expect(
        rightBy((text) => sets.get(text)?.has(token) ?? false),
        token,
      ).toBeLessThan(most);
  });
});

test('no text that the recipe of the detector learns is near to one of prompts: at most 0.6 of the words are shared', async () => {
  const learnt = execFileSync(process.execPath, ['models/detector-texts.js'], { encoding: 'utf8', maxBuffer: 1 << 26 })
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((row) => row.split('\t'));
  expect(new Set(learnt.map(([, label]) => label))).toEqual(new Set(['attack', 'benign']));
  const sets = learnt.map(([text]) => wordsOf(text as string));
  for await (const { text } of (await openDataset('prompts')).examples()) {
    const own = wordsOf(text);
    for (const [at, set] of sets.entries()) {
      let shared = 0;
      for (const word of own) if (set.has(word)) shared++;
      if (shared > 0.6 * (own.size + set.size - shared)) expect.fail(`${text} | ${learnt[at]?.[0]}`);
    }
  }
});
