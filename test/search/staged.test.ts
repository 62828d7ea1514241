/** The attack on stages goes back where the first edit past one stage is in the way of the next. */
import { expect, test } from 'vitest';
import type { EvasionAttack } from '../../src/plugin.js';
import { staged } from '../../src/search/staged.js';
import { toyTarget } from './toys.js';

/** Writes `to` for every `from`, unless the text has the letter `unless`. */
const swapping = (from: string, to: string, unless = '-') => ({
  name: `${from}-${to}`,
  unranked: true,
  attack: {
    constraints: [],
    async run({ text }, target) {
      const rewritten = text.includes(unless) ? text : text.replaceAll(from, to);
      const [probabilities] = await target.classify([rewritten]);
      return {
        succeeded: target.goal.reached(probabilities!, 1),
        ...{ text: rewritten, probabilities: probabilities!, words: 2, changed: 1 },
      };
    },
  } satisfies EvasionAttack,
});

test('an edit past the first stage that blocks the second is taken back', async () => {
  const scoresOf = (text: string) => ['a', 'b'].map((letter) => Number(text.includes(letter)));
  const answers = async (texts: readonly string[]) =>
    texts.map((text) => {
      const score = Math.max(...scoresOf(text));
      return { row: Float32Array.of(1 - score, score), scores: Float32Array.from(scoresOf(text)) };
    });
  const text = 'a b';
  const [original] = await answers([text]);
  const target = {
    ...toyTarget(text, {}),
    original: original!.row,
    stages: { names: ['first', 'second'], threshold: 0.5, answers, normalised: (each: string) => each },
    classify: async (texts: readonly string[]) => (await answers(texts)).map(({ row }) => row),
  };
  const kinds = [
    ...[swapping('a', 'x', 'c'), swapping('a', 'y', 'c'), swapping('b', 'c', 'x')],
    ...['q', 'r', 's', 't'].map((letter) => swapping(letter, letter)),
  ];
  const attempt = await staged(kinds).run({ id: '0', text, label: 1 }, target);
  expect(attempt).toMatchObject({ succeeded: true, text: 'y c', details: { kinds: 'a-y + b-c' } });
});
