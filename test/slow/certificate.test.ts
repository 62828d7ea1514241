/** No attack finds an adversarial text inside a certified radius: 200 bundled sentences, three attacks through the defence. */
import { expect, test } from 'vitest';
import { chooseDefences, MASK } from '../../src/app/victim/defend.js';
import { mapWords, wordsOf } from '../../src/core/draft.js';
import type { Outcome } from '../../src/core/outcome.js';
import { type Certificate, certify } from '../../src/defence/certificate.js';
import type { MaskingOptions } from '../../src/defence/random-masking.js';
import { loadModel } from '../../src/model/load.js';
import { robustProcess } from '../commands/cli.js';

const DEFENCE = 'ranmask';
/** One that spells words otherwise, one that swaps synonyms, one that knows the weights and takes any word. */
const ATTACKS = ['deepwordbug', 'pwws:constraints=none', 'hotflip:same-pos=false:max-words=4'];

/** In how many words two texts differ; undefined where more than words differs, of which no certificate speaks. */
function replaced(before: string, after: string): number | undefined {
  const between = (text: string): string => mapWords(text, () => '\0');
  if (between(before) !== between(after)) return undefined;
  const words = wordsOf(after);
  return wordsOf(before).filter(({ text }, slot) => words[slot]?.text !== text).length;
}

test('no adversarial text lies inside a certified radius', { timeout: 1_800_000 }, async () => {
  const run = await robustProcess([
    ...['attack', '-m', 'bert-mini', '--defend', DEFENCE, ...ATTACKS.flatMap((attack) => ['-a', attack])],
    ...['--query-budget', '200', '-n', '200', '--no-progress', '--json'],
  ]);
  expect(run.code, run.stderr).toBe(0);
  const { examples, model: attacked } = JSON.parse(run.stdout).result as {
    examples: Outcome[];
    model: { defence: string };
  };
  expect(attacked.defence).toContain('vote of 100 versions');

  const model = await loadModel('bert-mini');
  try {
    const options = (await chooseDefences([DEFENCE]))[0]?.options as MaskingOptions;
    const certificates = new Map<string, Certificate>();
    for (const { text } of examples) {
      if (!certificates.has(text)) certificates.set(text, await certify(text, model, options, MASK));
    }
    const found = { oneForOne: 0, otherwise: 0, justOutside: 0 };
    for (const { id, attack, status, text, from, adversarial } of examples) {
      const { label, radius } = certificates.get(text) as Certificate;
      // The run asked the very vote that is certified.
      expect(label, `${id}: label before any attack`).toBe(from);
      if (status !== 'succeeded') continue;
      const words = replaced(text, adversarial as string);
      if (words === undefined) {
        found.otherwise += 1;
        continue;
      }
      found.oneForOne += 1;
      if (radius > 0 && words === radius + 1) found.justOutside += 1;
      expect(words, `${id}, ${attack}: certified for ${radius} words, turned by "${adversarial}"`).toBeGreaterThan(
        radius,
      );
    }
    const certain = [...certificates.values()].filter(({ radius }) => radius > 0).length;
    console.log(`${certificates.size} texts, ${certain} of them certified for a word or more;`, found);
    expect(certificates.size).toBeGreaterThan(190);
    expect(certain).toBeGreaterThan(50);
    expect(found.oneForOne).toBeGreaterThan(100);
    expect(found.justOutside).toBeGreaterThan(10);
  } finally {
    await model.close();
  }
});
