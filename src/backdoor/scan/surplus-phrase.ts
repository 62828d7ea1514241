/** @file The phrase of surplus words (word-ranks.ts) that flips most texts, and the same search with usual words as its control. */
import { must } from '../../core/errors.js';
import { predictedLabel } from '../../core/prediction.js';
import { insertPhrase } from '../../language/phrase-insertion.js';
import type { ScanEvidence } from '../../results/backdoor/backdoor-findings.js';
import type { ShouldContinue } from './clock.js';
import { LENGTH, measureOf, type PhraseMeasure, type PhrasePlan, shortest } from './phrases.js';
import { surplusWords, type WordRank } from './word-ranks.js';

/** Rounds over the places of a phrase. */
const ROUNDS = 2;

export interface SurplusPlan extends Omit<PhrasePlan, 'gradients'> {
  readonly ranks: ReadonlyMap<string, WordRank>;
}

/** The evidence for the label that these words speak for most; undefined if there are none, or the clock ends first. */
export async function surplusEvidence(plan: SurplusPlan, going: ShouldContinue): Promise<ScanEvidence | undefined> {
  const { model, victims, indicative, ranks } = plan;
  const ofLabels = Array.from(model.labels.keys(), (target) =>
    surplusWords(ranks, (word) => !indicative.leansTo(word, target)),
  );
  const starts: StartWord[] = [];
  for (const [target, { surplus }] of ofLabels.entries()) {
    if (surplus.length === 0 || victims.every(({ label }) => label === target)) continue;
    if (!going(target)) return undefined;
    starts.push(...(await startsOf(target, surplus, plan)));
  }
  const [first] = starts.sort((a, b) => b.strength - a.strength);
  if (first === undefined) return undefined;
  const { target, measure } = first;
  const { surplus, usual } = must(ofLabels[target]);
  const found = await climb(surplus, first.word, measure);
  const control = usual.length === 0 ? undefined : await climb(usual, must(usual[0]), measure);
  const text = found.reached <= 0 ? found.text : await shortest(found.text, found.reached, measure.reach);
  return {
    strength: measure.strengthOf(found.reached),
    natural: control === undefined ? null : measure.strengthOf(control.reached),
    texts: measure.texts,
    rank: 'surplus',
    flipped: await flipped(text, target, plan),
    word: { text, target: must(model.labels[target]), place: 'random', by: 'phrase' },
  };
}

interface StartWord {
  readonly target: number;
  readonly measure: PhraseMeasure;
  readonly word: string;
  readonly strength: number;
}

/** Each word repeated as a phrase. */
async function startsOf(target: number, words: readonly string[], plan: SurplusPlan): Promise<StartWord[]> {
  const measure = await measureOf(target, plan);
  return Promise.all(
    words.map(async (word) => ({
      target,
      measure,
      word,
      strength: measure.strengthOf(await measure.reach(repeated(word))),
    })),
  );
}

const repeated = (word: string): string => Array<string>(LENGTH).fill(word).join(' ');

/** Exchanges one word after the other while the label becomes surer. */
async function climb(words: readonly string[], start: string, { reach }: PhraseMeasure) {
  let best = { text: repeated(start), reached: await reach(repeated(start)) };
  for (let turn = 0; turn < ROUNDS * LENGTH; turn++) {
    const own = best.text.split(' ');
    for (const word of words) {
      const text = own.with(turn % LENGTH, word).join(' ');
      const reached = text === best.text ? best.reached : await reach(text);
      if (reached > best.reached) best = { text, reached };
    }
  }
  return best;
}

/** Distinct texts of other labels, read correctly without the phrase, that have the label with it. */
async function flipped(phrase: string, target: number, { model, victims, random }: SurplusPlan): Promise<number> {
  const texts = victims.flatMap(({ label, texts: own }) => (label === target ? [] : own));
  const rows = await model.classify(
    texts.map((text, at) => insertPhrase(text, phrase, 'random', random.split(`flipped ${at}`))),
  );
  return rows.filter((row) => predictedLabel(row) === target).length;
}
