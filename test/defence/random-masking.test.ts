import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { certifySetting } from '../../src/config/settings/index.js';
import type { Classifier } from '../../src/core/classifier.js';
import { NO_LABEL, predictedLabel } from '../../src/core/prediction.js';
import { random } from '../../src/core/random.js';
import { certify } from '../../src/defence/certificate.js';
import { certifiedAccuracy } from '../../src/defence/certified-accuracy.js';
import { defences, isCertified } from '../../src/defence/index.js';
import { type MaskingOptions, maskedVersions, ranmask, seenOf, shownSlots } from '../../src/defence/random-masking.js';
import { withDefences } from '../../src/defence/with-defences.js';
import { english } from '../../src/language/english/index.js';

const MASK = '[UNK]';

/** `victim` behind the defence, as `--defend` puts it there. */
const behind = (victim: Classifier, options: MaskingOptions, seed = 1): Classifier => {
  const material = { vocabulary: [], texts: [], mask: MASK, seed, language: english };
  return withDefences(victim, [{ name: 'ranmask', ...ranmask.create(options, material) }], seed);
};

/** A classifier that answers each text with the label `of` it, and knows `count` labels. */
const saying = (count: number, of: (text: string) => number): Classifier => ({
  labels: Array.from({ length: count }, (_, at) => `label ${at}`),
  classify: async (texts) =>
    texts.map((text) => Float32Array.from({ length: count }, (_, at) => (at === of(text) ? 1 : 0))),
});

const answer = async (classifier: Classifier, text: string): Promise<number> =>
  predictedLabel((await classifier.classify([text]))[0] as Float32Array);

/** All ways to choose k of n. */
function* choices(n: number, k: number, from = 0): Generator<number[]> {
  if (k === 0) yield [];
  else for (let i = from; i <= n - k; i++) for (const rest of choices(n, k - 1, i + 1)) yield [i, ...rest];
}

const maskings = fc.record({
  rate: fc.double({ min: 0.05, max: 0.95, noNaN: true }),
  samples: fc.integer({ min: 1, max: 60 }),
  seed: fc.integer(),
});
const words = fc.constantFrom('good', 'bad', "don't", 'well-made', 'größe', 'a', '42', 'f**k');
const gaps = fc.constantFrom(' ', ', ', '\n', ' -- ', ' (', '! ', ' "', '… ', ' 🎉');
/** Words with what stands before each of them. */
const pieces = (most: number) => fc.array(fc.tuple(gaps, words), { minLength: 1, maxLength: most });
const textOf = (of: readonly (readonly [string, string])[]): string => `${of.map((pair) => pair.join('')).join('')}.`;

describe('masks', () => {
  test('show the same number of different words each, and each word equally often, give or take one version', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), maskings, (size, options) => {
        const shown = shownSlots(size, options);
        const times = new Int32Array(size);
        expect(shown).toHaveLength(options.samples);
        for (const slots of shown) {
          expect(new Set(slots).size).toBe(seenOf(size, options.rate));
          expect(slots).toHaveLength(seenOf(size, options.rate));
          for (const slot of slots) times[slot]! += 1;
        }
        expect(Math.max(...times) - Math.min(...times)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('are others for another seed', () => {
    const options = { rate: 0.7, samples: 20, seed: 1 };
    expect(shownSlots(12, options)).toEqual(shownSlots(12, options));
    expect(shownSlots(12, options)).not.toEqual(shownSlots(12, { ...options, seed: 2 }));
  });

  test('leave what stands between words, and a version that hides what was replaced is the same text', () => {
    fc.assert(
      fc.property(pieces(12), maskings, fc.array(fc.nat(11)), words, (original, options, at, word) => {
        const slots = at.filter((slot) => slot < original.length);
        const replaced = original.map(([gap, old], slot) => [gap, slots.includes(slot) ? word : old] as const);
        const before = maskedVersions(textOf(original), options, MASK);
        const after = maskedVersions(textOf(replaced), options, MASK);
        shownSlots(original.length, options).forEach((shown, version) => {
          const expected = original.map(([gap, old], slot) => [gap, shown.includes(slot) ? old : MASK] as const);
          expect(before[version]).toBe(textOf(expected));
          if (!shown.some((slot) => slots.includes(slot))) expect(after[version]).toBe(before[version]);
        });
      }),
    );
  });

  test('do not follow the seed of an attack', async () => {
    const odd = saying(2, (text) => text.length % 2);
    const text = 'a really good film with a dull end';
    const [one, other] = await Promise.all(
      [1, 2].map((seed) => behind(odd, { rate: 0.6, samples: 30, seed: 42 }, seed).classify([text])),
    );
    expect(one).toEqual(other);
  });
});

describe('a certificate', () => {
  /** A word that no text has. */
  const MARK = 'xyzzy';

  /** Rare by chance: the votes of a third label, won by the rival, flip the vote. */
  const thirdLabelDecides: [[string, string][], MaskingOptions, number, number] = [
    [' ', ' ', ' ', ' ', ' ', ' ', ' 🎉', ' "', ' '].map((gap) => [gap, 'good']),
    { rate: 6.5 / 9, samples: 5, seed: 1849356782 },
    3,
    0.6,
  ];

  test('holds against the worst there can be: each version that shows a replaced word votes for the rival', async () => {
    const radii = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(
        pieces(9),
        maskings,
        fc.integer({ min: 2, max: 4 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (original, options, count, doubt) => {
          const text = textOf(original);
          // Mostly one label, more or less, and any other now and then.
          const usual = original.length % count;
          const honest = (version: string): number => {
            const draw = random(options.seed, version);
            return draw.unit() < doubt ? draw.int(count) : usual;
          };
          const { label, radius } = await certify(text, saying(count, honest), options, MASK);
          expect(await answer(behind(saying(count, honest), options), text)).toBe(label);
          radii.set(radius, (radii.get(radius) ?? 0) + 1);

          const turns = async (changed: number): Promise<boolean> => {
            for (const slots of choices(original.length, changed)) {
              const attacked = textOf(original.map(([gap, old], slot) => [gap, slots.includes(slot) ? MARK : old]));
              for (let rival = 0; rival < count; rival++) {
                const hostile = saying(count, (version) => (version.includes(MARK) ? rival : honest(version)));
                if ((await answer(behind(hostile, options), attacked)) !== label) return true;
              }
            }
            return false;
          };
          for (let changed = 1; changed <= radius; changed++) expect(await turns(changed)).toBe(false);
          // Up to two words it promises all that can be promised.
          if (label !== NO_LABEL && radius < Math.min(2, original.length)) expect(await turns(radius + 1)).toBe(true);
        },
      ),
      { seed: 42, numRuns: 300, examples: [thirdLabelDecides] },
    );
    for (const radius of [0, 1, 2, 3]) expect(radii.get(radius) ?? 0, `radius ${radius}`).toBeGreaterThan(3);
  });

  test('ends where the vote may be a tie, whichever label comes first', async () => {
    // A version shows one of ten words, each word is shown by ten of a hundred versions: five words are half the vote.
    const options = { rate: 0.9, samples: 100, seed: 1 };
    const text = 'one two three four five six seven eight nine ten';
    for (const label of [0, 1]) {
      const one = saying(2, () => label);
      expect(await certify(text, one, options, MASK)).toEqual({ label, radius: 4, words: 10 });
    }
  });

  test('of a text without words speaks of no word, of one word promises nothing', async () => {
    const options = { rate: 0.7, samples: 10, seed: 1 };
    const one = saying(2, () => 1);
    expect(await certify('?!', one, options, MASK)).toEqual({ label: 1, radius: 0, words: 0 });
    expect(await certify('', one, options, MASK)).toEqual({ label: 1, radius: 0, words: 0 });
    expect(await certify('good', one, options, MASK)).toEqual({ label: 1, radius: 0, words: 1 });
    expect(maskedVersions('?!', options, MASK)).toEqual(['?!']);
  });
});

test('the curve begins with the accuracy of the vote, falls, and ends at nothing', async () => {
  const options = { rate: 0.7, samples: 100, seed: 1 };
  const counting = saying(2, (text) => Number((text.match(/good/g) ?? []).length > (text.match(/bad/g) ?? []).length));
  const examples = Array.from({ length: 20 }, (_, at) => ({
    id: String(at),
    text: ['good', 'bad'].map((word, which) => `${word} `.repeat(which === at % 2 ? 10 : at % 5)).join(''),
    label: at % 3 === 0 ? 0 : 1 - (at % 2),
  }));
  const stream = async function* () {
    yield* examples;
  };
  const { curve, ...rest } = await certifiedAccuracy(stream(), counting, options, { mask: MASK });
  expect(rest).toEqual(options);
  const vote = behind(counting, options);
  const right = await Promise.all(examples.map(async ({ text, label }) => (await answer(vote, text)) === label));
  expect(curve[0]).toMatchObject({ words: 0, accuracy: { value: right.filter(Boolean).length / 20, n: 20 } });
  const values = curve.map(({ accuracy }) => accuracy.value as number);
  expect(values).toEqual(values.toSorted((a, b) => b - a));
  expect(values[1]).toBeGreaterThan(0);
  expect(values.at(-1)).toBe(0);
});

test('the help of --certify names each defence with a certificate', () => {
  const certified = defences.filter(isCertified).map(({ name }) => name);
  expect(certified.length).toBeGreaterThan(1);
  expect(certifySetting.certify.help).toContain(`needs --defend ${certified.join(' or ')}`);
});
