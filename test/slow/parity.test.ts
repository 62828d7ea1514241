/** Parity with TextAttack 0.3.11 on its 200 sentences: the figures of the goldens' table. */
import { describe, expect, test } from 'vitest';
import { wilson } from '../../src/core/statistics/stats.js';
import {
  absent,
  type Compared,
  compare,
  mean,
  ourStream,
  share,
  spaced,
  theirStream,
  theirs,
} from '../attacks/peer.js';
import { both, outcomes, python } from '../python/peer.js';

const attacked = (results: readonly Compared[]) => results.filter(({ status }) => status !== 'skipped');
const asked = (results: readonly Compared[]) => mean(attacked(results).map(({ ours }) => ours?.asked as number));
const queries = (results: readonly Compared[]) => mean(attacked(results).map(({ theirs: row }) => row.queries));

describe.skipIf(absent)('pruthi against TextAttack (absent: ../shared)', () => {
  test.each([
    ['its own letters', theirStream(765)],
    ['our letters', ourStream(42)],
  ])('with %s: status of 97 %%, queries within 2 %%', async (letters, stream) => {
    const results = await compare('pruthi', theirs('pruthi'), stream);
    expect(share(results, (result) => result.status === result.theirs.status)).toBeGreaterThanOrEqual(0.97);
    expect(Math.abs(asked(results) / queries(results) - 1)).toBeLessThan(0.02);
    // Other letters are other texts: only where both draw the same can the texts agree.
    if (letters === 'our letters') return;
    const successes = results.filter(({ theirs: { status } }) => status === 'success');
    expect(share(successes, ({ ours, theirs: { perturbed } }) => ours?.text === perturbed)).toBeGreaterThanOrEqual(0.9);
  });
});

describe.skipIf(absent)('deepwordbug against TextAttack (absent: ../shared)', () => {
  test('five seeds: success rate, perturbed words and queries within the 95 % intervals of its figures', async () => {
    const rows = theirs('deepwordbug');
    const runs: Compared[] = [];
    for (const seed of [1, 2, 3, 4, 5]) runs.push(...(await compare('deepwordbug', rows, ourStream(seed))));

    const tried = rows.filter(({ status }) => status !== 'skipped');
    const broken = tried.filter(({ status }) => status === 'success');
    const rate = wilson(broken.length, tried.length);
    const ours = share(attacked(runs), ({ status }) => status === 'success');
    expect(ours).toBeGreaterThan(rate.low as number);
    expect(ours).toBeLessThan(rate.high as number);

    const perturbed = runs.flatMap(({ status, ours: attempt }) =>
      status === 'success' && attempt ? [attempt.changed / attempt.words] : [],
    );
    expectWithin(mean(perturbed), broken.map(({ changed, words }) => changed / words)); // biome-ignore format: one line reads better
    expectWithin(asked(runs), tried.map((row) => row.queries)); // biome-ignore format: one line reads better
  });
});

describe.skipIf(absent)('input-reduction against TextAttack (absent: ../shared)', () => {
  test('places that move: status of 97 %, words left of 90 %', async () => {
    const options = { places: 'moving', maxLeft: 1 };
    const results = await compare('input-reduction', theirs('input-reduction'), ourStream(1), options);
    const outcome = ({ status }: Compared) => (status === 'success' ? 'maximized' : status);
    expect(share(results, (result) => outcome(result) === result.theirs.status)).toBeGreaterThanOrEqual(0.97);
    const same = ({ ours, theirs: { perturbed } }: Compared) => spaced(ours?.text) === spaced(perturbed);
    expect(share(attacked(results), same)).toBeGreaterThanOrEqual(0.9);
  });
});

describe.skipIf(absent)('pwws against TextAttack (absent: ../shared)', () => {
  test('all WordNet lemmas: success rate within 3 points, words within 1.5, queries within 10 %, 60 % of texts', async () => {
    const results = attacked(await compare('pwws', theirs('pwws'), ourStream(1), { constraints: 'textattack' }));
    const broken = results.filter(({ status }) => status === 'success');
    const theirBroken = results.filter(({ theirs: { status } }) => status === 'success');
    expect(Math.abs(broken.length - theirBroken.length) / results.length).toBeLessThanOrEqual(0.03);
    const words = mean(broken.map(({ ours }) => (ours ? ours.changed / ours.words : 0)));
    const theirWords = mean(theirBroken.map(({ theirs: row }) => row.changed / row.words));
    expect(Math.abs(words - theirWords)).toBeLessThanOrEqual(0.015);
    expect(Math.abs(asked(results) / queries(results) - 1)).toBeLessThanOrEqual(0.1);
    const same = share(theirBroken, ({ ours, theirs: { perturbed } }) => ours?.text === perturbed);
    expect(same).toBeGreaterThanOrEqual(0.6);
  });
});

/** Within the 95 % interval of the mean of a sample. */
function expectWithin(value: number, sample: readonly number[]): void {
  const centre = mean(sample);
  const deviation = Math.sqrt(mean(sample.map((each) => (each - centre) ** 2)) * (sample.length / (sample.length - 1)));
  expect(Math.abs(value - centre)).toBeLessThan((1.96 * deviation) / Math.sqrt(sample.length));
}

describe.skipIf(absent || python === undefined)(
  'the same model behind Python (needs onnxruntime there, and ../shared)',
  () => {
    test.each<[recipe: string, options: object]>([
      ['pruthi', {}],
      ['input-reduction', { places: 'moving', maxLeft: 1 }],
      ['pwws', { constraints: 'textattack' }],
      ['deepwordbug', {}],
    ])('%s: all outcomes, texts and queries', async (recipe, options) => {
      const { here, there } = await both(recipe, 200, { ...options });
      expect(outcomes(there)).toEqual(outcomes(here));
    });
  },
);
