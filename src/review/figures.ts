/** @file From the answers of a review to its figures. */
import { quantity } from '../core/figure-text.js';
import type { Outcome } from '../core/outcome.js';
import { type Random, random } from '../core/random.js';
import type { Rate } from '../core/statistics/rate.js';
import { wilson } from '../core/statistics/stats.js';
import type { AttackMetrics } from '../results/measures/attack-metrics.js';
import type { Report } from '../results/report/report.js';
import type { ReviewReport } from '../results/report/review.js';
import { agreementOf } from './agreement.js';
import type { ReviewJournal } from './journal.js';
import { firstReadings, type PlannedItem, type ReviewPlan, sameAnswer } from './plan.js';
import { type CheckedReader, checkReaders } from './readers.js';
import { type FlipPattern, validShare } from './valid-rate.js';
import { decided, keptShare, type ReadText, readTexts, unclearShare } from './votes.js';

/** Below these, a review supports no conclusion. */
const FEWEST_TEXTS = 30;
const LEAST_ALPHA = 0.5;
const FEWEST_REPEATS = 5;
const LEAST_SELF_AGREEMENT = 0.7;
const MOST_UNCLEAR = 0.3;

interface ReviewFigures {
  readonly review: ReviewReport;
  /** Share of each attack's texts that keep their label, as far as they were read. */
  readonly attacks: ReadonlyMap<string, Rate>;
}

/** All figures that follow from the answers alone. */
export function reviewFigures(plan: ReviewPlan, journals: readonly ReviewJournal[]): ReviewFigures {
  const stream = (...labels: readonly string[]): Random => random(plan.seed, 'review', 'figures', ...labels);
  const people = checkReaders(
    plan,
    journals.filter(({ header }) => header.kind === 'person'),
  );
  const models = checkReaders(
    plan,
    journals.filter(({ header }) => header.kind === 'model'),
  );
  const counted = people.filter(({ leftOut }) => leftOut === undefined).map(({ journal }) => journal);
  const items = firstReadings(plan);
  const texts = readTexts(
    items.filter(({ kind }) => kind === 'adversarial'),
    counted,
  );
  const controls = readTexts(
    items.filter(({ kind }) => kind === 'original'),
    counted,
  );
  const agreement = agreementOf(answersOf(items, counted), stream('agreement'));
  const figures = {
    labelKept: keptShare(texts, stream('kept')),
    unclear: unclearShare(texts),
    originals: majorityRate(controls),
    ...(agreement && { agreement }),
  };
  const labels = new Set(controls.map(({ item: { truth } }) => JSON.stringify(truth)));
  const reasons = inconclusiveReasons(people, figures, labels.size);
  return {
    review: {
      review: plan.key,
      seed: plan.seed,
      texts: items.filter(({ kind }) => kind === 'adversarial').length,
      controls: items.filter(({ kind }) => kind === 'original').length,
      repeats: plan.items.length - items.length,
      readers: [...people, ...models].map(readerFigures),
      ...figures,
      ...(models.length > 0 && { judges: models.map((model) => judgeFigures(model, items, texts, stream)) }),
      verdict: reasons.length > 0 ? 'inconclusive' : 'conclusive',
      reasons,
    },
    attacks: new Map(plan.attacks.map(({ name }) => [name, keptOf(name, texts, stream('kept', name))])),
  };
}

type Streams = (...labels: readonly string[]) => Random;

/** Answers of each item, without those of unsure readers. */
const answersOf = (items: readonly PlannedItem[], journals: readonly ReviewJournal[]): string[][] =>
  items.map(({ id }) =>
    journals.flatMap(({ readings }) => {
      const answer = readings.get(id)?.answer ?? null;
      return answer === null ? [] : [JSON.stringify(answer)];
    }),
  );

const keptOf = (name: string, texts: readonly ReadText[], stream: Random): Rate =>
  keptShare(
    texts.filter(({ item }) => item.attack === name),
    stream,
  );

/** Share of the decided texts. */
function majorityRate(texts: readonly ReadText[]): Rate {
  const found = texts.map(decided).filter((vote) => vote !== undefined);
  return wilson(found.filter(Boolean).length, found.length);
}

function readerFigures({ journal: { header }, ...reader }: CheckedReader): ReviewReport['readers'][number] {
  const { answered, originals, selfAgreement, medianSeconds, leftOut } = reader;
  return {
    name: header.reader,
    kind: header.kind,
    answered,
    originals,
    selfAgreement,
    ...(medianSeconds !== undefined && { medianSeconds }),
    ...(leftOut !== undefined && { leftOut }),
  };
}

function inconclusiveReasons(
  people: readonly CheckedReader[],
  { labelKept, unclear, agreement }: Pick<ReviewReport, 'labelKept' | 'unclear' | 'agreement'>,
  controlLabels: number,
): string[] {
  const counted = people.filter(({ leftOut }) => leftOut === undefined);
  const reasons: string[] = [];
  if (counted.length === 0) return [people.length === 0 ? 'no person has read a text' : 'every reader is left out'];
  if (labelKept.n < FEWEST_TEXTS)
    reasons.push(`readers decided ${quantity(labelKept.n, 'text')}, expected at least ${FEWEST_TEXTS}`);
  if ((unclear.value ?? 0) > MOST_UNCLEAR)
    reasons.push(
      `${Math.round(100 * (unclear.value ?? 0))} % of the texts are unclear, at most ${100 * MOST_UNCLEAR} % may be`,
    );
  if (agreement !== undefined && agreement.alpha < LEAST_ALPHA)
    reasons.push(`readers do not agree: alpha ${agreement.alpha.toFixed(2)}, expected at least ${LEAST_ALPHA}`);
  if (controlLabels === 0) reasons.push('nobody has read an untouched original');
  if (controlLabels === 1)
    reasons.push('all untouched originals have one label: a reader who always gives it cannot be recognised');
  const [only] = counted;
  if (counted.length === 1 && only !== undefined) reasons.push(...aloneReasons(only));
  return reasons;
}

/** One reader has no alpha. Agreement with itself on repeats takes its place. */
function aloneReasons({ selfAgreement: { value, n } }: CheckedReader): string[] {
  if (n < FEWEST_REPEATS)
    return [`one reader, who has read ${quantity(n, 'text')} twice, expected at least ${FEWEST_REPEATS}`];
  const reasons: string[] = [];
  if ((value ?? 0) < LEAST_SELF_AGREEMENT)
    reasons.push(
      `one reader, who agrees with herself or himself on ${Math.round(100 * (value ?? 0))} % of ${n} repeats`,
    );
  return reasons;
}

/** A language model as reader: its own figures, and how often it answers as most people do. */
function judgeFigures(
  { journal, originals }: CheckedReader,
  items: readonly PlannedItem[],
  texts: readonly ReadText[],
  stream: Streams,
): NonNullable<ReviewReport['judges']>[number] {
  const { reader: name, address } = journal.header;
  const own = readTexts(
    items.filter(({ kind }) => kind === 'adversarial'),
    [journal],
  );
  const compared = texts.flatMap((text) => {
    const [people, answer] = [decided(text), journal.readings.get(text.item.id)?.answer ?? null];
    return people === undefined || answer === null ? [] : [people === sameAnswer(answer, text.item.truth)];
  });
  return {
    name,
    ...(address !== undefined && { address }),
    labelKept: keptShare(own, stream('judge', name)),
    originals,
    agreement: wilson(compared.filter(Boolean).length, compared.length),
  };
}

/** The report of a reviewed run: figures of attacks, of suites and of all attacks together that count only valid successes. */
export async function withReviewFigures(
  report: Report,
  plan: ReviewPlan,
  journals: readonly ReviewJournal[],
): Promise<Report> {
  const { review, attacks } = reviewFigures(plan, journals);
  const flips = await flipsOf(report.examples, report.attacks);
  const rates = (names: readonly string[], of: CountedRates) => validRates(patternsOf(flips, names, of), of, attacks);
  const flipping = report.attacks.filter(({ ownGoal }) => !ownGoal).map(({ name }) => name);
  return {
    ...report,
    review,
    attacks: report.attacks.map((attack) => ({
      ...attack,
      ...(attacks.has(attack.name) && { labelKept: attacks.get(attack.name)!, ...rates([attack.name], attack) }),
    })),
    suites: report.suites.map((suite) => ({ ...suite, ...rates(suite.attacks, suite) })),
    overall: { ...report.overall, ...rates(flipping, report.overall) },
  };
}

type CountedRates = Pick<AttackMetrics, 'attackSuccessRate' | 'accuracyUnderAttack'>;

/** Example -> attacks that flip it. */
type FlipsByExample = ReadonlyMap<string, readonly string[]>;

async function flipsOf(outcomes: AsyncIterable<Outcome>, attacks: readonly AttackMetrics[]): Promise<FlipsByExample> {
  const own = new Set(attacks.flatMap(({ name, ownGoal }) => (ownGoal ? [name] : [])));
  const flips = new Map<string, string[]>();
  for await (const { id, attack, status } of outcomes) {
    if (status === 'succeeded' && !own.has(attack)) flips.set(id, [...(flips.get(id) ?? []), attack]);
  }
  return flips;
}

/** The attacked examples by the attacks, of those named, that flip them. */
function patternsOf(
  flips: FlipsByExample,
  names: readonly string[],
  { attackSuccessRate: { n } }: CountedRates,
): FlipPattern[] {
  const patterns = new Map<string, { attacks: string[]; examples: number }>();
  let flipped = 0;
  for (const all of flips.values()) {
    const attacks = all.filter((name) => names.includes(name));
    if (attacks.length === 0) continue;
    flipped += 1;
    const key = JSON.stringify(attacks);
    patterns.set(key, { attacks, examples: (patterns.get(key)?.examples ?? 0) + 1 });
  }
  return [...patterns.values(), { attacks: [], examples: Math.max(0, n - flipped) }];
}

function validRates(
  patterns: readonly FlipPattern[],
  { attackSuccessRate, accuracyUnderAttack }: CountedRates,
  shares: ReadonlyMap<string, Rate>,
): Pick<Report['overall'], 'validSuccessRate' | 'accuracyUnderValidAttacks'> {
  const validSuccessRate = validShare(patterns, shares);
  // Misclassified without attack: as if flipped for certain.
  const wrong = accuracyUnderAttack.n - attackSuccessRate.n;
  const missed = validShare([...patterns, { attacks: [], examples: wrong, flipped: true }], shares);
  if (validSuccessRate === undefined || missed === undefined) return {};
  const { value, low, high, n } = missed as { value: number; low: number; high: number; n: number };
  return { validSuccessRate, accuracyUnderValidAttacks: { value: 1 - value, low: 1 - high, high: 1 - low, n } };
}
