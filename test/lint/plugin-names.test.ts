/** Each name of the plugin API is used by a built-in attack, a template, a guide, or the contract tests: what nobody needs is not public. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const users = execFileSync('git', ['ls-files', 'attacks', 'templates', 'docs', 'src/testing'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => /\.(ts|js|md)$/.test(path));
const words = new Set(users.flatMap((path) => readFileSync(join(root, path), 'utf8').match(/[A-Za-z_]\w*/g) ?? []));

const publicNames = (): string[] => {
  const path = join(root, 'src/plugin.ts');
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
  return source.statements.flatMap((statement) =>
    ts.isExportDeclaration(statement) && statement.exportClause && ts.isNamedExports(statement.exportClause)
      ? statement.exportClause.elements.map((element) => element.name.text)
      : [statement.getText(source)],
  );
};

test('every public name of the plugin API has a user', () => {
  const names = publicNames();
  expect(names).toContain('searchAttack');
  expect(names.filter((name) => !words.has(name))).toEqual([]);
});
