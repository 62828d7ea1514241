/** Attacks on embeddings, on a model whose answers and gradients are known in closed form. */
import { describe, expect, test } from 'vitest';
import { attacks } from '../../attacks/index.js';
import {
  type Attempt,
  type EmbeddingGradient,
  random,
  type Token,
  untargeted,
  type WhiteBox,
  wordsOf,
} from '../../src/index.js';
import { meanRowNorm } from '../../src/search/embedding.js';

const HIDDEN = 4;
const VOCABULARY = ['[CLS]', 'dull', 'poor', 'plain', 'fine', 'good', 'lovely', 'film', 'cast'];
const draw = random(3, 'table');
/** Rows of words lie near their sentiment along (1, 1, -1, 0.5). */
const LEAN = [1, 1, -1, 0.5];
const SENTIMENT = [0, -2, -1.5, -0.3, 0.4, 1, 2, 0.1, 0];
const TABLE = Float32Array.from({ length: VOCABULARY.length * HIDDEN }, (_, at) => {
  const id = Math.floor(at / HIDDEN);
  return SENTIMENT[id] * LEAN[at % HIDDEN] + 0.3 * draw.normal();
});

const tokensOf = (text: string): Token[] => [
  { id: 0, start: 0, end: 0, special: true },
  ...wordsOf(text).map(({ text: word, start }) => ({
    id: Math.max(1, VOCABULARY.indexOf(word)),
    start,
    end: start + word.length,
    special: false,
  })),
];
const embed = (tokens: readonly Token[]): Float32Array =>
  Float32Array.from(tokens.flatMap(({ id }) => Array.from(TABLE.slice(id * HIDDEN, (id + 1) * HIDDEN))));

/** P(positive) = sigmoid of the sum of LEAN . row over all rows. */
function answer(at: Float32Array): Float32Array {
  const logit = at.reduce((sum, value, k) => sum + value * LEAN[k % HIDDEN], 0);
  const p = 1 / (1 + Math.exp(-logit));
  return Float32Array.of(1 - p, p);
}

const model: WhiteBox = {
  labels: ['negative', 'positive'],
  hidden: HIDDEN,
  loss: 'cross-entropy',
  classify: async (texts) => texts.map((text) => answer(embed(tokensOf(text)))),
  gradient: async (text, label) => model.gradientAt(embed(tokensOf(text)), tokensOf(text), label),
  classifyEmbeddings: async (batch) => batch.map(answer),
  async gradientAt(embeddings, tokens, label): Promise<EmbeddingGradient> {
    const probabilities = answer(embeddings);
    // d(-ln p_label)/d(row) = (p1 - [label = 1]) LEAN
    const error = probabilities[1] - label;
    const values = embeddings.map((_, k) => error * LEAN[k % HIDDEN]);
    return { tokens, embeddings, probabilities, loss: -Math.log(probabilities[label]), values };
  },
  embeddingTable: async () => TABLE,
  tokenText: (id) => (id === 0 ? undefined : VOCABULARY[id]),
};

const TEXTS: readonly [string, number][] = [
  ['plain good film', 1],
  ['lovely cast', 1],
  ['good film fine cast', 1],
  ['dull film', 0],
  ['poor plain film', 0],
];

async function run(name: string, options: object, text: string, label: number): Promise<Attempt> {
  const plugin = attacks.find((attack) => attack.name === name)!;
  const [original] = await model.classify([text]);
  return plugin.create(plugin.options.parse(options)).run(
    { id: '0', text, label },
    {
      labels: model.labels,
      original,
      goal: untargeted,
      constraints: [],
      random: random(1, name, text),
      remaining: Number.POSITIVE_INFINITY,
      classify: model.classify,
      gradients: model,
    },
  );
}

describe.each(TEXTS)('%s', (text, label) => {
  test.each(['fgsm', 'fgm', 'pgd'])('%s of size 0 changes nothing', async (name) => {
    const attempt = await run(name, { epsilon: 0 }, text, label);
    const [original] = await model.classify([text]);
    expect(attempt.probabilities).toEqual(original);
    expect(attempt.succeeded).toBe(false);
    expect(attempt.asText).toEqual({ text, broken: false });
  });

  test.each(['fgsm', 'fgm'])('%s grows with its size, and noise never beats it', async (name) => {
    const losses: number[] = [];
    for (const epsilon of [0, 0.1, 0.3, 0.6, 1]) {
      const attempt = await run(name, { epsilon }, text, label);
      losses.push(1 - attempt.probabilities[label]);
      if (attempt.noise) expect(attempt.succeeded).toBe(true);
    }
    expect(losses).toEqual(losses.toSorted((a, b) => a - b));
    const { sweep } = await run(name, {}, text, label);
    for (const [at, broken] of sweep!.broken.entries()) expect(broken).toBeGreaterThanOrEqual(sweep!.noise[at]);
  });

  test.each(['linf', 'l2'])('pgd (%s) is at least as strong as one step of the same size', async (norm) => {
    for (const epsilon of [0.05, 0.2, 0.5]) {
      const pgd = await run('pgd', { epsilon, norm }, text, label);
      const one = await run(norm === 'l2' ? 'fgm' : 'fgsm', { epsilon }, text, label);
      expect(pgd.probabilities[label]).toBeLessThanOrEqual(one.probabilities[label] + 1e-6);
    }
  });

  test('the minimal epsilon is where the logit is zero', async () => {
    const { details, succeeded } = await run('minimal-epsilon', { maxEpsilon: 20, tolerance: 0.001 }, text, label);
    const tokens = tokensOf(text);
    const logit = embed(tokens).reduce((sum, value, k) => sum + value * LEAN[k % HIDDEN], 0);
    // Each of the text's rows moves by epsilon * unit along LEAN, the shortest way there is.
    const perRow = meanRowNorm(TABLE, HIDDEN) * Math.hypot(...LEAN);
    expect(succeeded).toBe(true);
    expect(details!.epsilon).toBeCloseTo(Math.abs(logit) / (perRow * (tokens.length - 1)), 2);
  });

  test('far enough out, the nearest words fool the model as text', async () => {
    const attempt = await run('fgsm', { epsilon: 4 }, text, label);
    expect(attempt.asText!.broken).toBe(true);
    const [asText] = await model.classify([attempt.asText!.text]);
    expect(asText[label]).toBeLessThan(0.5);
  });
});
