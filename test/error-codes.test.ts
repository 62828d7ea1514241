/** @file Error codes: each is of a family, or one of a few of its own, and docs/reference/error-codes.md lists all that the sources name. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PARTS } from '../src/app/plugins/registry.js';
import { type ErrorCode, FAMILIES, OWN_CODES, RobustError } from '../src/core/errors.js';
import { packageRoot } from '../src/core/package-root.js';

const page = readFileSync(join(packageRoot, 'docs', 'reference', 'error-codes.md'), 'utf8');
const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| (\d+) \| (.+) \|$/gm)].map(([, name = '', exit, meaning = '']) => ({
  name,
  exit: Number(exit),
  meaning,
}));
const families = rows.filter(({ name }) => name in FAMILIES);
const codes = rows.filter(({ name }) => !(name in FAMILIES));

/** String literals in the sources that are error codes by their form. Node's own begin with ERR_, or are of modules. */
function codesInSources(): string[] {
  const form = new RegExp(
    `'([A-Z_]+_(?:${Object.keys(FAMILIES).join('|')})|${Object.keys(OWN_CODES).join('|')})'`,
    'g',
  );
  const folders = ['src', 'attacks', 'datasets', 'reports', 'packages'];
  const texts = execFileSync('git', ['ls-files', ...folders], { cwd: packageRoot, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(packageRoot, file), 'utf8'));
  const found = texts.flatMap((text) => [...text.matchAll(form)].map(([, name = '']) => name));
  return found.filter((name) => !/^(ERR|MODULE)_/.test(name));
}

/** The registry makes the codes of its kinds out of their names. */
const ofKinds = [...PARTS, 'defence'].map((kind) => `${kind.toUpperCase()}_NOT_FOUND`);

test('the page lists the codes of the sources, in order', () => {
  const named = [...new Set([...codesInSources(), ...ofKinds])].sort();
  expect(codes.map(({ name }) => name)).toEqual(named);
});

test('no two codes mean the same', () => {
  expect(new Set(codes.map(({ meaning }) => meaning)).size).toBe(codes.length);
});

test('a family has one exit code', () => {
  expect(Object.fromEntries(families.map(({ name, exit }) => [name, exit]))).toEqual(FAMILIES);
  for (const { name, exit } of codes) expect(new RobustError('m', { code: name as ErrorCode }).exit, name).toBe(exit);
});
