import fc from 'fast-check';
import { expect, test } from 'vitest';
import { outcomeScores, scoreTexts } from '../../src/core/score-text.js';
import { percentBeside } from '../../src/results/report/judged-text.js';

test.each([
  [[0.9912, 0.9921], undefined, ['0.991', '0.992'], ''],
  [[0.25, 0.75], undefined, ['0.25', '0.75'], ''],
  [[0.993, 0.984], 0.985, ['0.993', '0.984'], '0.985'],
  [[0.98499], 0.985, ['0.98499'], '0.98500'],
  [[0.5], 0.5, ['0.50'], '0.50'],
  [[0.9001, 0.2], 0.9001197516918182, ['0.90010', '0.20000'], '0.90012'],
  [[Math.fround(0.7)], 0.7, ['0.70'], '0.70'],
  [[4.5, 1.5], undefined, ['4.50', '1.50'], ''],
])('%j beside %s', (scores, threshold, texts, at) => {
  expect(scoreTexts(scores, { threshold })).toEqual({ scores: texts, threshold: at });
});

test('what is printed compares as the scores do, with each other and with the threshold', () => {
  const score = fc.float({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(score, score, score, (first, second, threshold) => {
      const { scores, threshold: at } = scoreTexts([first, second], { threshold });
      const all = [first, second, threshold];
      const written = [...scores, at].map(Number);
      for (const [a, one] of all.entries())
        for (const [b, other] of all.entries())
          expect(Math.sign(written[a]! - written[b]!)).toBe(Math.sign(one - other));
    }),
  );
});

test('an outcome of a detector has the score of what it detects, whatever is true of the text', () => {
  const rule = { kind: 'threshold', positive: ['spam'], by: 'max', at: 0.7 } as const;
  const labels = ['ham', 'spam'];
  expect(outcomeScores({ label: 0, scoreBefore: 0.9, scoreAfter: 0.2 }, { labels, rule })).toEqual({
    before: '0.10',
    after: '0.80',
    threshold: '0.70',
  });
  expect(outcomeScores({ label: 1, scoreBefore: 0.9, scoreAfter: 0.2 }, { labels, rule }).after).toBe('0.20');
  expect(outcomeScores({ label: 1, scoreBefore: 0.9, scoreAfter: 0.2 }, { labels }).threshold).toBe('');
});

test.each([
  [0.4, [0.3], '40.0 %'],
  [0.2996, [0.3], '29.96 %'],
  [0.3, [0.3], '30.0 %'],
  [1 / 3, [0.3333, 0.9], '33.333 %'],
])('a rate of %d beside the limits %j', (fraction, limits, text) => {
  expect(percentBeside(fraction, limits)).toBe(text);
});
