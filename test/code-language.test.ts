/** Comments and messages are in the field's language. Prints the median sentence length of comments and the twenty longest sentences. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../src/core/package-root.js';
import { type Passage, passages, sentencesOf, sourceFiles, wordCount } from './code-prose.js';
import { CODE_DIALECT, COMMENT_DIALECT, phrasesIn } from './dialect.js';

const folders = (parent: string): string[] =>
  readdirSync(join(packageRoot, parent), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${parent}/${name}`);
const topFiles = (folder: string): string[] => sourceFiles(folder).filter((file) => file.split('/').length === 2);

/** [name, its files]; the files at the top of src and test are rooms called `src` and `test`. */
const rooms: readonly (readonly [string, readonly string[]])[] = [
  ...['src', 'test'].map((top) => [top, topFiles(top)] as const),
  ...[...folders('src'), ...folders('test'), 'attacks', 'datasets', 'reports', 'templates', 'bin', 'bench']
    .map((folder) => [folder, sourceFiles(folder)] as const)
    .filter(([, files]) => files.length > 0),
];
/** The lists of phrases quote what they forbid. */
const QUOTES = new Set(['test/dialect.ts', 'test/code-language.test.ts', 'test/docs-language.test.ts']);
const read = new Map<string, readonly Passage[]>(
  rooms.map(([room, files]) => [room, files.filter((file) => !QUOTES.has(file)).flatMap(passages)]),
);
const hitsIn = (room: string): string[] =>
  (read.get(room) ?? []).flatMap(({ file, line, kind, text }) =>
    phrasesIn(text, kind === 'comment' ? COMMENT_DIALECT : CODE_DIALECT).map((phrase) => `${file}:${line} ${phrase}`),
  );

describe('comments and messages have no phrase of the list', () => {
  test.each(rooms.map(([room]) => room))('%s', (room) => {
    expect(hitsIn(room)).toEqual([]);
  });
});

test('sentences of comments are short: the median has at most 16 words', () => {
  const product = [...read].filter(([room]) => !room.startsWith('test')).flatMap(([, found]) => found);
  const all = product
    .filter(({ kind }) => kind === 'comment')
    .flatMap(({ file, line, text }) =>
      sentencesOf(text).map((sentence) => ({ file, line, sentence, length: wordCount(sentence) })),
    )
    .toSorted((a, b) => b.length - a.length);
  const median = all[all.length >> 1]?.length;
  console.info(
    [
      `Median sentence of comments: ${median} words of ${all.length} sentences. The longest:`,
      ...all.slice(0, 20).map(({ file, line, sentence, length }) => `${length} ${file}:${line} ${sentence}`),
    ].join('\n'),
  );
  expect(median).toBeLessThanOrEqual(16);
});
