import { expect, test } from 'vitest';
import { english } from '../../src/language/english/index.js';
import { foreignWarning, unknownShare } from '../../src/language/language-check.js';

test.each([
  ['German', ['Ein wunderbarer Film mit großartigen Schauspielern, aber das Ende hat mich nicht überzeugt.']],
  ['French', ["Un film magnifique avec des acteurs formidables, mais la fin ne m'a pas convaincu du tout."]],
  ['Spanish', ['Una película maravillosa con grandes actores, pero el final no me convenció.']],
  ['Chinese', ['这部电影很好看', '我不喜欢这个结局']],
  ['Hebrew', ['סרט נהדר עם שחקנים מצוינים']],
])('%s gives a warning with its share of unknown words', (_, texts) => {
  expect(foreignWarning(texts, english)).toMatch(/^\d+ % of the words are not English/);
});

test.each([
  ['a review', ["It's the film’s best scene, and I don't say so lightly. The cast is superb!"]],
  ['tokenised text', ["it 's n't bad , and the directors are well-known"]],
  ['SMS', ['ok c u l8r, wil call when im home pls, thx for the lift today', 'Free entry! Text WIN to 80086 now']],
  ['numbers', ['10/10', '3.5']],
  ['nothing', ['', '?!']],
  ['words that objects know', ['constructor of the film, hasOwnProperty or not, is fine by me and by her']],
])('%s passes', (_, texts) => expect(foreignWarning(texts, english)).toBeUndefined());

test('the share is of occurrences, and of nothing there is none', () => {
  expect(unknownShare(['film film xqzt'], english.dictionary)).toBeCloseTo(1 / 3);
  expect(unknownShare(['42 ...'], english.dictionary)).toBeUndefined();
});
