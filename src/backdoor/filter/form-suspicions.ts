/** @file Judges a text by its form. */

import { traitsOf } from './form.js';
import { type FilterInput, NOTHING, type Suspicion } from './method.js';
import { patternsIn } from './patterns.js';

/** One per text, suspects first, then the reference. */
export function suspicionsByForm(material: FilterInput): Suspicion[] {
  const { suspects, reference, language } = material;
  const traits = traitsOf(
    suspects.map(({ text }) => text),
    reference.map(({ text }) => text),
    language,
  );
  return patternsIn(material, traits).map((match) => {
    if (match === undefined) return NOTHING;
    const { score, pattern, reason } = match;
    return { score, trigger: pattern, reason };
  });
}
