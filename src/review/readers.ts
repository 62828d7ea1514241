/**
 * @file Which readers count. A reader is left out, by name and with the reason, for answers no better than chance on the untouched originals,
 * for one constant answer, or for answers faster than anybody reads. The answers stay in the journal.
 */
import type { Rate } from '../core/statistics/rate.js';
import { binomialTail, wilson } from '../core/statistics/stats.js';
import type { ItemReading, ReviewJournal } from './journal.js';
import { firstReadings, type PlannedItem, type ReviewAnswer, type ReviewPlan, sameAnswer } from './plan.js';

/** Fewer answers on originals show nothing. */
const FEWEST_CONTROLS = 8;
const LEVEL = 0.05;
/** Level of the second chance: agreement with readers who are above chance on the originals. */
const AGREEING_LEVEL = 0.01;
const FEWEST_ANSWERS = 15;
/** Share of one answer that counts as constant. */
const CONSTANT = 0.97;
/** Four times the mean of adults, who read 238 words a minute silently, most of them at most 300 (Brysbaert 2019). */
const WORDS_PER_SECOND = 16;
const FASTEST_ANSWER = 0.3;

export interface CheckedReader {
  readonly journal: ReviewJournal;
  readonly answered: number;
  /** Answers on the untouched originals that are those of the data set; an unsure answer is not. */
  readonly originals: Rate;
  /** Same answer to the same text. */
  readonly selfAgreement: Rate;
  readonly medianSeconds?: number;
  /** Why the reader is left out. */
  readonly leftOut?: string;
}

/** Checks readers of one kind, people or models. */
export function checkReaders(plan: ReviewPlan, journals: readonly ReviewJournal[]): CheckedReader[] {
  const controls = firstReadings(plan).filter(({ kind }) => kind === 'original');
  const facts = journals.map((journal) => ({ journal, ...factsOf(plan, controls, journal) }));
  const proven = facts.filter(({ own, chance }) => own === undefined && chance === undefined);
  return facts.map(({ own, chance, ...facts }) => {
    const others = proven.filter(({ journal }) => journal !== facts.journal).map(({ journal }) => journal);
    const second = chance !== undefined && agrees(plan, facts.journal, others) ? undefined : chance;
    const leftOut = own ?? second;
    return { ...facts, ...(leftOut !== undefined && { leftOut }) };
  });
}

/** `own`: a reason that the answers give by themselves; `chance`: one that agreement with others can outweigh. */
function factsOf(plan: ReviewPlan, controls: readonly PlannedItem[], journal: ReviewJournal) {
  const { readings } = journal;
  const read = controls.filter(({ id }) => readings.has(id));
  const right = read.filter(({ id, truth }) => sameAnswer(readings.get(id)?.answer ?? null, truth)).length;
  const repeated = plan.items.flatMap(({ id, repeats = '' }) => {
    const [one, other] = [readings.get(repeats), readings.get(id)];
    return one === undefined || other === undefined ? [] : [sameAnswer(one.answer, other.answer)];
  });
  const times = [...readings.values()].flatMap(({ seconds }) => seconds ?? []).sort((one, other) => one - other);
  const medianSeconds = times[times.length >> 1];
  const originals = wilson(right, read.length);
  return {
    answered: readings.size,
    originals,
    selfAgreement: wilson(repeated.filter(Boolean).length, repeated.length),
    ...(medianSeconds !== undefined && { medianSeconds }),
    own: constant(readings, controls) ?? tooFast(plan, readings),
    chance: notAboveChance(read, right, plan),
  };
}

/** The most frequent answer as JSON, the first of equally frequent ones, and how often it occurs. */
function mostFrequent(answers: readonly ReviewAnswer[]): readonly [answer: string, times: number] {
  const counts = new Map<string, number>();
  for (const key of answers.map((answer) => JSON.stringify(answer))) counts.set(key, (counts.get(key) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one)[0] ?? ['', 0];
}

/** The best that one constant answer, or a coin, can score on these originals. */
function chanceOf(read: readonly PlannedItem[], { question }: ReviewPlan): number {
  const [, most] = mostFrequent(read.map(({ truth }) => truth));
  return Math.max(1 / question.options.length, most / read.length);
}

function notAboveChance(read: readonly PlannedItem[], right: number, plan: ReviewPlan): string | undefined {
  if (read.length < FEWEST_CONTROLS) return undefined;
  const chance = chanceOf(read, plan);
  if (chance >= 1 || binomialTail(right, read.length, chance) <= LEVEL) return undefined;
  const hostile = 1 - binomialTail(right + 1, read.length, 1 / plan.question.options.length) <= LEVEL;
  return `${hostile ? 'below' : 'not above'} chance on untouched originals: ${right} of ${read.length} correct`;
}

function constant(readings: ReadonlyMap<string, ItemReading>, controls: readonly PlannedItem[]): string | undefined {
  if (readings.size < FEWEST_ANSWERS) return undefined;
  const [answer, most] = mostFrequent(Array.from(readings.values(), (reading) => reading.answer));
  const truths = new Set(controls.filter(({ id }) => readings.has(id)).map(({ truth }) => JSON.stringify(truth)));
  // If all texts have one label, one answer is correct.
  const varied = answer === 'null' || truths.size > 1;
  return varied && most >= CONSTANT * readings.size ? `${most} of ${readings.size} answers are the same` : undefined;
}

function tooFast(plan: ReviewPlan, readings: ReadonlyMap<string, ItemReading>): string | undefined {
  const timed = plan.items.flatMap((item) => {
    const { seconds } = readings.get(item.id) ?? {};
    return seconds === undefined ? [] : [seconds < leastSeconds(item)];
  });
  const fast = timed.filter(Boolean).length;
  return timed.length >= FEWEST_ANSWERS && 2 * fast > timed.length
    ? `${fast} of ${timed.length} answers came faster than anybody reads`
    : undefined;
}

const leastSeconds = ({ text, text2 = '' }: PlannedItem): number =>
  FASTEST_ANSWER + `${text} ${text2}`.trim().split(/\s+/).length / WORDS_PER_SECOND;

/** Does a reader agree with the majority of others above chance? Short controls alone would leave out one careful reader in fifty. */
function agrees(plan: ReviewPlan, { readings }: ReviewJournal, others: readonly ReviewJournal[]): boolean {
  if (others.length === 0) return false;
  const majorities: ReviewAnswer[] = [];
  let same = 0;
  for (const { id } of firstReadings(plan)) {
    const own = readings.get(id);
    const given = others.map(({ readings: theirs }) => theirs.get(id)?.answer ?? null).filter((one) => one !== null);
    if (own === undefined || given.length === 0) continue;
    const [answer] = mostFrequent(given);
    majorities.push(JSON.parse(answer) as ReviewAnswer);
    same += Number(JSON.stringify(own.answer) === answer);
  }
  const n = majorities.length;
  const [, most] = mostFrequent(majorities);
  const chance = Math.max(1 / plan.question.options.length, most / Math.max(1, n));
  return n >= FEWEST_ANSWERS && chance < 1 && binomialTail(same, n, chance) <= AGREEING_LEVEL;
}
