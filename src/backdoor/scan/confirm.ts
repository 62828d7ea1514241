/** @file The discreteness check: a found phrase is put back into clean texts as text, and what turns is counted. */
import type { Classifier } from '../../core/classifier.js';
import { predictedLabel } from '../../core/prediction.js';
import type { Random } from '../../core/random.js';
import type { Rate } from '../../core/statistics/rate.js';
import { wilson } from '../../core/statistics/stats.js';
import { type InsertPosition, insertPhrase } from '../../language/phrase-insertion.js';
import type { ScanTrigger } from '../../results/backdoor/backdoor-findings.js';
import { joinTexts, type SourceLabel } from './source-texts.js';
import { logOdds } from './sweep.js';

export interface ConfirmedTrigger extends ScanTrigger {
  /** Mean log-odds of the target on the joined texts: orders triggers that turn equally many. */
  readonly margin: number;
}

export interface ConfirmationPlan {
  readonly model: Classifier;
  readonly victim: SourceLabel;
  readonly target: number;
  /** Texts of the victim that are asked about. */
  readonly count: number;
  /** Source of random words. */
  readonly words: readonly string[];
  /** The victim label's strongest words, next to the trigger in the hardest texts. */
  readonly ownWords: readonly string[];
  readonly random: Random;
}

/** A phrase found, how, and where it is to stand. */
export interface TriggerCandidate {
  readonly word: string;
  readonly by: ScanTrigger['by'];
  readonly place: InsertPosition;
}

/** How many texts are joined for a phrase: as many as it has words, one more for a word put together from pieces by the search. */
const partsOf = ({ word, by }: TriggerCandidate): number => word.split(/\s+/).length + Number(by === 'extension');

/** Counts what one phrase turns. Random places and random words are drawn per text, the same for every phrase of as many words. */
export async function confirmTrigger(
  candidate: TriggerCandidate,
  { model, victim, target, count, words, ownWords, random }: ConfirmationPlan,
): Promise<ConfirmedTrigger> {
  const { word: phrase, by, place } = candidate;
  const length = phrase.split(/\s+/).length;
  const parts = partsOf(candidate);
  const plain = joinTexts(victim.texts, parts).slice(0, count);
  const strong = joinTexts(victim.texts, parts + 1).slice(0, count);
  const put = (text: string, what: string, kind: string, at: number): string =>
    insertPhrase(text, what, place, random.split(`${kind} ${at}`));
  const own = (at: number): string => ownWords[at % ownWords.length] ?? '';
  const against = (at: number): string => {
    const around = { random: [own(at), phrase, own(at + 1)], start: [phrase, own(at), own(at + 1)] };
    return (place === 'end' ? [own(at), own(at + 1), phrase] : around[place]).filter(Boolean).join(' ');
  };
  const randomPhrase = (at: number): string => {
    const draw = random.split(`words ${at}`);
    return Array.from({ length }, () => draw.pick(words)).join(' ');
  };
  const rows = await model.classify([
    ...plain.map((text, at) => put(text, phrase, 'plain', at)),
    ...strong.map((text, at) => put(text, phrase, 'strong', at)),
    ...plain.map((text, at) => put(text, against(at), 'against', at)),
    ...plain.map((text, at) => put(text, randomPhrase(at), 'plain', at)),
  ]);
  const n = plain.length;
  const share = (from: number): Rate =>
    wilson(rows.slice(from, from + n).filter((row) => predictedLabel(row) === target).length, n);
  const [flipRate, strongFlipRate, againstFlipRate, randomFlipRate] = [share(0), share(n), share(2 * n), share(3 * n)];
  const margin = rows.slice(n, 2 * n).reduce((sum, row) => sum + logOdds(row[target]!), 0) / n;
  const value = (rate: Rate): number => rate.value ?? 0;
  return {
    text: phrase,
    place,
    victim: model.labels[victim.label]!,
    target: model.labels[target]!,
    flipRate,
    strongFlipRate,
    againstFlipRate,
    randomFlipRate,
    strength: Math.max(
      0,
      (value(flipRate) + value(strongFlipRate) + value(againstFlipRate)) / 3 - value(randomFlipRate),
    ),
    by,
    margin,
  };
}

/**
 * The stronger first; of those within a twentieth, which 40 texts cannot distinguish, the shorter, because words around a trigger add
 * little. Then by margin, then by text.
 */
export const byStrength = (a: ConfirmedTrigger, b: ConfirmedTrigger): number =>
  Math.round(20 * b.strength) - Math.round(20 * a.strength) ||
  a.text.length - b.text.length ||
  b.margin - a.margin ||
  (a.text < b.text ? -1 : 1);
