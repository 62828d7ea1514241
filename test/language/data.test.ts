/** Words are data: every list lies in a file that names its source and licence, and none in code. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

const filesBelow = (folder: string, ending: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => join(entry.parentPath, entry.name));

const data = ['src/language/data', 'src/language/english/data', 'src/language/packs/data'].flatMap((folder) =>
  filesBelow(folder, ''),
);

test.each(data)('%s names its source and licence, and is packaged', (file) => {
  const header = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('# '));
  expect(header.join('\n')).toMatch(/^# Source: .+\. Licence: .+\.$/m);
  const packaged: readonly string[] = JSON.parse(readFileSync('package.json', 'utf8')).files;
  expect(packaged.some((folder) => file.startsWith(`${folder}/`))).toBe(true);
});

/** Words in a row that make a list: a rule of grammar names a few, a vocabulary names more. */
const MANY = 8;
const isWord = (text: string): boolean => /^[a-z][a-z'’]*$/.test(text);

/** The lists of words in code: arrays of strings, strings cut at spaces, and expressions that match one of many words. */
function lists(file: string, code = readFileSync(file, 'utf8')): string[] {
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const words = ts.isArrayLiteralExpression(node)
      ? node.elements.flatMap((each) => (ts.isStringLiteral(each) ? [each.text] : []))
      : ts.isStringLiteral(node) && ts.isPropertyAccessExpression(node.parent) && node.parent.name.text === 'split'
        ? node.text.split(/\s+/)
        : ts.isRegularExpressionLiteral(node)
          ? (/\^\(\?:([^()]+)\)\$/.exec(node.text)?.[1] ?? '').split('|')
          : [];
    const listed = words.filter(isWord);
    if (listed.length > MANY) found.push(`${file}: ${listed.slice(0, 3).join(', ')}, ...`);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

describe('code', () => {
  test.each(['src/language', 'src/constraints', 'src/defence', 'src/search', 'src/recipes', 'attacks'])(
    '%s holds no list of words',
    (folder) => expect(filesBelow(folder, '.ts').flatMap((file) => lists(file))).toEqual([]),
  );

  test.each([
    ["new Set(['a', 'an', 'the', 'this', 'that', 'these', 'those', 'my', 'your'])", 1],
    ["'a an the this that these those my your'.split(' ')", 1],
    ['/^(?:a|an|the|this|that|these|those|my|your)$/i', 1],
    ["['a', 'an', 'the']; /(?:ness|ment|tion|sion|ship|hood|ity|ism|fest|dom)$/", 0],
  ])('of %s it sees %d', (code, count) => expect(lists('a.ts', code)).toHaveLength(count));
});
