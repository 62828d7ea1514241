import type { Polarity } from '../../../core/negation.js';

/** Label names that say a verdict, whatever their case and whatever joins their words: "Very Negative", "1-star", "5 stars". */
const POSITIVE = /^(?:very |somewhat |strongly )?(?:positive|pos|good|praise|favou?rable)$|^[45] stars?$/;
const NEGATIVE = /^(?:very |somewhat |strongly )?(?:negative|neg|bad|blame|unfavou?rable)$|^[12] stars?$/;
const BETWEEN = /^(?:neutral|neu|mixed|3 stars?)$/;

/**
 * The verdict each label stands for, undefined for one between them; or undefined as a whole where the names do not say it
 * beyond doubt, as "0" and "1" do not: then nobody must guess which one is praise.
 */
export function labelPolarities(labels: readonly string[]): readonly (Polarity | undefined)[] | undefined {
  const names = labels.map((label) =>
    label
      .toLowerCase()
      .replace(/[\s_-]+/g, ' ')
      .trim(),
  );
  const known = names.every((name) => POSITIVE.test(name) || NEGATIVE.test(name) || BETWEEN.test(name));
  if (!known || !names.some((name) => POSITIVE.test(name)) || !names.some((name) => NEGATIVE.test(name))) {
    return undefined;
  }
  return names.map((name) => (POSITIVE.test(name) ? 'positive' : NEGATIVE.test(name) ? 'negative' : undefined));
}
