import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Classifier } from '../../src/core/classifier.js';
import { PAIR_SEPARATOR } from '../../src/core/pair.js';
import { NO_LABEL, predictedLabel } from '../../src/core/prediction.js';
import { random } from '../../src/core/random.js';
import { binomialQuantile } from '../../src/core/statistics/stats.js';
import { certifiedEdits } from '../../src/defence/certified-accuracy.js';
import { certificateOf, certifyEdits, leastShare } from '../../src/defence/deletion-certificate.js';
import { type DeletionOptions, deletedVersions, rsDel, unitsOf } from '../../src/defence/random-deletion.js';
import { withDefences } from '../../src/defence/with-defences.js';
import { english } from '../../src/language/english/index.js';
import { tries } from '../cover.js';

const OPTIONS: DeletionOptions = { unit: 'word', rate: 0.8, samples: 100, alpha: 0.001, seed: 42 };

/** A classifier that answers each text with the label `of` it. */
const saying = (of: (text: string) => number): Classifier => ({
  labels: ['label 0', 'label 1'],
  classify: async (texts) => texts.map((text) => Float32Array.from([0, 1], (at) => Number(at === of(text)))),
});

/** The share of all versions of `units` that `says` accepts, exactly. */
function shareOf(units: readonly string[], rate: number, says: (version: string) => boolean): number {
  let share = 0;
  for (let kept = 0; kept < 2 ** units.length; kept++) {
    const left = units.filter((_, at) => kept & (1 << at));
    if (says(left.join(' '))) share += rate ** (units.length - left.length) * (1 - rate) ** left.length;
  }
  return share;
}

describe('versions', () => {
  test.each([
    ['word', ' a  good,\n film ', ['a', 'good,', 'film']],
    ['character', 'né 🎉', ['n', 'é', ' ', '🎉']],
  ] as const)('by the %s', (unit, text, units) => {
    expect(unitsOf(text, unit)).toEqual(units);
    const versions = deletedVersions(text, { ...OPTIONS, unit, rate: 0.5, samples: 2000 });
    const whole = versions.filter((version) => version === units.join(unit === 'word' ? ' ' : '')).length;
    // 4.4 standard deviations.
    const p = 0.5 ** units.length;
    expect(Math.abs(whole - 2000 * p)).toBeLessThan(4.4 * Math.sqrt(2000 * p * (1 - p)));
  });

  test('are the same for the same text and seed alone; the texts of a pair stay two', () => {
    expect(deletedVersions('a b c d', OPTIONS)).toEqual(deletedVersions('a b c d', OPTIONS));
    expect(deletedVersions('a b c d', OPTIONS)).not.toEqual(deletedVersions('a b c d', { ...OPTIONS, seed: 1 }));
    const pair = deletedVersions(`a b${PAIR_SEPARATOR}c d`, OPTIONS);
    expect(pair.every((version) => version.split(PAIR_SEPARATOR).length === 2)).toBe(true);
  });
});

test('an edited text keeps at least the share that the theorem says, whatever the model and the edits', () => {
  const tight = { substitutions: 0, insertions: 0, deletions: 0 };
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom<string>('a', 'b', 'c'), { minLength: 1, maxLength: 7 }),
      fc.array(
        fc.tuple(
          fc.constantFrom('substitutions', 'insertions', 'deletions'),
          fc.nat(),
          fc.constantFrom<string>('a', 'x'),
        ),
        {
          minLength: 1,
          maxLength: 3,
        },
      ),
      fc.double({ min: 0.1, max: 0.95, noNaN: true }),
      fc.integer(),
      fc.boolean(),
      (units, edits, rate, seed, hostile) => {
        // Each unit of the text is edited once at most: otherwise the edits are not those between the two texts.
        const places = units.map((unit) => ({ unit, untouched: true }));
        const counts = { substitutions: 0, insertions: 0, deletions: 0 };
        for (const [kind, where, word] of edits) {
          const open = places.filter(({ untouched }) => untouched);
          if (kind !== 'insertions' && open.length === 0) continue;
          const at = kind === 'insertions' ? where % (places.length + 1) : places.indexOf(open[where % open.length]!);
          const added = kind === 'deletions' ? [] : [{ unit: word, untouched: false }];
          places.splice(at, Number(kind !== 'insertions'), ...added);
          counts[kind]++;
        }
        const edited = places.map(({ unit }) => unit);
        // The worst model: it says no to every text that the original cannot become, and yes to most of the rest.
        const own = new Set<string>();
        shareOf(units, rate, (version) => own.add(version).size > 0);
        const says = (version: string): boolean => own.has(version) && (hostile || random(seed, version).unit() < 0.9);
        const least = leastShare(shareOf(units, rate, says), rate, counts);
        const share = shareOf(edited, rate, says);
        expect(share).toBeGreaterThanOrEqual(least - 1e-9);
        for (const kind of ['substitutions', 'insertions', 'deletions'] as const) {
          if (edits.length === 1 && counts[kind] === 1 && share < least + 1e-9) tight[kind]++;
        }
      },
    ),
    { seed: 42, numRuns: tries(1500) },
  );
  // A bound that is met is not too careful: of a new word that no version of the text has.
  expect(tight.insertions).toBeGreaterThan(20);
});

test('substitutions are the worst of all edits of one number', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.01, max: 0.99, noNaN: true }),
      fc.double({ min: 0.5, max: 1, noNaN: true }),
      fc.nat(5),
      fc.nat(5),
      fc.nat(5),
      (rate, share, substitutions, insertions, deletions) => {
        const all = substitutions + insertions + deletions;
        expect(leastShare(share, rate, { substitutions, insertions, deletions })).toBeGreaterThanOrEqual(
          leastShare(share, rate, { substitutions: all }) - 1e-12,
        );
      },
    ),
  );
});

describe('a certificate', () => {
  test('is of the very vote that is deployed, whatever the seed of an attack', async () => {
    const odd = saying((text) => text.length % 2);
    const text = 'a really good film with a dull end that nobody saw';
    const material = { vocabulary: [], texts: [], mask: '', seed: 7, language: english };
    const deployed = withDefences(odd, [{ name: 'rs-del', ...rsDel.create(OPTIONS, material) }], 7);
    const [row] = await deployed.classify([text]);
    const counts = Int32Array.from(row as Float32Array, (share) => Math.round(share * OPTIONS.samples));
    expect(certificateOf(counts, OPTIONS)).toEqual(await certifyEdits(text, odd, OPTIONS));
    expect((await certifyEdits(text, odd, OPTIONS)).label).toBe(predictedLabel(row as Float32Array));
  });

  test.each([
    [[100, 0], 0, { edits: 1, insertions: 1, deletions: 6 }],
    [[0, 100], 1, { edits: 1, insertions: 1, deletions: 6 }],
    [[20, 80], 1, undefined],
    [[50, 50], NO_LABEL, undefined],
  ])('of votes %j', (counts, label, radii) => {
    expect(certificateOf(Int32Array.from(counts), OPTIONS)).toEqual({ label, radii });
  });

  test('more votes and a higher rate reach further', () => {
    const of = (samples: number, rate: number) =>
      certificateOf(Int32Array.of(samples, 0), { ...OPTIONS, samples, rate }).radii?.edits;
    expect([of(100, 0.8), of(1000, 0.8), of(1000, 0.9), of(1000, 0.95)]).toEqual([1, 2, 5, 11]);
  });

  test('claims more than the model has no more often than alpha', () => {
    // A version says so where it has any of two words: known exactly.
    const share = 1 - 0.8 ** 2;
    const options = { ...OPTIONS, alpha: 0.05 };
    let wrong = 0;
    const runs = 2000;
    for (let seed = 0; seed < runs; seed++) {
      const yes = deletedVersions('good fine', { ...options, seed }).filter((version) => version !== '').length;
      if (binomialQuantile(yes, options.samples, options.alpha) > share) wrong++;
    }
    // 4 standard deviations above.
    expect(wrong / runs).toBeLessThan(0.05 + 4 * Math.sqrt((0.05 * 0.95) / runs));
    expect(wrong).toBeGreaterThan(20);
  });
});

test('the curve counts what abstains as wrong, and falls', async () => {
  const model = saying((text) => Number(text.includes('good') || text === ''));
  const good = 'good '.repeat(30);
  const examples = [good, good, 'dull '.repeat(9), good].map((text, at) => ({
    id: `${at}`,
    text,
    label: at < 3 ? 1 : 0,
  }));
  const stream = async function* () {
    yield* examples;
  };
  const { curve, abstained, ...rest } = await certifiedEdits(stream(), model, OPTIONS, {});
  expect(rest).toEqual(OPTIONS);
  expect(curve[0]).toMatchObject({ count: 0, edits: { value: 0.5, n: 4 } });
  expect(abstained).toMatchObject({ value: 0, n: 4 });
  for (const kind of ['edits', 'insertions', 'deletions'] as const) {
    const values = curve.map((row) => row[kind].value as number);
    expect(values).toEqual(values.toSorted((a, b) => b - a));
    expect(values.at(-1)).toBe(0);
  }
});
