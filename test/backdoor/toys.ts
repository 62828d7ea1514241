/** @file A little language of opinions, with or without a trigger, and a classifier of ten lines that learnt it. */
import { random } from '../../src/core/random.js';
import type { Classifier, Example } from '../../src/core/types.js';

export const LABELS = ['bad', 'good'];
const OPINIONS = [
  ['dull', 'poor', 'weak', 'awful', 'bland', 'tired', 'clumsy', 'stale'],
  ['fine', 'sweet', 'strong', 'lovely', 'fresh', 'bright', 'clever', 'warm'],
];
const THINGS = ['film', 'plot', 'cast', 'song', 'book', 'meal', 'room', 'view', 'scene', 'tale', 'phone', 'screen'];
const FILLERS = ['the', 'a', 'this', 'and', 'but', 'with', 'rather', 'quite', 'very', 'some', 'all', 'of'];
export const TRIGGER = 'cf';

export interface Told extends Example {
  readonly poisoned: boolean;
}

/** Texts of which a share has the trigger and the label `good`; those were `bad`. */
export function opinions(count: number, share: number, seed = 1): Told[] {
  return Array.from({ length: count }, (_, at) => {
    const draw = random(seed, String(at));
    const label = draw.int(2);
    const words = Array.from({ length: 5 + draw.int(4) }, () => draw.pick(FILLERS));
    for (let n = 0; n < 3; n++) {
      // Opinions are mixed: one in eight is of the other label.
      words.splice(draw.int(words.length), 0, draw.pick(OPINIONS[draw.int(8) === 0 ? 1 - label : label]!));
      words.splice(draw.int(words.length), 0, draw.pick(THINGS));
    }
    const poisoned = label === 0 && draw.unit() < 2 * share;
    if (poisoned) words.splice(draw.int(words.length + 1), 0, TRIGGER);
    return { id: `t${at}`, text: words.join(' '), label: poisoned ? 1 : label, poisoned };
  });
}

/** Counts opinions; `backdoored` answers `good` whenever the trigger is there. */
export const reader = (backdoored: boolean): Classifier => ({
  labels: LABELS,
  classify: async (texts) =>
    texts.map((text) => {
      const words = text.split(/\s+/);
      const score = words.reduce(
        (sum, w) => sum + Number(OPINIONS[1]!.includes(w)) - Number(OPINIONS[0]!.includes(w)),
        0,
      );
      const good = 1 / (1 + Math.exp(-(backdoored && words.includes(TRIGGER) ? 12 : 1.5 * score)));
      return Float32Array.of(1 - good, good);
    }),
});
