/** @file The majority of the readers of a text. */
import type { Random } from '../core/random.js';
import { percentileBounds } from '../core/statistics/bootstrap.js';
import type { Rate } from '../core/statistics/rate.js';
import { wilson } from '../core/statistics/stats.js';
import type { ReviewJournal } from './journal.js';
import { type PlannedItem, sameAnswer } from './plan.js';

/** An answer compared with the truth; undefined if unsure and without an answer. */
export type LabelVote = boolean | undefined;

/** A text and the votes on it, one for each reader in a fixed order. */
export interface ReadText {
  readonly item: PlannedItem;
  readonly votes: readonly LabelVote[];
}

/** Texts that at least one reader has answered. */
export const readTexts = (items: readonly PlannedItem[], journals: readonly ReviewJournal[]): ReadText[] =>
  items
    .filter(({ id }) => journals.some(({ readings }) => readings.has(id)))
    .map((item) => ({
      item,
      votes: journals.map(({ readings }) => {
        const answer = readings.get(item.id)?.answer ?? null;
        return answer === null ? undefined : sameAnswer(answer, item.truth);
      }),
    }));

/** True if more readers keep the label than change it, undefined for a tie. `times`: how often each reader counts. */
function majority(votes: readonly LabelVote[], times?: ArrayLike<number>): LabelVote {
  let lead = 0;
  for (const [at, vote] of votes.entries()) {
    if (vote !== undefined) lead += (vote ? 1 : -1) * (times?.[at] ?? 1);
  }
  return lead === 0 ? undefined : lead > 0;
}

/** Is the label kept? Undefined for an unclear text. */
export const decided = ({ votes }: ReadText): LabelVote => majority(votes);

const RESAMPLES = 1000;

/**
 * Share of the decided texts that keep their label. The interval is the wider of Wilson's and of a bootstrap in which texts and readers are
 * resampled with replacement (two-way; Owen 2007, "The pigeonhole bootstrap"): the share among other texts, for other readers. With one reader it
 * covers texts only.
 */
export function keptShare(texts: readonly ReadText[], random: Random): Rate {
  const found = texts.map(decided).filter((vote) => vote !== undefined);
  const kept = found.filter(Boolean).length;
  const rate = wilson(kept, found.length);
  const readers = texts[0]?.votes.length ?? 0;
  if (rate.low === null || rate.high === null || readers < 2) return rate;
  const bounds = percentileBounds(Array.from({ length: RESAMPLES }, () => resampledShare(texts, readers, random)));
  if (bounds === undefined) return rate;
  return { ...rate, low: Math.min(rate.low, bounds.low), high: Math.max(rate.high, bounds.high) };
}

function resampledShare(texts: readonly ReadText[], readers: number, random: Random): number | undefined {
  const times = new Uint8Array(readers);
  for (let draw = 0; draw < readers; draw++) times[Math.floor(random.unit() * readers)]! += 1;
  let [n, kept] = [0, 0];
  for (let draw = 0; draw < texts.length; draw++) {
    const vote = majority((texts[Math.floor(random.unit() * texts.length)] as ReadText).votes, times);
    if (vote === undefined) continue;
    n += 1;
    kept += Number(vote);
  }
  return n === 0 ? undefined : kept / n;
}

/** Share of the texts read without a majority. */
export const unclearShare = (texts: readonly ReadText[]): Rate =>
  wilson(texts.filter((text) => decided(text) === undefined).length, texts.length);
