import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Classifier } from '../../src/core/classifier.js';
import { random } from '../../src/core/random.js';
import { binomialLower } from '../../src/core/stats.js';
import { certifiedAccuracy } from '../../src/defence/certified-accuracy.js';
import { certify, maskedVersions, seenOf, touched } from '../../src/defence/random-masking.js';

const MASK = '[UNK]';

/** Positive where more good words than bad ones are seen. */
const counting: Classifier = {
  labels: ['negative', 'positive'],
  classify: async (texts) =>
    texts.map((text) => {
      const positive = (text.match(/good/g)?.length ?? 0) > (text.match(/bad/g)?.length ?? 0) ? 1 : 0;
      return Float32Array.of(1 - positive, positive);
    }),
};

/** All ways to choose k of n. */
function* choices(n: number, k: number, from = 0): Generator<number[]> {
  if (k === 0) yield [];
  else for (let i = from; i <= n - k; i++) for (const rest of choices(n, k - 1, i + 1)) yield [i, ...rest];
}

test('the share of touched versions is that of the ways to choose', () => {
  for (const [words, seen, changed] of [
    [6, 2, 1],
    [6, 2, 2],
    [7, 3, 2],
    [5, 5, 1],
    [5, 1, 4],
    [4, 3, 4],
  ] as const) {
    const all = [...choices(words, seen)];
    const hit = all.filter((set) => set.some((slot) => slot < changed)).length;
    expect(touched(words, seen, changed)).toBeCloseTo(hit / all.length, 12);
  }
});

test('the lower bound is the p at which so many successes are as rare as alpha', () => {
  expect(binomialLower(0, 50, 0.05)).toBe(0);
  expect(binomialLower(50, 50, 0.05)).toBeCloseTo(0.05 ** (1 / 50), 10);
  // R: binom.test(90, 100, alternative = "greater")$conf.int[1]
  expect(binomialLower(90, 100, 0.05)).toBeCloseTo(0.8362815, 5);
});

test('versions: so many words left, the rest hidden, nothing else changed', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 30 }), fc.double({ min: 0.05, max: 0.95, noNaN: true }), (n, rate) => {
      const text = Array.from({ length: n }, (_, i) => `w${i}`).join(' ');
      for (const version of maskedVersions(text, rate, 5, MASK, random(1, 'v'))) {
        const words = version.split(' ');
        expect(words).toHaveLength(n);
        expect(words.filter((word) => word !== MASK)).toHaveLength(seenOf(n, rate));
        words.forEach((word, i) => void expect([MASK, `w${i}`]).toContain(word));
      }
    }),
  );
});

describe('a certificate', () => {
  test('no change of so many words turns the vote of all versions', async () => {
    const options = { rate: 0.8, samples: 400 };
    const labels = new Set<number>();
    for (const goods of [0, 3, 8, 10, 12]) {
      const words = [...Array(goods).fill('good'), ...Array(12 - goods).fill('dull')] as string[];
      const certificate = await certify(words.join(' '), counting, options, {
        mask: MASK,
        alpha: 0.001,
        random: random(3, String(goods)),
      });
      if (certificate.label === undefined) continue;
      labels.add(certificate.radius);
      // The worst an attacker can do to this victim: each good word changed becomes bad, or each dull one good.
      for (let changed = 0; changed <= certificate.radius; changed++) {
        const worst =
          certificate.label === 1
            ? words.map((word, at) => (at < changed ? 'bad' : word))
            : words.map((word, at) => (at >= 12 - changed ? 'good' : word));
        let votes = 0;
        let all = 0;
        for (const seen of choices(12, seenOf(12, 0.8))) {
          const version = worst.map((word, at) => (seen.includes(at) ? word : MASK)).join(' ');
          const [row] = await counting.classify([version]);
          votes += (row as Float32Array)[certificate.label] as number;
          all += 1;
        }
        expect(votes / all).toBeGreaterThan(0.5);
      }
    }
    expect(Math.max(...labels)).toBeGreaterThanOrEqual(1);
  });

  test('is not given where the vote is close, nor for a text without words', async () => {
    const close: Classifier = {
      labels: ['a', 'b'],
      classify: async (texts) => texts.map((_, i) => Float32Array.of(i % 2, 1 - (i % 2))),
    };
    const how = { mask: MASK, alpha: 0.05, random: random(1, 'x') };
    expect(await certify('one two three', close, { rate: 0.5, samples: 100 }, how)).toMatchObject({ label: undefined });
    expect(await certify('?!', counting, { rate: 0.5, samples: 100 }, how)).toMatchObject({
      label: undefined,
      words: 0,
    });
  });
});

test('the curve falls, and begins with what is surely right', async () => {
  async function* examples() {
    for (let i = 0; i < 20; i++)
      yield {
        id: String(i),
        text: Array(10)
          .fill(i % 2 ? 'good' : 'bad')
          .join(' '),
        label: i % 2,
      };
    yield { id: 'wrong', text: 'bad bad bad bad', label: 1 };
  }
  const { curve, abstained } = await certifiedAccuracy(
    examples(),
    counting,
    { rate: 0.7, samples: 100 },
    { mask: MASK, seed: 1 },
  );
  expect(curve[0]?.accuracy).toMatchObject({ value: 20 / 21, n: 21 });
  expect(curve.map(({ accuracy }) => accuracy.value as number)).toEqual(
    curve.map(({ accuracy }) => accuracy.value as number).sort((a, b) => b - a),
  );
  expect(curve.at(-1)?.accuracy.value).toBe(0);
  expect(abstained).toBe(0);
});
