/** Numbers and their nouns agree: `1 example`, never `1 examples`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chalk } from 'chalk';
import { expect, test } from 'vitest';
import { evaluationDocument, onScreen } from '../../reports/index.js';
import { quantity } from '../../src/core/figure-text.js';
import { packageRoot } from '../../src/core/package-root.js';
import { wilson } from '../../src/core/statistics/stats.js';
import type { CleanMetrics } from '../../src/results/clean/clean-metrics.js';
import { folder, robust } from '../commands/cli.js';
import { report } from './fixture.js';

const NOUNS =
  'examples|texts|attacks|words|requests|jobs|labels|outcomes|queries|copies|steps|pairs|errors|thresholds|models|rows';

/** The places where a number stands before a plural that does not follow it. */
const disagreeing = (text: string): string[] =>
  text.match(new RegExp(`(?<![\\d.,-])1 (?:${NOUNS})\\b.{0,20}`, 'g')) ?? [];

test('a quantity', () => {
  expect([0, 1, 2].map((n) => quantity(n, 'example'))).toEqual(['0 examples', '1 example', '2 examples']);
  expect(quantity(1, 'query', 'queries')).toBe('1 query');
  expect(disagreeing('on 1 examples, 11 examples, 0.1 texts')).toEqual(['1 examples, 11 examples, 0.1 t']);
});

test.each([
  'attack -n 1 -a deepwordbug',
  'attack -n 1 -a deepwordbug --wide -v',
  'attack -n 1 -a deepwordbug --dry-run',
  'evaluate -n 1',
  'compare distilbert bert-mini -n 1 -a deepwordbug',
  'gate -n 1 -a deepwordbug --require clean.accuracy>=0.5',
  'explain Good',
])('robust %s', async (line) => {
  const cwd = folder();
  const { stdout, stderr } = await robust(line.split(' '), { cwd });
  expect(disagreeing(`${stdout}\n${stderr}`)).toEqual([]);
  if (!line.startsWith('attack')) return;
  for (const ending of ['md', 'html', 'xml']) {
    if (line.includes('dry-run')) continue;
    expect((await robust(['report', '-o', `r.${ending}`], { cwd })).code).toBe(0);
    expect(disagreeing(readFileSync(join(cwd, `r.${ending}`), 'utf8'))).toEqual([]);
  }
});

test('evaluation of one example', () => {
  const clean = { ...(report().clean as CleanMetrics), accuracy: wilson(1, 1) };
  const document = evaluationDocument({ model: 'm', data: 'd', labels: ['a', 'b'], clean });
  expect([...onScreen(document, { width: 80, chalk: new Chalk({ level: 0 }) })].join('')).toContain('on 1 example');
});

test.each(['reports', 'src/fleet', 'src/serve', 'src/ui'])('%s: no number before a fixed plural', (room) => {
  const files = readdirSync(join(packageRoot, room), { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => file.endsWith('.ts'));
  const written = new RegExp(`\\$\\{(?![^}]*(?:MIN_|MOST_|quantity|percent|points))[^{}]*\\} (?:${NOUNS})\\b`, 'g');
  const found = sources.flatMap((file) =>
    (readFileSync(join(packageRoot, room, file), 'utf8').match(written) ?? []).map((each) => `${file}: ${each}`),
  );
  expect(found).toEqual([]);
});
