/** Texts of which an attack can edit next to nothing do not count as failed attacks. An attack on mostly such texts does not apply. */
import { describe, expect, test } from 'vitest';
import { attacks } from '../../attacks/index.js';
import { argmax } from '../../src/core/argmax.js';
import type { Outcome } from '../../src/core/outcome.js';
import { inapplicable, reachOf } from '../../src/results/measures/reach.js';
import { AttackFold, overallFold } from '../../src/results/metrics.js';
import { outcomeOfAttempt } from '../../src/run/outcome.js';
import { toyTarget } from '../search/toys.js';

const ENGLISH = 'What a lovely film with a great cast, and the plot is charming all the way to its end.';
const TEXTS = {
  Chinese: '这部电影的故事情节非常精彩，演员们的表演也十分出色，我非常喜欢这个导演的作品。',
  numbers: '1024 2048, 4096; 10/10 (99.5)',
};

test('the reach of a text is a share of its words, with spaces between them or without', () => {
  expect(reachOf(ENGLISH)).toBe(1);
  expect(reachOf(ENGLISH, new Set([2]))).toBeCloseTo(1 / 18);
  expect(reachOf('我喜欢看电影。', new Set([1]))).toBe(1 / 4);
  expect(reachOf('')).toBe(0);
  expect(reachOf('...')).toBe(0);
});

const named = (name: string) => attacks.find((plugin) => plugin.name === name)!;
/** A victim that nothing turns, and whose score moves with each edit. */
const stubborn = (text: string) => {
  const score = 0.6 + 0.3 * ((text.length % 7) / 7);
  return Float32Array.of(1 - score, score);
};
async function outcomeOf(name: string, text: string, budget = 2000): Promise<Outcome> {
  const plugin = named(name);
  const target = toyTarget(text, { classify: stubborn, budget });
  const attempt = await plugin.create(plugin.options.parse({})).run({ id: '0', text, label: 1 }, target);
  const pair = { example: { id: '0', text, label: 1 }, attack: name, before: target.original };
  return outcomeOfAttempt(pair, attempt, { asked: 1, computed: 1 });
}

const TYPOS = ['deepwordbug', 'pruthi', 'textbugger', 'human-typos'];

describe.each(TYPOS)('%s', (name) => {
  test('leaves no mark on English, whose outcome is what it was', async () => {
    const outcome = await outcomeOf(name, ENGLISH);
    expect(argmax(stubborn(ENGLISH))).toBe(1);
    expect(outcome.status).toBe('failed');
    expect(outcome).not.toHaveProperty('reach');
  });

  test('a budget that ends the search says nothing of its reach', async () => {
    expect(await outcomeOf(name, ENGLISH, 3)).not.toHaveProperty('reach');
  });
});

test.each([
  ['homoglyphs', TEXTS.numbers],
  ['synonym', TEXTS.numbers],
  ['whole-case', TEXTS.Chinese],
  ['truncation', TEXTS.numbers.slice(0, 4)],
])('%s reaches nothing of %s', async (name, text) => {
  expect(await outcomeOf(name, text)).toMatchObject({ status: 'failed', reach: 0 });
});

/** `failed` texts of which `unreached` were out of reach, and `succeeded`. */
function folded(succeeded: number, failed: number, unreached: number) {
  const fold = new AttackFold(['no', 'yes']);
  const all = overallFold();
  for (let at = 0; at < succeeded + failed; at++) {
    const outcome: Outcome = {
      ...{ id: String(at), attack: 'a', text: 'x', label: 1, from: 1, to: 1, scoreBefore: 1, scoreAfter: 1 },
      ...{ words: 1, changed: 1, queries: { asked: 1, computed: 1 } },
      status: at < succeeded ? 'succeeded' : 'failed',
      ...(at >= succeeded && at < succeeded + unreached && { reach: 0 }),
    };
    fold.add(outcome, at);
    all.add(at, outcome);
  }
  return { attack: fold.metrics(), overall: all };
}

describe('an attack', () => {
  test('that reached most texts applies, and those it did not reach stay where they were', () => {
    const { attack, overall } = folded(10, 90, 50);
    expect(attack).not.toHaveProperty('applicable');
    expect(attack).toMatchObject({ failed: 90, attackSuccessRate: { value: 0.1, n: 100 } });
    expect(overall.metrics()).toMatchObject({ attackSuccessRate: { value: 0.1, n: 100 } });
  });

  test('that reached few does not apply, and what it did not reach stays correctly classified', () => {
    const { attack, overall } = folded(10, 90, 60);
    expect(attack).toMatchObject({
      applicable: false,
      notApplicable: { n: 60, reason: inapplicable(60, 100) },
      failed: 90,
      originalAccuracy: { value: 1, n: 100 },
      attackSuccessRate: { value: 0.1, n: 100 },
      accuracyUnderAttack: { value: 0.9, n: 100 },
      perClass: [{ attackSuccessRate: { n: 0 } }, { attackSuccessRate: { n: 100 } }],
    });
    expect(overall.metrics()).toMatchObject({ attackSuccessRate: { value: 0.1, n: 100 } });
  });

  test('that reached none changes no rate, and does not apply', () => {
    const { attack, overall } = folded(0, 40, 40);
    expect(attack).toMatchObject({ applicable: false, attackSuccessRate: { value: 0, n: 40 } });
    expect(overall.metrics().accuracyUnderAttack).toMatchObject({ value: 1, n: 40 });
  });
});
