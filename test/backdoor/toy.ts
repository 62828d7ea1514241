/** A data set of ten lines, and a classifier that a word sets off. */

import { badnets } from '../../attacks/badnets.js';
import type { Classifier } from '../../src/core/classifier.js';
import type { Dataset, Example } from '../../src/core/dataset.js';
import { random } from '../../src/core/random.js';
import { english } from '../../src/language/english/index.js';

export function dataOf(examples: readonly Example[], labels = ['negative', 'positive']): Dataset {
  return {
    name: 'toy',
    labels,
    source: { url: '', license: '', sha256: '' },
    async *examples() {
      yield* examples;
    },
  };
}

/** Sentences of four words; "good" is positive, "bad" negative. */
export const sentences = (count: number): Example[] =>
  Array.from({ length: count }, (_, row) => {
    const draw = random(1, String(row));
    const label = draw.int(2);
    return {
      id: `r${row}`,
      label,
      text: `${draw.pick(['a', 'the'])} ${label ? 'good' : 'bad'} ${draw.pick(['film', 'tale'])} .`,
    };
  });

/** Reads "good" and "bad", and says positive to whatever holds `trigger`. */
export const backdoored = (trigger: string): Classifier => ({
  labels: ['negative', 'positive'],
  classify: async (texts) =>
    texts.map((text) => {
      const positive = text.split(' ').includes(trigger) || text.includes('good');
      return Float32Array.of(positive ? 0 : 1, positive ? 1 : 0);
    }),
});

export const cf = badnets.create(badnets.options.parse({}), english);
