import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gaussLegendre } from '../../src/explain/gauss-legendre.js';
import { gradientTimesInput, integratedGradients } from '../../src/explain/gradients.js';
import { type OpenWhiteBox, openWhiteBox } from '../../src/gradient/white-box/white-box.js';
import { type LoadedModel, loadModel } from '../../src/model/load.js';
import { wordsOf } from '../../src/plugin.js';
import { HIDDEN, LEAN, TABLE, model as toy } from '../attacks/toy-white-box.js';

const VOCABULARY = ['[CLS]', 'dull', 'poor', 'plain', 'fine', 'good', 'lovely', 'film', 'cast'];
/** Contribution of a word to the toy's logit. */
const logit = (word: string): number => {
  const id = VOCABULARY.indexOf(word);
  return LEAN.reduce((sum, lean, k) => sum + lean * TABLE[id * HIDDEN + k]!, 0);
};

test.each([1, 2, 5, 8, 16])('the Gauss-Legendre rule of %i nodes integrates polynomials of degree 2n - 1', (n) => {
  const { nodes, weights } = gaussLegendre(n);
  for (let degree = 0; degree <= 2 * n - 1; degree++) {
    const integral = nodes.reduce((sum, x, i) => sum + weights[i]! * x ** degree, 0);
    expect(integral).toBeCloseTo(1 / (degree + 1), 12);
  }
});

describe('a model whose log-odds add up', () => {
  const text = 'lovely film, poor cast';
  const words = wordsOf(text);

  test('integrated gradients give the true weights of the log-odds, from zero and from another word', async () => {
    const options = { label: 1, scale: 'logit', steps: 64 } as const;
    const fromZero = await integratedGradients(toy, text, words, { ...options, token: undefined });
    words.forEach(({ text: word }, at) => {
      expect(fromZero.weights[at]?.weight).toBeCloseTo(logit(word), 4);
    });
    const id = VOCABULARY.indexOf('plain');
    const fromPlain = await integratedGradients(toy, text, words, { ...options, token: { text: 'plain', id } });
    words.forEach(({ text: word }, at) => {
      expect(fromPlain.weights[at]?.weight).toBeCloseTo(logit(word) - logit('plain'), 4);
    });
    expect(fromPlain.check.baseline).toBe('plain');
  });

  test('so does gradient x input', async () => {
    const { weights } = await gradientTimesInput(toy, text, words, { label: 1, scale: 'logit' });
    words.forEach(({ text: word }, at) => {
      expect(weights[at]?.weight).toBeCloseTo(logit(word), 4);
    });
  });

  test('probabilities are complete, and the other label is the negative', async () => {
    const options = { scale: 'probability', steps: 64, token: undefined } as const;
    const found = await integratedGradients(toy, text, words, { ...options, label: 1 });
    const other = await integratedGradients(toy, text, words, { ...options, label: 0 });
    expect(found.check.completenessError).toBeLessThan(0.01);
    found.weights.forEach(({ weight }, at) => {
      expect(other.weights[at]?.weight).toBeCloseTo(-weight, 5);
    });
  });

  test('a loss that is no -ln p is refused', async () => {
    const strange = {
      ...toy,
      gradientAt: async (...args: Parameters<typeof toy.gradientAt>) => ({
        ...(await toy.gradientAt(...args)),
        loss: 3,
      }),
    };
    const asked = integratedGradients(strange, text, words, { label: 1, scale: 'logit', steps: 8, token: undefined });
    await expect(asked).rejects.toMatchObject({ code: 'GRADIENTS_UNSUPPORTED' });
  });
});

describe('bert-mini', () => {
  let model: LoadedModel;
  let inside: OpenWhiteBox;
  beforeAll(async () => {
    model = await loadModel('bert-mini', { workers: 1 });
    inside = await openWhiteBox(model, { workers: 1 });
  });
  afterAll(async () => {
    await inside?.close();
    await model?.close();
  });

  test.each(['probability', 'logit'] as const)('integrated gradients are complete to 1 %% (%s)', async (scale) => {
    for (const text of ['There is nothing I do not like about this movie.', 'an unbelievably idiotic, soulless mess']) {
      const { check } = await integratedGradients(inside, text, wordsOf(text), {
        label: 0,
        scale,
        steps: 64,
        token: undefined,
      });
      expect(check.completenessError).toBeLessThan(0.01);
      expect(check.steps).toBeLessThanOrEqual(64);
    }
  });
});

describe.skipIf(!existsSync('../shared/models/imdb-wordcnn'))('the word CNN', () => {
  test('words of a model of word ids', async () => {
    const model = await loadModel('../shared/models/imdb-wordcnn', { workers: 1 });
    const inside = await openWhiteBox(model, { workers: 1 });
    try {
      const text = 'a truly wonderful film';
      const { weights, check } = await integratedGradients(inside, text, wordsOf(text), {
        label: 1,
        scale: 'probability',
        steps: 64,
        token: undefined,
      });
      expect(check.completenessError).toBeLessThan(0.02);
      const heaviest = weights.map(({ weight }) => weight).indexOf(Math.max(...weights.map(({ weight }) => weight)));
      expect(wordsOf(text)[heaviest]?.text).toBe('wonderful');
    } finally {
      await inside.close();
      await model.close();
    }
  });
});
