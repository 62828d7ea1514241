/** Hostile texts through every format and stream: they stay texts. The campaign "text" does the same many thousand times. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { grammars } from './text/grammars.js';
import { text } from './text/index.js';
import { trials } from './trials.js';

test('a hundred trials end well', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'robust-text-'));
  mkdirSync(folder, { recursive: true });
  const done = await trials(text, { count: 100, seed: 1, folder, jobs: 1 });
  expect(done.filter(({ fault }) => fault !== undefined)).toEqual([]);
  expect(new Set(done.map(({ kind }) => kind)).size).toBeGreaterThan(25);
  rmSync(folder, { recursive: true });
});

const page = (body: string): string =>
  `<!doctype html><html><head><title>x</title></head><body><p class="a" title="x">${body}</p></body></html>`;
const xml = (body: string): string => `<?xml version="1.0" encoding="UTF-8"?>\n<a b="x">${body}</a>`;

// Faults that the checks must find.
test.each([
  ['an element', 'html', page('<b>x</b>'), page('x')],
  ['an attribute', 'html', page('x').replace('title=', 'onload="x" title='), page('x')],
  ['an address', 'html', page('<a href="javascript:x">x</a>'), page('<a href="#a">x</a>')],
  ['a script', 'html', page('<script>y</script>'), page('<script>x</script>')],
  ['a comment', 'html', page('<!-- x -->'), page('x')],
  ['a control', 'html', page('a\u0007'), page('x')],
  ['an element', 'junit', xml('<c/>'), xml('x')],
  ['a control', 'junit', xml('a\u202Eb'), xml('x')],
  ['a link', 'markdown', '[x](y)\n', 'x\n'],
  ['a heading', 'markdown', '# x\n', 'x\n'],
  ['an open fence', 'markdown', '```\nx\n', '```\nx\n```\n'],
  ['a cell', 'markdown', '| a | b |\n| a | b | c |\n', '| a | b |\n'],
  ['a formula', 'csv', 'a,b\n=1,2\n', 'a,b\n1,2\n'],
  ['a row', 'csv', 'a,b\n1,2\n3,4\n', 'a,b\n1,2\n'],
  ['a key', 'model-card', 'a: 1\nb: 2\n', 'a: 1\n'],
  ['the end of the block', 'model-card', 'a: 1\n---\n', 'a: 1\n'],
  ['a sample', 'openmetrics', 'robust_x{a="b"} 1\nforged 1\n# EOF\n', 'robust_x{a="b"} 1\nforged 1\n# EOF\n'],
  ['an escape sequence', 'screen', '\u001B[2J', ''],
  ['an annotation', 'annotations', '::error::x\n', ''],
  ['other values', 'json', '{"a":1}', '{"a":2}'],
  ['an output', 'outputs', 'a<<x\n1\nx\nb<<y\n2\ny\n', ''],
] as const)('%s too many is a fault of %s', (_, name, document, same) => {
  expect(grammars[name](document, same, { a: '1' })).toBeTypeOf('string');
});
