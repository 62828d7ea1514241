/** @file A few questions before a run: does an endpoint answer the same text alike, alone and in company, and how finely? */

/** Common words, so that any classifier of English has something to say; different lengths, so that batches are padded. */
const PROBE_TEXTS = [
  'the film is good and the story is not bad but it was a little too long for me',
  'not so bad',
  'what a waste of time',
  'a warm and funny evening, well played and well written, and over far too soon for all of us who saw it',
  'it rains in the north today',
  'this is the worst service that I have ever had and I want my money back now',
] as const;

/** Alone twice, then all of them together. */
export const PROBE_QUERIES = 2 + PROBE_TEXTS.length;

/** Finer steps are those of single precision. */
const MOST_DECIMALS = 5;

/** The step of scores that were rounded to decimals; null for scores that were not. A float32 is off by less than one part in 2^24. */
export function gridOf(rows: readonly Float32Array[]): number | null {
  for (let decimals = 0; decimals <= MOST_DECIMALS; decimals++) {
    const scale = 10 ** decimals;
    const fits = (score: number): boolean => Math.fround(Math.round(score * scale) / scale) === score;
    if (rows.every((row) => row.every(fits))) return 1 / scale;
  }
  return null;
}

export const largestDifference = (one: Float32Array, other: Float32Array): number =>
  one.reduce((most, score, at) => Math.max(most, Math.abs(score - other[at]!)), 0);

/** `ask` sends one request with these texts, whatever is known of them. */
export async function probe(ask: (texts: readonly string[]) => Promise<Float32Array[]>) {
  const [first] = PROBE_TEXTS;
  const [alone] = (await ask([first])) as [Float32Array];
  const [again] = (await ask([first])) as [Float32Array];
  const together = await ask(PROBE_TEXTS);
  return { alone, again, together };
}
