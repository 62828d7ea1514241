/** Words are data: every list lies in a file that names its source and licence, and none in code. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const filesBelow = (folder: string, ending: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => join(entry.parentPath, entry.name));

test('every list names its source and licence, and is packaged', () => {
  const { files }: { files: readonly string[] } = JSON.parse(readFileSync('package.json', 'utf8'));
  const lists = ['src/language/data', 'src/language/english/data', 'src/language/packs/data'].flatMap((folder) =>
    filesBelow(folder, ''),
  );
  expect(lists.length).toBeGreaterThan(10);
  const unnamed = lists.filter((file) => !/^# Source: .+\. Licence: .+\.$/m.test(readFileSync(file, 'utf8')));
  expect(unnamed).toEqual([]);
  expect(lists.filter((file) => !files.some((folder) => file.startsWith(`${folder}/`)))).toEqual([]);
});

/** Words in a row that make a list: a rule of grammar names a few, a vocabulary names more. */
const MANY = 8;
const isWord = (text: string): boolean => /^[a-z][a-z'’]*$/.test(text);

/** The lists of words in code: arrays of strings, strings cut at spaces, and expressions that match one of many words. */
function lists(code: string): string[] {
  const arrays = Array.from(code.matchAll(/\[[^[\]]*\]/g), ([array]) =>
    Array.from(array.matchAll(/'([^'\n]*)'|"([^"\n]*)"/g), ([, one, other]) => one ?? other ?? ''),
  );
  const cut = Array.from(code.matchAll(/(['"])([^'"\n]*)\1\s*\.split\(/g), ([, , text = '']) => text.split(/\s+/));
  const matched = Array.from(code.matchAll(/\/\^\(\?:([^()\n]+)\)\$\//g), ([, words = '']) => words.split('|'));
  return [...arrays, ...cut, ...matched]
    .map((words) => words.filter(isWord))
    .filter(({ length }) => length > MANY)
    .map((words) => `${words.slice(0, 3).join(', ')}, ...`);
}

test('code holds no list of words', () => {
  const folders = ['src/language', 'src/constraints', 'src/defence', 'src/search', 'src/recipes', 'attacks'];
  const files = folders.flatMap((folder) => filesBelow(folder, '.ts'));
  expect(files.length).toBeGreaterThan(100);
  expect(files.flatMap((file) => lists(readFileSync(file, 'utf8')).map((list) => `${file}: ${list}`))).toEqual([]);
});

test.each([
  ["new Set(['a', 'an', 'the', 'this', 'that', 'these', 'those', 'my', 'your'])", 1],
  ["'a an the this that these those my your'.split(' ')", 1],
  ['/^(?:a|an|the|this|that|these|those|my|your)$/i', 1],
  ["['a', 'an', 'the']; /(?:ness|ment|tion|sion|ship|hood|ity|ism|fest|dom)$/", 0],
])('of %s it sees %d', (code, count) => expect(lists(code)).toHaveLength(count));
