/** @file Every family as transformers of two years saves it, config and names of weights, against its logits (saves.py). */
import { expect, test } from 'vitest';
import { families } from '../../src/convert/families/index.js';
import { answersAsReferred, type Configuration, configurationsIn } from './checkpoints.js';

type Saved = Partial<Configuration> & Pick<Configuration, 'name' | 'config' | 'shape' | 'logits'>;

/** What the saves were made of; what they have in common with it stands there only. */
const sources = [...configurationsIn('configurations.json'), ...configurationsIn('decoders.json')];

const saves = (['4.57', '5.18'] as const).map((release) => ({
  release,
  saved: configurationsIn<Saved>(`saves-${release}.json`).map(
    (one) => ({ ...sources.find(({ name }) => name === one.name), ...one }) as Configuration,
  ),
}));

test('each release saved every family that it has', () => {
  const types = families.flatMap((family) => family.types);
  const missing = saves.map(({ release, saved }) => {
    const has = new Set(saved.map(({ config }) => config.model_type));
    return [release, types.filter((type) => !has.has(type)).sort()];
  });
  expect(missing).toEqual([
    ['4.57', ['eurobert', 'nomic_bert']],
    ['5.18', []],
  ]);
});

test.each(saves.flatMap(({ release, saved }) => saved.map((one) => ({ release, one, name: one.name }))))(
  '$name of $release',
  ({ one }) => answersAsReferred(one),
);
