/** @file Measures are compared by identity, so equal parameters share a list. */
import type { Measure } from '../results/measures/measure.js';

export function measureLists() {
  const known = new Map<string, readonly Measure[]>();
  return (parameters: unknown, list: () => readonly Measure[]): readonly Measure[] => {
    const key = JSON.stringify(parameters);
    const found = known.get(key) ?? list();
    known.set(key, found);
    return found;
  };
}
