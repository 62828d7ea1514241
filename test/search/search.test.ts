import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { protect } from '../../src/constraints/words.js';
import {
  beam,
  byDeletion,
  type Constraint,
  compose,
  Draft,
  greedy,
  type MeteredVictim,
  maxWords,
  noRepeat,
  type SearchMethod,
  swapWords,
} from '../../src/plugin.js';
import { targeted, untargeted } from '../../src/search/goals.js';
import { atRandom, byUnknown, byWordAlone } from '../../src/search/ranking.js';
import { Space } from '../../src/search/space.js';
import { tries } from '../cover.js';
import { thrown } from '../refusal.js';
import { labelOf, texts, toy, toyTarget } from './toys.js';

const misspell = swapWords('a star behind or before', (word) => [`${word}*`, `x${word}`]);
const space = (
  text: string,
  target: MeteredVictim,
  constraints: Constraint[] = [noRepeat],
  transformation = misspell,
) => new Space({ text, label: labelOf(text), target, goal: target.goal, transformation, constraints });
const run = (text: string, search: SearchMethod, target = toyTarget(text), constraints = [noRepeat]) =>
  compose({ transformation: misspell, constraints, search }).run({ id: '0', text, label: labelOf(text) }, target);

describe('goals', () => {
  const p = Float32Array.of(0.25, 0.5, 0.25);
  test.each([
    ['untargeted, right', untargeted, 1, 0.5, false],
    ['untargeted, wrong', untargeted, 0, 0.75, true],
    ['targeted, elsewhere', targeted(2), 1, 0.25, false],
    ['targeted, there', targeted(1), 0, 0.5, true],
  ])('%s', (_, goal, label, score, reached) => {
    expect([goal.score(p, label), goal.reached(p, label)]).toEqual([score, reached]);
  });

  test.each([0, 1])('a tie reaches no goal, wherever the true label %i stands', (label) => {
    const tie = Float32Array.of(0.5, 0.5);
    for (const goal of [untargeted, targeted(1 - label)]) {
      expect([goal.reached(tie, label), goal.tied?.(tie, label)]).toEqual([false, true]);
    }
  });

  test('a target other than a label is refused', async () => {
    await thrown(() => targeted(-1));
  });
});

describe('the space', () => {
  test('neighbours are distinct, in a stable order, and leave protected words alone', async () => {
    const target = toyTarget('a good film');
    const found = await space('a good film', target, [noRepeat, protect(['Good'])]).neighbours(Draft.of('a good film'));
    expect(texts(found)).toEqual(['a* good film', 'xa good film', 'a good film*', 'a good xfilm']);
    const twice = swapWords('twice the same', () => ['b', 'b']);
    expect(texts(await space('a', target, [], twice).neighbours(Draft.of('a')))).toEqual(['b']);
  });

  test('an edit that reaches beyond the slots asked for must find them editable too', async () => {
    const merge = {
      name: 'merge',
      edits: (draft: Draft, at: readonly number[]) => at.map((slot) => draft.join(slot, '')),
    };
    const merging = space('a good film now', toyTarget('a good film now'), [protect(['film'])], merge);
    expect(texts(await merging.neighbours(merging.start.draft, [0, 1]))).toEqual(['agood film now']);
  });

  test('a probe never becomes the best; a visit does only when it is legal', async () => {
    const text = 'a good film';
    const open = space(text, toyTarget(text), [noRepeat, maxWords(1)]);
    const worse = open.start.draft.replace(1, 'awful');
    await open.probe([worse]);
    expect(open.best).toBe(open.start);
    await open.visit([worse.replace(2, 'thing')]);
    expect(open.best).toBe(open.start);
    await open.visit([worse]);
    expect(open.best.draft).toBe(worse);
    expect(open.done).toBe(true);
  });

  test('it asks no more than the budget has left', async () => {
    const target = toyTarget('a good film', { budget: 4 });
    const open = space('a good film', target);
    expect(await open.visit(await open.neighbours(open.start.draft))).toHaveLength(3);
    expect(await open.visit([open.start.draft.replace(0, 'the')])).toEqual([]);
    expect([target.queried.length, open.done]).toEqual([4, true]);
  });

  test('reaching the goal outranks a higher score', async () => {
    // Label 0 falls furthest for "far", but only "near" flips the prediction.
    const classify = (text: string) =>
      text === 'near'
        ? Float32Array.of(0.4, 0.6, 0)
        : text === 'far'
          ? Float32Array.of(0.35, 0.325, 0.325)
          : Float32Array.of(1, 0, 0);
    const either = swapWords('either', () => ['far', 'near']);
    const attempt = await compose({ transformation: either, constraints: [], search: greedy(atRandom) }).run(
      { id: '0', text: 'word', label: 0 },
      toyTarget('word', { classify }),
    );
    expect(attempt).toMatchObject({ succeeded: true, text: 'near' });
  });

  test('the queries of a long text come in calls of bounded size, with the same answers', async () => {
    const long = `good ${'film '.repeat(200_000)}`;
    const sizes: number[] = [];
    const target = toyTarget(long, { classify: (text) => Float32Array.of(1 / text.length, 1 - 1 / text.length) });
    const counted = {
      ...target,
      remaining: 100,
      classify: (asked: readonly string[]) => {
        sizes.push(asked.length);
        return target.classify(asked);
      },
    };
    const open = space(long, counted);
    const scored = await open.probe([1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => open.start.draft.replace(0, 'x'.repeat(n))));
    expect(sizes.length).toBeGreaterThan(1);
    expect(scored.map(({ draft }) => draft.word(0).length)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });
});

describe('rankings', () => {
  const text = 'a good but dull and lovely film';
  test('by unknown token: the words whose loss hurts most first, the rest in the order of the text', async () => {
    const target = toyTarget(text);
    // good and lovely carry the prediction; losing "dull" strengthens it.
    expect(await byUnknown().order(space(text, target))).toEqual([1, 5, 0, 2, 4, 6, 3]);
    expect(target.queried[2]).toBe('a [UNK] but dull and lovely film');
  });
  test('by deletion', async () => {
    const target = toyTarget(text);
    expect(await byDeletion.order(space(text, target))).toEqual([1, 5, 0, 2, 4, 6, 3]);
    expect(target.queried[1]).toBe('good but dull and lovely film');
  });
  test('by the word alone: the strongest word for the label first, queried as texts of one word', async () => {
    const target = toyTarget(text);
    expect(await byWordAlone.order(space(text, target))).toEqual([1, 5, 0, 2, 4, 6, 3]);
    expect(target.queried.slice(1)).toEqual(['a', 'good', 'but', 'dull', 'and', 'lovely', 'film']);
  });
  test('by the word alone: against a text taken for negative it is the other way round', async () => {
    const bad = 'a dull, lovely but awful film';
    expect((await byWordAlone.order(space(bad, toyTarget(bad)))).slice(0, 2)).toEqual([1, 4]);
  });
  test('at random: no query, every slot once', async () => {
    const target = toyTarget(text);
    expect([...(await atRandom.order(space(text, target)))].sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(target.queried).toHaveLength(1);
  });
  test('what the budget did not let it probe is not ranked', async () => {
    expect(await byUnknown().order(space(text, toyTarget(text, { budget: 3 })))).toEqual([1, 0]);
  });
});

describe('searches', () => {
  test('greedy edits the words in order of importance and stops at the first success', async () => {
    const target = toyTarget('good film, great cast');
    const attempt = await run('good film, great cast', greedy(byUnknown()), target);
    expect(attempt).toMatchObject({ succeeded: true, text: 'xgood film, xgreat cast', words: 4, changed: 2 });
    // clean, four probes, two words of two candidates
    expect(target.queried).toHaveLength(9);
  });

  test('rewrites in turn: the first success ends it, and it succeeds where asking them together does', async () => {
    const classify = (text: string) => (/[pqr]/.test(text) ? Float32Array.of(0.2, 0.8) : Float32Array.of(0.8, 0.2));
    const letters = swapWords('letters', () => ['p', 'q', 'r']);
    const asked = async (inTurn: boolean) => {
      const target = toyTarget('a b', { classify });
      const attack = compose({ transformation: letters, constraints: [noRepeat], search: greedy(atRandom, inTurn) });
      expect(await attack.run({ id: '0', text: 'a b', label: 0 }, target)).toMatchObject({
        succeeded: true,
        changed: 1,
      });
      return target.queried.length;
    };
    expect([await asked(false), await asked(true)]).toEqual([4, 2]);
    const texts = fc.array(fc.constantFrom('good', 'great', 'dull', 'film', 'a', 'lovely', 'bad'), {
      minLength: 1,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(
        texts,
        fc.constantFrom(byUnknown(), byDeletion, byWordAlone, atRandom),
        async (words, ranking) => {
          const text = words.join(' ');
          const [together, inTurn] = [toyTarget(text), toyTarget(text)];
          const whole = await run(text, greedy(ranking), together);
          const first = await run(text, greedy(ranking, true), inTurn);
          expect(first.succeeded).toBe(whole.succeeded);
          expect(first.changed).toBe(whole.changed);
          expect(inTurn.queried.length).toBeLessThanOrEqual(together.queried.length);
        },
      ),
    );
  });

  test('beam 1 edits the best word anywhere, round by round', async () => {
    const target = toyTarget('good film, great cast');
    expect(await run('good film, great cast', beam(1), target)).toMatchObject({ succeeded: true, changed: 2 });
    expect(target.queried).toHaveLength(1 + 8 + 6);
  });

  test('a wider beam finds what greedy misses, and asks a shared child once', async () => {
    // Only both words together turn it; the first word alone looks useless.
    const classify = (text: string) => {
      const score = text.includes('q r') ? 0.9 : text.includes('q') ? 0.1 : text.includes('s') ? 0.3 : 0.2;
      return Float32Array.of(1 - score, score);
    };
    const letters = swapWords('letters', (word) => (word === 'a' ? ['q', 's'] : ['r']));
    const attack = (width: number) =>
      compose({ transformation: letters, constraints: [noRepeat], search: beam(width) });
    const asked = async (width: number) => {
      const target = toyTarget('a b', { classify });
      const attempt = await attack(width).run({ id: '0', text: 'a b', label: 0 }, target);
      return {
        succeeded: attempt.succeeded,
        text: attempt.text,
        distinct: new Set(target.queried).size === target.queried.length,
      };
    };
    expect(await asked(1)).toEqual({ succeeded: false, text: 's b', distinct: true });
    expect(await asked(3)).toEqual({ succeeded: true, text: 'q r', distinct: true });
  });

  test('a search that may edit a word again ends', async () => {
    const attempt = await run('film cast', beam(1), toyTarget('film cast'), []);
    expect(attempt.succeeded).toBe(false);
  });

  test.each([
    ['', 'no word in the text'],
    ['?!', 'no word in the text'],
    ['good', 'no word that the constraints allow it to edit'],
    ['dull '.repeat(10_001).trim(), '10001 words: more than 10000 are not attacked'],
  ])('%j: %s', async (text, reason) => {
    const attempt = await run(text, greedy(atRandom), toyTarget(text), [protect(['good'])]);
    expect(attempt).toMatchObject({ succeeded: false, text, changed: 0, reason });
  });

  test('without a query left it says so and returns the text', async () => {
    const attempt = await run('good', greedy(byUnknown()), toyTarget('good', { budget: 1 }));
    expect(attempt).toMatchObject({ succeeded: false, reason: 'no query left for a rewrite' });
  });

  test('a text that already has the target label is no success', async () => {
    const attempt = await run('good', greedy(byUnknown()), toyTarget('good', { goal: targeted(1) }));
    expect(attempt).toMatchObject({ succeeded: false, reason: 'the victim already answers as the goal wants' });
  });
});

describe('whatever the text, the search and the budget', () => {
  const word = fc.constantFrom('good', 'dull', 'great', 'film', 'the', 'awful', 'a', '?!', 'naïve', '\ud83d');
  const anyRun = fc.record({
    text: fc.array(word, { maxLength: 12 }).map((words) => words.join(' ')),
    search: fc.constantFrom(greedy(byUnknown()), greedy(byDeletion), greedy(atRandom), beam(1), beam(3)),
    budget: fc.integer({ min: 1, max: 120 }),
    most: fc.integer({ min: 1, max: 4 }),
  });

  test('no visited draft breaks a constraint, the best never falls, the budget holds, a success is one', async () => {
    await fc.assert(
      fc.asyncProperty(anyRun, async ({ text, search, budget, most }) => {
        const target = toyTarget(text, { budget });
        const open = space(text, target, [noRepeat, protect(['good film']), maxWords(most)]);
        let best = open.best;
        const { visit } = open;
        open.visit = async (drafts) => {
          const scored = await visit.call(open, drafts);
          for (const { draft } of scored) {
            expect(draft.changed).toBeLessThanOrEqual(most);
            if (/\bgood film\b/.test(text)) expect(draft.text).toContain('good film');
          }
          expect(open.best.reached || !best.reached).toBe(true);
          if (open.best.reached === best.reached) expect(open.best.score).toBeGreaterThanOrEqual(best.score);
          best = open.best;
          return scored;
        };
        await search.search(open);
        expect(target.queried.length).toBeLessThanOrEqual(budget);
        if (open.best.reached) expect(labelOf(open.best.draft.text)).not.toBe(labelOf(text));
        expect(open.best.probabilities).toEqual(toy(open.best.draft.text));
      }),
      { numRuns: tries(200) },
    );
  });
});

test('equal seeds give equal attempts; the stream of another seed does not disturb them', async () => {
  const text = 'good film, great cast, lovely songs';
  const once = await run(text, greedy(atRandom), toyTarget(text));
  expect(await run(text, greedy(atRandom), toyTarget(text))).toEqual(once);
});
