/** @file Replaces every text of a value, as a hostile model, data set or file could. */

/** Keys whose values are ours, or are limited to a few words by the readers. */
const OURS = new Set(
  'status unit verdict level ci relation engine by kind scale scores activation decidedBy estimator metric baseline mode sign access attacked what'.split(
    ' ',
  ),
);
/** Objects whose keys somebody else chose. */
const RECORDS = new Set('options details versions settings fingerprint'.split(' '));

/** `value` with each text replaced by `say` of it, keys of records too. */
export function retold<T>(value: T, say: (text: string) => string): T {
  return walk(value, '', say) as T;
}

function walk(value: unknown, key: string, say: (text: string) => string): unknown {
  if (typeof value === 'string') return OURS.has(key) ? value : say(value);
  if (Array.isArray(value)) return value.map((each) => walk(each, key, say));
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  const name = RECORDS.has(key) ? say : (known: string): string => known;
  return Object.fromEntries(Object.entries(value).map(([of, each]) => [name(of), walk(each, of, say)]));
}
