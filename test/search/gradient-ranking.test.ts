import { expect, test } from 'vitest';
import {
  byGradient,
  Draft,
  type EmbeddingGradient,
  type SearchSpace,
  type WhiteBox,
  wordsOf,
} from '../../src/plugin.js';
import { byGradientInput } from '../../src/search/ranking.js';

/** Loss = -(sum of w . e over the tokens): the gradient is -w everywhere, and a word matters as much as w . e. */
const WEIGHT = [1, 2];
const EMBEDDINGS: Readonly<Record<string, readonly number[]>> = {
  good: [1, 1],
  bad: [-3, -3],
  film: [0, 0.1],
  fine: [2, 2],
};

function spaceOf(text: string): { space: SearchSpace; asked: string[] } {
  const asked: string[] = [];
  const words = wordsOf(text);
  const gradient = async (about: string): Promise<EmbeddingGradient> => {
    asked.push(about);
    const tokens = words.map(({ text: word, start }, id) => ({ id, start, end: start + word.length, special: false }));
    return {
      tokens,
      loss: 0,
      probabilities: Float32Array.of(0.5, 0.5),
      embeddings: Float32Array.from(words.flatMap(({ text: word }) => EMBEDDINGS[word] ?? [0, 0])),
      values: Float32Array.from(words.flatMap(() => WEIGHT.map((w) => -w))),
    };
  };
  const draft = Draft.of(text);
  const space: Pick<SearchSpace, 'start' | 'label' | 'editable'> & {
    gradients: Pick<WhiteBox, 'hidden' | 'gradient'>;
  } = {
    start: { draft, probabilities: Float32Array.of(0.5, 0.5), score: 0.5, reached: false },
    label: 1,
    editable: () => words.map((_, slot) => slot),
    gradients: { hidden: 2, gradient },
  };
  return { space: space as SearchSpace, asked };
}

test('gradient x input ranks words by what the loss gains without them, in one query', async () => {
  const { space, asked } = spaceOf('bad good film fine');
  expect(await byGradientInput.order(space)).toEqual([3, 1, 2, 0]);
  expect(asked).toEqual(['bad good film fine']);
});

test('the norm of the gradient knows nothing of the word: equal gradients keep the order of the text', async () => {
  expect(await byGradient.order(spaceOf('bad good film fine').space)).toEqual([0, 1, 2, 3]);
});

test('a text without an editable word asks nothing', async () => {
  const { space, asked } = spaceOf('');
  expect(await byGradientInput.order(space)).toEqual([]);
  expect(asked).toEqual([]);
});
