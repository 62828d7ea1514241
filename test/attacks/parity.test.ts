/** Parity with TextAttack on a part of its sentences; test/slow/parity.test.ts takes all of them. */
import { describe, expect, test } from 'vitest';
import { absent, compare, mean, ourStream, share, spaced, theirStream, theirs } from './peer.js';

describe.skipIf(absent)('against TextAttack on a few sentences (absent: ../shared)', () => {
  test('pruthi with its letters: same outcomes, same texts, same queries', async () => {
    const results = await compare('pruthi', theirs('pruthi').slice(0, 6), theirStream(765));
    expect(share(results, (result) => result.status === result.theirs.status)).toBe(1);
    const successes = results.filter(({ theirs: { status } }) => status === 'success');
    expect(successes.length).toBeGreaterThan(1);
    expect(share(successes, ({ ours, theirs: { perturbed } }) => ours?.text === perturbed)).toBeGreaterThanOrEqual(0.9);
    const attacked = results.flatMap(({ ours, theirs: { queries } }) => (ours ? [{ asked: ours.asked, queries }] : []));
    expect(mean(attacked.map(({ asked }) => asked))).toBe(mean(attacked.map(({ queries }) => queries)));
  });

  test("input-reduction with places that move: TextAttack's texts and queries", async () => {
    const options = { places: 'moving', maxLeft: 1 };
    const results = await compare('input-reduction', theirs('input-reduction').slice(0, 15), ourStream(1), options);
    const attacked = results.flatMap(({ ours, theirs: row }) => (ours ? [{ ours, row }] : []));
    expect(share(attacked, ({ ours }) => ours.succeeded)).toBe(1);
    const same = share(attacked, ({ ours, row }) => spaced(ours.text) === spaced(row.perturbed));
    expect(same).toBeGreaterThanOrEqual(0.9);
    expect(mean(attacked.map(({ ours }) => ours.asked))).toBeCloseTo(mean(attacked.map(({ row }) => row.queries)), 0);
  });

  test('pwws with all WordNet lemmas: same outcomes, nearly the same queries (its WordNet is 3.0, ours 3.1)', async () => {
    const results = await compare('pwws', theirs('pwws').slice(0, 10), ourStream(1), { constraints: 'textattack' });
    expect(share(results, (result) => result.status === result.theirs.status)).toBe(1);
    const attacked = results.flatMap(({ ours, theirs: row }) => (ours ? [{ ours, row }] : []));
    const asked = mean(attacked.map(({ ours }) => ours.asked)) / mean(attacked.map(({ row }) => row.queries));
    expect(Math.abs(asked - 1)).toBeLessThan(0.1);
    const same = share(attacked, ({ ours, row }) => ours.text === row.perturbed);
    expect(same).toBeGreaterThanOrEqual(0.6);
  });
});
