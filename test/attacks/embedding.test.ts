/** Attacks on embeddings, on a model whose answers and gradients are known in closed form. */

import { describe, expect, test } from 'vitest';
import { attacks } from '../../attacks/index.js';
import { random } from '../../src/core/random.js';
import { meanRowNorm } from '../../src/core/row-norm.js';
import { english } from '../../src/language/english/index.js';
import type { Attempt } from '../../src/plugin.js';
import type { EmbeddingEvidence } from '../../src/search/embedding-measures.js';
import { untargeted } from '../../src/search/goals.js';
import { embed, HIDDEN, LEAN, model, TABLE, tokensOf } from './toy-white-box.js';

const TEXTS: readonly [string, number][] = [
  ['plain good film', 1],
  ['lovely cast', 1],
  ['good film fine cast', 1],
  ['dull film', 0],
  ['poor plain film', 0],
];

async function run(
  name: string,
  options: object,
  text: string,
  label: number,
  gradients = model,
  texts = TEXTS,
): Promise<Attempt & EmbeddingEvidence> {
  const plugin = attacks.find((attack) => attack.name === name)!;
  const [original] = await model.classify([text]);
  const attack = plugin.create(plugin.options.parse(options));
  const sample = texts.map(([each, of], id) => ({ id: String(id), text: each, label: of }));
  await attack.prepare?.(sample, {
    ...model,
    language: english,
    goal: untargeted,
    random: random(1, name),
    warn: () => {},
    gradients,
  });
  return (await attack.run(
    { id: '0', text, label },
    {
      labels: model.labels,
      language: english,
      original,
      goal: untargeted,
      constraints: [],
      random: random(1, name, text),
      remaining: Number.POSITIVE_INFINITY,
      classify: model.classify,
      gradients,
    },
  )) as Attempt & EmbeddingEvidence;
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

  test.each([
    ['hotflip', { maxWords: 2, samePos: false }],
    ['universal-trigger', { words: 3 }],
  ])('%s ends in a text, and a second query confirms a success', async (name, options) => {
    const attempt = await run(name, options, text, label);
    const [again] = await model.classify([attempt.text!]);
    expect(attempt.probabilities).toEqual(again);
    expect(attempt.succeeded).toBe(again[label] < 0.5);
    expect(attempt.changed).toBeLessThanOrEqual(3);
    expect(await run(name, options, text, label)).toEqual(attempt);
    // One label's words are enough to turn these short texts.
    if (name === 'universal-trigger') expect(attempt.succeeded).toBe(true);
    else expect(again[label]).toBeLessThan((await model.classify([text]))[0][label]);
  });
});

test('a universal trigger of no words is no trigger: nothing was tried', async () => {
  const letters = {
    ...model,
    embeddingTable: async () => TABLE.slice(),
    tokenText: (id: number) => 'abcdefgh'[id % 8],
  };
  const attempt = await run('universal-trigger', { words: 3 }, 'plain good film', 1, letters);
  expect(attempt).toMatchObject({ succeeded: false, reason: "no entry of the model's vocabulary is a word" });
});

test.each(TEXTS)('the universal trigger before "%s" is learned from other texts', async (text, label) => {
  const { details } = await run('universal-trigger', { words: 1 }, text, label);
  expect(details).toEqual({ trigger: expect.any(String) });
  for (const other of label === 1 ? ['lovely lovely', 'fine fine fine'] : ['dull poor dull', 'poor cast']) {
    const texts = TEXTS.map((each): [string, number] => (each[0] === text ? [other, label] : [...each]));
    expect((await run('universal-trigger', { words: 1 }, other, label, model, texts)).details).toEqual(details);
  }
});

test('a universal trigger cannot be learned for the only example of a label', async () => {
  const attempt = await run('universal-trigger', {}, 'dull film', 0, model, [['dull film', 0], ...TEXTS.slice(0, 3)]);
  expect(attempt).toMatchObject({
    succeeded: false,
    reason: 'no other example of this label to learn a trigger from',
  });
});
