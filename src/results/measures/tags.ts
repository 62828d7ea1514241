/** @file Entities that a model no longer finds under attack, and leaks. */
import { type TagFigures, TagFold, tagFiguresSchema } from '../tags/figures.js';
import type { Measure } from './measure.js';

/** For a victim with these labels. */
export const tagMeasure = (labels: readonly string[] = []): Measure<TagFigures> => ({
  name: 'tags',
  schema: tagFiguresSchema,
  fold() {
    const fold = new TagFold();
    return { add: (outcome, index) => fold.add(outcome, index), value: () => fold.value(labels) };
  },
  metrics: [
    { key: 'tags.recallUnderAttack', label: 'Recall under attack', unit: 'rate', about: 'entities still found' },
    { key: 'tags.leakRate', label: 'Leak rate', unit: 'rate', about: 'entities of which a character is not covered' },
    { key: 'tags.leakedTexts', label: 'Leaking texts', unit: 'rate' },
  ],
});
