import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { labelIndices } from '../../datasets/labels.js';
import { labelHint, labelMeaning } from '../../src/core/label-words.js';
import { packageRoot } from '../../src/core/package-root.js';
import type { RobustError } from '../../src/plugin.js';

const LABELS = ['NEGATIVE', 'POSITIVE'];
const places = (...values: string[]) => new Map(values.map((value, at) => [value, { path: 'data.tsv', line: at + 1 }]));

test.each([
  ['indices by the names they stand for', { NEGATIVE: 'POSITIVE', POSITIVE: 'NEGATIVE' }, ['0', '1'], [1, 0]],
  ['names by index', { 0: '1', 1: '0' }, ['0', '1'], [1, 0]],
  ['only what the map names', { neg: 'NEGATIVE' }, ['neg', 'positive'], [0, 1]],
  [
    'a key that is written in the file before one that stands for it',
    { 0: 'NEGATIVE', negative: 'POSITIVE' },
    ['0'],
    [0],
  ],
])('a label map renames %s', (_what, map, values, expected) => {
  expect([...labelIndices(places(...values), LABELS, map).values()]).toEqual(expected);
});

/** The hint of the refusal. */
function hintFor(values: readonly string[], labels: readonly string[]): string | undefined {
  try {
    labelIndices(places(...values), labels, {});
  } catch (error) {
    expect(error).toMatchObject({ exit: 3 });
    return (error as RobustError).hint;
  }
  return undefined;
}

const both = (data: string, model: string) => `The data's labels are ${data}; the model's are ${model}. Map each`;

test.each([
  [['good', 'bad'], LABELS, 'If they mean the same: --label-map good=POSITIVE --label-map bad=NEGATIVE'],
  [['attack'], ['SAFE', 'INJECTION'], 'If they mean the same: --label-map attack=INJECTION'],
  [['non-spam', 'Junk'], ['ham', 'spam'], 'If they mean the same: --label-map non-spam=ham --label-map Junk=spam'],
  [['not spam', 'spam'], ['ham', 'spam'], 'If they mean the same: --label-map "not spam=ham"'],
  // One of two would be a guess.
  [['attack'], ['benign', 'injection', 'jailbreak'], both('"attack"', '"benign", "injection", "jailbreak"')],
  [['good', 'mixed'], LABELS, both('"good", "mixed"', '"NEGATIVE", "POSITIVE"')],
  [['good', 'pos'], LABELS, both('"good", "pos"', '"NEGATIVE", "POSITIVE"')],
  [['tall'], ['LABEL_0', 'LABEL_1'], both('"tall"', '"LABEL_0", "LABEL_1"')],
])('labels %j of data for a model of %j: %s', (values, labels, hint) => {
  expect(hintFor(values, labels)).toContain(hint);
});

test.each([
  ['safe', ['unsafe', 'other'], 'The labels are unsafe, other.'],
  ['toxic', ['non-toxic', 'insult'], 'The labels are non-toxic, insult.'],
  ['good', ['NEGATIVE', 'POSITIVE'], 'Did you mean "POSITIVE"?'],
  ['attack', ['SAFE', 'UNSAFE'], 'Did you mean "UNSAFE"?'],
  ['POSITVE', ['NEGATIVE', 'POSITIVE'], 'Did you mean "POSITIVE"?'],
  ['accetable', ['unacceptable', 'acceptable'], 'Did you mean "acceptable"?'],
])('"%s" among %j: %s', (name, labels, hint) => expect(labelHint(name, labels)).toBe(hint));

test('the list of label words has each word once, and no label is mapped to another line of it', () => {
  const lines = readFileSync(join(packageRoot, 'datasets', 'data', 'label-words.tsv'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('\t'));
  const words = lines.flat();
  expect(new Set(words).size).toBe(words.length);
  const firsts = lines.map(([first]) => first as string);
  for (const line of lines) for (const word of line) expect(labelMeaning(word, firsts)).toBe(line[0]);
});

test.each([
  [
    ['true', 'false'],
    ['SAFE', 'INJECTION'],
    [1, 0],
  ],
  [
    ['True', 'False'],
    ['SAFE', 'INJECTION'],
    [1, 0],
  ],
  [
    ['true', 'false'],
    ['true', 'false'],
    [0, 1],
  ],
])('booleans %j are labels of %j: %j', (values, labels, expected) => {
  expect([...labelIndices(places(...values), labels, {}).values()]).toEqual(expected);
});

test('of more than two labels a boolean names none', () => {
  expect(hintFor(['true'], ['a', 'b', 'c'])).toContain(both('"true"', '"a", "b", "c"'));
});
