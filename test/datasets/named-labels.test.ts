/** Label columns of numbers whose names the data set states. */
import { expect, test } from 'vitest';
import { featureNames } from '../../datasets/features.js';
import { type DatasetOptions, openDataset } from '../../datasets/index.js';
import { filesSource } from '../../datasets/source.js';
import { refusal } from '../refusal.js';
import { fileOf } from './write.js';

const NLI = ['entailment', 'neutral', 'contradiction'];

/** The labels of the rows, by the names that the data set has in the end; and what was warned of. */
async function read(cells: readonly string[], names: readonly string[], options: DatasetOptions = {}) {
  const path = fileOf('a.tsv', `text\tlabel\n${cells.map((cell, at) => `text ${at}\t${cell}\n`).join('')}`);
  const warnings: string[] = [];
  const source = filesSource([path], {
    name: 'a',
    url: 'test:a',
    license: 'unknown',
    labelNames: new Map([['label', names]]),
  });
  const data = await openDataset(source, { ...options, onWarning: (message) => warnings.push(message) });
  const found: string[] = [];
  for await (const { label, labels } of data.examples()) {
    found.push(labels ? labels.map((each) => data.labels[each]).join('+') : (data.labels[label] as string));
  }
  return { found, labels: data.labels, warnings };
}

test('without a model they are the labels, in the order of their numbers', async () => {
  expect(await read(['2', '0'], NLI)).toEqual({ found: ['contradiction', 'entailment'], labels: NLI, warnings: [] });
});

test('a model that numbers them otherwise agrees by name', async () => {
  const labels = ['CONTRADICTION', 'ENTAILMENT', 'NEUTRAL'];
  expect((await read(['0', '1', '2'], NLI, { labels })).found).toEqual(['ENTAILMENT', 'NEUTRAL', 'CONTRADICTION']);
});

test('where no name is one of the model, the numbers count, with a warning', async () => {
  const { found, warnings } = await read(['0', '1'], ['neg', 'pos'], { labels: ['NEGATIVE', 'POSITIVE'] });
  expect(found).toEqual(['NEGATIVE', 'POSITIVE']);
  expect(warnings).toEqual([expect.stringMatching(/neg, pos, the model NEGATIVE, POSITIVE: .*by their order/)]);
});

test('where some are and others are not, a number never turns one into another', async () => {
  const labels = ['NEGATIVE', 'POSITIVE'];
  const names = ['negative', 'neutral', 'positive'];
  await refusal(read(['1'], names, { labels }));
  expect((await read(['0', '2'], names, { labels })).found).toEqual(labels);
  // As many names as the model has labels, one of them unknown.
  await refusal(read(['1'], ['negative', 'mixed'], { labels }));
});

test('a label map names them by name or number', async () => {
  const labels = ['NEGATIVE', 'POSITIVE'];
  for (const labelMap of [
    { neg: 'POSITIVE', pos: 'NEGATIVE' },
    { '0': 'POSITIVE', '1': 'NEGATIVE' },
  ]) {
    expect((await read(['0', '1'], ['neg', 'pos'], { labels, labelMap })).found).toEqual(['POSITIVE', 'NEGATIVE']);
  }
});

test('a number without a name stays what it is, and is refused', async () => {
  await refusal(read(['0', '-1'], ['negative', 'positive']));
  await refusal(read(['0', '2'], ['negative', 'positive']));
});

test('lists of numbers are lists of names', async () => {
  const options = { labelSets: true, labels: ['TOXIC', 'INSULT', 'CLEAN'] };
  expect((await read(['[0, 1]', '[]'], ['insult', 'toxic'], options)).found).toEqual(['TOXIC+INSULT', '']);
});

test.each<[where: string, features: unknown, names: [string, string[]][] | undefined]>([
  [
    'metadata',
    { label: { names: ['a', 'b'], _type: 'ClassLabel' }, text: { dtype: 'string', _type: 'Value' } },
    [['label', ['a', 'b']]],
  ],
  ['metadata', { tags: { feature: { names: ['a'], _type: 'ClassLabel' }, _type: 'Sequence' } }, [['tags', ['a']]]],
  [
    'a README',
    [
      { name: 'text', dtype: 'string' },
      { name: 'label', dtype: { class_label: { names: { '1': 'b', '0': 'a' } } } },
    ],
    [['label', ['a', 'b']]],
  ],
  ['a README', [{ name: 'tags', sequence: { class_label: { names: { '0': 'a' } } } }], [['tags', ['a']]]],
  ['a README', [{ name: 'label', dtype: { class_label: { names: { '0': 'a', '2': 'c' } } } }], undefined],
  ['none', [{ name: 'text', dtype: 'string' }], undefined],
  ['none', undefined, undefined],
  ['none', 'features', undefined],
])('names of labels in %s', (_, features, names) => expect(featureNames(features)).toEqual(names && new Map(names)));
