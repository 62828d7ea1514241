import { expect, test } from 'vitest';
import { ModelError } from '../../src/core/errors.js';
import type { Gap } from '../../src/core/fill-mask.js';
import { openMaskedLanguageModel } from '../../src/model/classifiers/masked-language-model.js';
import { refusal } from '../refusal.js';
import { maskedFolder } from './masked-toy.js';
import { roberta, unigram } from './tokenizers.js';
import { config, toyFolder, wordPiece } from './toy.js';

async function guesses(path: string, gaps: readonly Gap[], limit = 3): Promise<string[][]> {
  const model = await openMaskedLanguageModel(path, { workers: 2 });
  try {
    return (await model.guess(gaps, limit)).map((found) => found.map(({ word }) => word));
  } finally {
    await model.close();
  }
}

test('it guesses whole words from what stands before the gap, best first', async () => {
  const gaps = [
    { left: 'It is ', right: ' and a film.' },
    { left: 'a ', right: ' film' },
    { left: 'good ', right: '' },
  ];
  expect(await guesses(maskedFolder(), gaps)).toEqual([
    ['lovely', 'awful', 'good'],
    ['great', 'fine', 'dull'],
    ['movie', 'film', 'plot'],
  ]);
});

test('probabilities are among the whole vocabulary, and the same in any company', async () => {
  const model = await openMaskedLanguageModel(maskedFolder(), { workers: 1 });
  const gap = { left: 'a ', right: ' film' };
  const [alone] = await model.guess([gap], 4);
  const many = await model.guess(
    Array.from({ length: 9 }, (_, at) => (at === 6 ? gap : { left: 'the film is ', right: '' })),
    4,
  );
  await model.close();
  expect(many[6]).toEqual(alone);
  const sum = (alone ?? []).reduce((total, { probability }) => total + probability, 0);
  expect(sum).toBeGreaterThan(0.9); // the rest is on the sub-word it does not offer
  expect(sum).toBeLessThan(1);
});

test('a visible word suggests others, and a word of two pieces is replaced by two pieces', async () => {
  const seen = await guesses(maskedFolder(), [
    { left: 'the ', right: ' is', seen: 'film' },
    { left: 'a ', right: '', seen: 'films' },
  ]);
  expect(seen[0]).toEqual(['movie', 'plot', 'the']);
  expect(seen[1]?.[0]).toBe('greats');
});

test('a gap far into a long text is seen with what stands around it', async () => {
  const left = 'the plot and the cast and '.repeat(40);
  expect(await guesses(maskedFolder(), [{ left: `${left}is `, right: ` and ${left}` }])).toEqual([
    ['lovely', 'awful', 'good'],
  ]);
});

test('a text that holds the word of the mask is not mistaken for the gap, and a graph of fixed length is filled up', async () => {
  const gap = { left: '[MASK] the film is ', right: ' [MASK]' };
  expect(await guesses(maskedFolder(), [gap])).toEqual([['lovely', 'awful', 'good']]);
  expect(await guesses(maskedFolder({ length: 16 }), [gap])).toEqual([['lovely', 'awful', 'good']]);
});

test.each([
  ['a classifier', () => toyFolder({}, { 'tokenizer_config.json': { mask_token: 'good' } }), /number for each token/],
  [
    'a tokenizer without a mask',
    () => maskedFolder({}, { 'tokenizer.json': wordPiece(), 'tokenizer_config.json': undefined }),
    /without a mask token/,
  ],
  ['the tokenizer of a larger vocabulary', () => maskedFolder({ width: 20 }), /at least 25 numbers a token/],
])('%s is refused', async (_, path, message) => {
  const opened = openMaskedLanguageModel(path());
  await expect(opened).rejects.toThrow(ModelError);
  await expect(opened).rejects.toThrow(message);
  await expect(opened).rejects.toMatchObject({ code: 'TASK_MISMATCH' });
});

const piecesOf = (definition: Record<string, unknown>): string[] => {
  const { vocab } = definition.model as { vocab: Record<string, number> | [string, number][] };
  return Array.isArray(vocab)
    ? vocab.map(([piece]) => piece)
    : Object.keys(vocab).sort((a, b) => vocab[a]! - vocab[b]!);
};

test.each([
  ['bytes that carry the space before them', roberta(false), 'Ġ'],
  ['pieces with a visible space', unigram(), '▁'],
])('%s: words are what comes with its space', async (_, definition, space) => {
  const vocabulary = piecesOf(definition);
  const path = maskedFolder(
    { vocabulary, follows: { [`${space}is`]: ['able', `${space}good`, 'ing', `${space}bad`, `${space}idiot`] } },
    { 'tokenizer.json': definition, 'tokenizer_config.json': { mask_token: '<mask>' } },
  );
  const gap = { left: 'the film is ', right: ' not bad' };
  expect(await guesses(path, [gap])).toEqual([['good', 'bad', 'idiot']]);
});

test('a causal model guesses from what stands before the gap, without a mask token', async () => {
  const causal = (architecture: string) => ({
    'tokenizer.json': wordPiece(),
    'tokenizer_config.json': undefined,
    'config.json': {
      ...config(['LABEL_0', 'LABEL_1'], { max_position_embeddings: 16 }),
      architectures: [architecture],
    },
  });
  const vocabulary = piecesOf(wordPiece());
  const toy = { vocabulary, follows: {}, suggests: { good: ['film', 'bad'], film: ['bad', 'good'] } };
  const path = maskedFolder(toy, causal('GPT2LMHeadModel'));
  const long = 'the plot and the film is '.repeat(20);
  const gaps = [
    { left: 'it is good ', right: ' is' },
    { left: `${long}good film`, right: '' },
    { left: '', right: 'good' },
  ];
  expect(await guesses(path, gaps, 2)).toEqual([['film', 'bad'], ['bad', 'good'], expect.any(Array)]);
  const model = await openMaskedLanguageModel(path);
  expect(model.name).toMatch(/^causal language model /);
  await model.close();
  await refusal(openMaskedLanguageModel(maskedFolder(toy, causal('GPT2Model'))));
});

test('a path where nothing lies is refused', async () => {
  await expect(openMaskedLanguageModel('./no-such-folder')).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND' });
});
