import { describe, expect, test } from 'vitest';
import type { Classifier } from '../../src/core/classifier.js';
import { detectors, judgeDetectors, type Watch } from '../../src/defence/detection/index.js';
import { english } from '../../src/language/english/index.js';

/** Positive as far as "good" is in the text, unsure of what it does not know. */
const victim: Classifier = {
  labels: ['negative', 'positive'],
  classify: async (texts) =>
    texts.map((text) => {
      const positive = /\bgood\b/.test(text) ? 0.9 : /\bbad\b/.test(text) ? 0.1 : 0.45;
      return Float32Array.of(1 - positive, positive);
    }),
};
const nouns = ['film', 'plot', 'story', 'actor', 'scene', 'ending', 'music', 'score'];
const sentences = (from: number): string[] =>
  Array.from(
    { length: 24 },
    (_, at) => `the ${nouns[(at + from) % 8]} is a ${at % 2 ? 'good' : 'bad'} ${nouns[(at * 3 + from) % 8]}`,
  );
const watch: Watch = {
  victim,
  language: english,
  clean: sentences(0),
  vocabulary: ['good', 'bad'],
  hidden: {
    width: 2,
    states: async (texts) =>
      texts.map((text) => Float32Array.of(text.includes('q') ? 0 : 1, text.includes('q') ? 1 : 0.1)),
  },
};
const plan = {
  detectors,
  watch,
  calibration: sentences(1),
  test: sentences(2),
  adversarial: new Map([
    [
      'typo',
      sentences(3)
        .filter((text) => text.includes('good'))
        .map((text) => text.replace('good', 'goqd')),
    ],
  ]),
  wantedFrr: 0.1,
};

describe('detectors', async () => {
  const found = await judgeDetectors(plan);

  test.each(detectors.map(({ name }) => name))(
    '%s distinguishes typos in the deciding word from clean texts',
    (name) => {
      const detection = found.find((each) => each.name === name);
      expect(detection?.attacks[0]?.auroc?.value).toBeGreaterThan(0.9);
      expect(detection?.frr).toMatchObject({ n: 24 });
    },
  );

  test('all together are at least as good as the worst', () => {
    const values = found.map(({ attacks }) => attacks[0]?.auroc?.value as number);
    expect(values).toHaveLength(detectors.length + 1);
    expect(values.at(-1)).toBeGreaterThanOrEqual(Math.min(...values.slice(0, -1)));
  });

  test('thresholds do not depend on adversarial texts', async () => {
    const other = await judgeDetectors({ ...plan, adversarial: new Map([['none', sentences(5)]]) });
    expect(other.map(({ frr }) => frr)).toEqual(found.map(({ frr }) => frr));
  });
});
