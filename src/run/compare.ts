/** @file Two finished runs of the same attacks on the same examples, model against model. */
import type { Classifier } from '../core/classifier.js';
import type {
  ChangedExample,
  ComparedModel,
  Comparison,
  FigureComparison,
  LeftOutOf,
  PairedRates,
  TransferRate,
} from '../core/comparison.js';
import { answersFold, type DecidedAnswers } from '../core/decided-answers.js';
import { pairedFigures } from '../core/decided-figures.js';
import { type Decision, decisionOf, isFooled, readRight, wasAnswered } from '../core/decision.js';
import { degeneracy } from '../core/degenerate.js';
import { besideGoal, hasFailed, type Outcome, type Status, wasAttacked } from '../core/outcome.js';
import { askedText, exampleTexts } from '../core/pair.js';
import { inapplicable, outOfReach } from '../core/reach.js';
import { wilson } from '../core/stats.js';
import { checkComparable, differenceOf, mismatch } from './comparable.js';
import { adjusted, type Detected, holmOver, paired, type Unadjusted, withAdjusted } from './compared-rates.js';
import { finishedOutcomes } from './finished.js';
import type { RunFolder } from './folder.js';

/** Examples listed as newly broken or mended. */
const MAX_LISTED_EXAMPLES = 1000;
/** Texts a model is asked at once. */
const BATCH = 256;

/** One run's outcomes by attack and example: a byte each. */
interface OutcomeCodes {
  readonly folder: RunFolder;
  readonly attacks: ReadonlyMap<string, Uint8Array>;
  /** Was the unedited text read right? */
  readonly clean: Uint8Array;
  /** Absent where the most probable label is decided. */
  readonly answers: DecidedAnswers | undefined;
  /** Attacks that do not apply to these texts -> why. */
  readonly idle: ReadonlyMap<string, string>;
}

/** Codes of `OutcomeCodes.attacks`; 0 = no outcome. */
const SUCCEEDED = 1;
const FAILED = 2;
const SKIPPED = 3;
const ERRORED = 4;
const FATES: Readonly<Record<Status, number>> = {
  succeeded: SUCCEEDED,
  failed: FAILED,
  tied: FAILED,
  skipped: SKIPPED,
  errored: ERRORED,
};
/** Codes of `OutcomeCodes.clean`. */
const RIGHT = 1;
const WRONG = 2;

/**
 * Compares run B with run A. Throws UsageError COMPARISON_MISMATCH naming what the runs do not share, RUN_UNFINISHED for a
 * run that was left before its end.
 */
export async function compareRuns(a: RunFolder, b: RunFolder): Promise<Comparison> {
  checkComparable(a, b);
  const [ours, theirs] = [await fatesOf(a), await fatesOf(b)];
  const leftOut = leftOutOf(ours, theirs);
  // What only one of them was attacked with says nothing about the other.
  const attacks = a.record.attacks.filter(({ name }) => leftOut.every((one) => one.name !== name));
  const compared = attacks.map(({ name, suite }) => compareAttack(name, suite, [name], ours, theirs));
  const suites = [...new Set(attacks.map(({ suite }) => suite))].flatMap((suite) => {
    const names = attacks.filter((attack) => attack.suite === suite).map(({ name }) => name);
    return suite === null || names.length < 2 ? [] : [compareAttack(suite, suite, names, ours, theirs)];
  });
  const all = compareAttack(
    'any',
    null,
    // Whose success is no turned prediction breaks no example.
    attacks.flatMap(({ name, ownGoal }) => (ownGoal ? [] : [name])),
    ours,
    theirs,
  );
  const { name: _, suite: __, attackSuccessRate: ___, ...overall } = all;
  return {
    models: [comparedModel(a), comparedModel(b)],
    clean: paired(ours.clean, theirs.clean, (x) => (x === 0 ? undefined : x === RIGHT)),
    ...decided(ours, theirs),
    attacks: adjusted(compared),
    ...(leftOut.length > 0 && { leftOut }),
    suites: adjusted(suites),
    overall: withAdjusted([overall])[0] as Comparison['overall'],
    newlyBroken: await changed(a, b, ours, theirs),
    newlyMended: await changed(b, a, theirs, ours),
  };
}

/** What either run left out, or could not edit the texts by, each attack once. */
function leftOutOf(a: OutcomeCodes, b: OutcomeCodes): LeftOutOf[] {
  const by = ({ folder: { record }, idle }: OutcomeCodes, letter: 'a' | 'b') => [
    ...(record.leftOut ?? []).map((one): LeftOutOf => ({ ...one, by: letter })),
    ...record.attacks.flatMap(({ name, suite }): LeftOutOf[] => {
      const why = idle.get(name);
      return why === undefined ? [] : [{ name, suite, reason: `not applicable: ${why}`, by: letter }];
    }),
  ];
  const all = [...by(a, 'a'), ...by(b, 'b')];
  return all.filter(({ name }, at) => all.findIndex((one) => one.name === name) === at);
}

/** The decisions, what they differ in, and the figures that they are judged by. */
function decided(
  a: OutcomeCodes,
  b: OutcomeCodes,
): Pick<Comparison, 'goal' | 'decisions' | 'figures' | 'decisionDifference'> {
  const [x, y] = [a.folder.record, b.folder.record];
  const [rule, other] = [x.model.decision, y.model.decision];
  if (rule === undefined || other === undefined || a.answers === undefined || b.answers === undefined) return {};
  const figures = pairedFigures({ rule, answers: a.answers }, { rule: other, answers: b.answers }, x.seed);
  const ps = holmOver(figures.map(({ p }) => p));
  const difference = differenceOf(a.folder, b.folder);
  return {
    goal: x.goal,
    decisions: [rule, other],
    ...(difference && { decisionDifference: difference }),
    figures: figures.flatMap(({ absent, counts: _, pWorse: __, ...figure }, at): FigureComparison[] =>
      absent ? [] : [{ ...figure, adjustedP: ps[at] as number | null }],
    ),
  };
}

const decisionOfRun = ({ record: { model } }: RunFolder): Decision => decisionOf(model.decision, model.labels);

export function comparedModel({ id, record: { model, clean } }: RunFolder): ComparedModel {
  const degenerate = clean === undefined ? [] : degeneracy(clean.metrics);
  return { name: model.name, sha256: model.sha256, run: id, ...(degenerate.length > 0 && { degenerate }) };
}

/**
 * The adversarial texts of the run `from`, read by the model of the run `to`. An attack without texts on which `to` could be
 * fooled is left out. `classifier` is the model of `to`.
 */
export async function transferRates(from: RunFolder, to: RunFolder, classifier: Classifier): Promise<TransferRate[]> {
  checkComparable(from, to);
  const { clean } = await fatesOf(to);
  const toLabel = await labelsAcross(from, to);
  const decision = decisionOfRun(to);
  const counts = new Map<string, { broken: number; n: number }>();
  let batch: Outcome[] = [];
  const ask = async (): Promise<void> => {
    const rows = await classifier.classify(batch.map((outcome) => askedText(outcome.adversarial as string, outcome)));
    batch.forEach(({ attack, label, labels, value }, at) => {
      const count = counts.get(attack) ?? { broken: 0, n: 0 };
      counts.set(attack, count);
      count.n += 1;
      const truth = {
        label: toLabel(label),
        ...(labels && { labels: labels.map(toLabel) }),
        ...(value !== undefined && { value }),
      };
      if (isFooled(decision, rows[at] as Float32Array, truth)) count.broken += 1;
    });
    batch = [];
  };
  for await (const { index, outcome } of finishedOutcomes(from)) {
    if (outcome.status !== 'succeeded' || outcome.adversarial === undefined || clean[index] !== RIGHT) continue;
    batch.push(outcome);
    if (batch.length === BATCH) await ask();
  }
  await ask();
  return from.record.attacks.flatMap(({ name }) => {
    const count = counts.get(name);
    if (count === undefined) return [];
    const rate = wilson(count.broken, count.n);
    return [{ from: from.record.model.name, to: to.record.model.name, attack: name, rate }];
  });
}

/** Label index of the data as run `from` numbers them -> as run `to` does: models may order the same labels differently. */
async function labelsAcross(from: RunFolder, to: RunFolder): Promise<(label: number) => number> {
  const labels: number[] = [];
  for await (const { index, outcome } of finishedOutcomes(from)) labels[index] ??= outcome.label;
  const across = new Map<number, number>();
  for await (const { index, outcome } of finishedOutcomes(to)) {
    const label = labels[index];
    if (label === undefined) continue;
    const known = across.get(label);
    if (known !== undefined && known !== outcome.label) {
      throw mismatch(`example ${outcome.id} has another label in each run`);
    }
    across.set(label, outcome.label);
  }
  return (label) => across.get(label) ?? label;
}

async function fatesOf(folder: RunFolder): Promise<OutcomeCodes> {
  const examples = folder.record.clean?.examples ?? 0;
  const attacks = new Map(folder.record.attacks.map(({ name }) => [name, new Uint8Array(examples)]));
  const clean = new Uint8Array(examples);
  const decision = decisionOfRun(folder);
  const { labels, decision: rule } = folder.record.model;
  const answers = answersFold(rule, labels);
  const counts = new Map(folder.record.attacks.map(({ name }) => [name, { attacked: 0, unreached: 0 }]));
  for await (const { index, outcome } of finishedOutcomes(folder)) {
    const count = counts.get(outcome.attack);
    if (count && wasAttacked(outcome.status)) {
      count.attacked++;
      if (outOfReach(outcome)) count.unreached++;
    }
    // A text that the goal is not after is none that was withstood, or missed.
    if (!besideGoal(outcome)) (attacks.get(outcome.attack) as Uint8Array)[index] = FATES[outcome.status];
    answers.add(index, outcome);
    if (wasAnswered(outcome)) clean[index] = readRight(decision, outcome) ? RIGHT : WRONG;
  }
  const idle = new Map(
    [...counts].flatMap(([name, { unreached, attacked }]) => {
      const why = inapplicable(unreached, attacked);
      return why === undefined ? [] : [[name, why]];
    }),
  );
  return { folder, attacks, clean, answers: answers.answers(examples), idle };
}

/** Under several attacks together: broken by any of them; open where one errored and none broke it. */
function together(names: readonly string[], { attacks, clean }: OutcomeCodes): Uint8Array {
  const worst = new Uint8Array(clean.length);
  const weight = [0, FAILED, ERRORED, SUCCEEDED];
  for (const name of names) {
    (attacks.get(name) as Uint8Array).forEach((fate, index) => {
      const other = worst[index] as number;
      if (fate === SKIPPED || weight.indexOf(fate) > weight.indexOf(other)) worst[index] = fate;
    });
  }
  return worst;
}

function compareAttack(
  name: string,
  suite: string | null,
  names: readonly string[],
  a: OutcomeCodes,
  b: OutcomeCodes,
): Unadjusted {
  const [ofA, ofB] = [together(names, a), together(names, b)];
  const rightInBoth = (index: number): boolean => a.clean[index] === RIGHT && b.clean[index] === RIGHT;
  return {
    name,
    suite,
    ...paired(ofA, ofB, (fate) => (fate === 0 || fate === ERRORED ? undefined : fate === FAILED)),
    attackSuccessRate: paired(ofA, ofB, (fate, index) =>
      (fate === SUCCEEDED || fate === FAILED) && rightInBoth(index) ? fate === SUCCEEDED : undefined,
    ),
    ...underAttack(a, ofA, ofB),
  };
}

/** What detectors find, and take for something, of the texts that the goal is after. A skipped text was misread unedited already. */
function underAttack({ answers }: OutcomeCodes, ofA: Uint8Array, ofB: Uint8Array): Detected {
  if (answers?.kind !== 'threshold') return {};
  const rate = (truth: string, yes: (fate: number) => boolean): PairedRates =>
    paired(ofA, ofB, (fate, index) =>
      fate === 0 || fate === ERRORED || answers.truth[index] !== truth ? undefined : yes(fate),
    );
  const recall = rate('1', (fate) => fate === FAILED);
  const alarms = rate('0', (fate) => fate !== FAILED);
  return {
    ...(recall.a.n > 0 && { recallUnderAttack: recall }),
    ...(alarms.a.n > 0 && { falsePositiveRateUnderAttack: alarms }),
  };
}

/** Examples that the model of `a` withstands and that of `b` does not, in the order of a's journal; unedited ones first. */
async function changed(a: RunFolder, b: RunFolder, ofA: OutcomeCodes, ofB: OutcomeCodes): Promise<ChangedExample[]> {
  const unedited: ChangedExample[] = [];
  const seen = new Set<number>();
  const broken = new Map<string, ChangedExample>();
  for await (const { index, outcome } of finishedOutcomes(a)) {
    const { id, attack } = outcome;
    const { attacked: _, ...texts } = exampleTexts(outcome);
    if (ofA.clean[index] !== RIGHT) continue;
    if (ofB.clean[index] === WRONG) {
      if (!seen.has(index) && unedited.length < MAX_LISTED_EXAMPLES) unedited.push({ id, attack: null, ...texts });
      seen.add(index);
    } else if (hasFailed(outcome.status) && ofB.attacks.get(attack)?.[index] === SUCCEEDED) {
      if (broken.size < MAX_LISTED_EXAMPLES) broken.set(`${attack}\n${index}`, { id, attack, ...texts });
    }
  }
  for await (const { index, outcome } of finishedOutcomes(b)) {
    const key = `${outcome.attack}\n${index}`;
    const entry = broken.get(key);
    if (entry && outcome.adversarial !== undefined) broken.set(key, { ...entry, adversarial: outcome.adversarial });
  }
  return [...unedited, ...broken.values()].slice(0, MAX_LISTED_EXAMPLES);
}
