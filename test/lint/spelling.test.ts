/** The words of README, the documents and the help pages are in a British dictionary or in test/words.txt. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import dictionary from 'dictionary-en-gb';
import nspell from 'nspell';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';
import { documents } from '../documents.js';

const read = (file: string): string => readFileSync(join(packageRoot, file), 'utf8');
const files = [
  ...['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'bench/README.md'],
  // Without the list of operators, which is a list of names.
  ...documents.filter((file) => !file.endsWith('/supported-ops.md')),
];
const { commands } = JSON.parse(read('oclif.manifest.json')) as {
  commands: Record<string, { summary?: string; description?: string; flags: Record<string, { description?: string }> }>;
};
const pages = Object.entries(commands).map(([name, { summary = '', description = '', flags }]) => {
  const told = [summary, description, ...Object.values(flags).map((flag) => flag.description ?? '')];
  return [`robust ${name} --help`, told.join('\n\n')] as const;
});
const texts: readonly (readonly [string, string])[] = [...files.map((file) => [file, read(file)] as const), ...pages];

const CODE = /^(`{3,})[\s\S]*?^\1|^ {4}.*$|``.+?``|`[^`]*`/gm;
const WORD = /\p{L}[\p{L}\p{M}]*(?:['’]\p{L}+)*/gu;
/** Prose: no code, no addresses with the titles of what they lead to, no quoted texts, which may be what an attack made. */
const prose = (text: string): string =>
  text
    .replace(CODE, ' ')
    .replace(/\[[^\]]*\]\(https?:[^)]*\)|\]\([^)]*\)|<[^>\n]*>|\bhttps?:\S+/g, ' ')
    .replace(/["“](?:[^"”\n]|\n(?![\n|]))*["”]/g, ' ')
    // Names: of files, options, methods, citations, and words that begin with a capital within a sentence.
    .replace(
      /[\w@-]*[\w-][./_:=]\w[\w./:=-]*|--[\w-]+|\p{L}*\p{L}\p{Lu}[\p{L}'’]*|(?<=[^.!?:|\s*]["*(]?\s["*(]?)\p{Lu}[\p{L}\p{M}'’]+/gu,
      ' ',
    );

const spelling = nspell({ aff: Buffer.from(dictionary.aff), dic: Buffer.from(dictionary.dic) });
const ours = new Set(read('test/words.txt').trim().split('\n'));
/** Code in documents is a name. */
const names = new Set(
  texts.flatMap(([, text]) => (text.match(CODE) ?? []).flatMap((code) => code.toLowerCase().match(/\p{L}+/gu) ?? [])),
);
const bare = (word: string): string => word.replace('’', "'").replace(/'s$/, '');
const known = (word: string): boolean =>
  word.length < 3 || spelling.correct(word) || spelling.correct(word.toLowerCase()) || names.has(word.toLowerCase());
const wordsIn = (text: string): string[] => (prose(text).match(WORD) ?? []).map(bare);
const unknown = (text: string): string[] => wordsIn(text).filter((word) => !known(word));

describe('spelling', () => {
  test('every word is known', () => {
    const slips = texts.flatMap(([file, text]) => unknown(text).map((word) => [file, word] as const));
    expect(slips.filter(([, word]) => !ours.has(word.toLowerCase()))).toEqual([]);
  });

  test('a slip is seen', () => expect(unknown('The `modle` is atacked; "godo" is not.')).toEqual(['atacked']));

  test('words.txt is sorted, and holds no word that nothing uses', () => {
    const used = new Set(texts.flatMap(([, text]) => wordsIn(text)).map((word) => word.toLowerCase()));
    expect([...ours]).toEqual([...ours].filter((word) => used.has(word)).sort());
  });
});
