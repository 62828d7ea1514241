/** @file Two finished runs of the same attacks on the same examples, model against model. */
import type { Classifier } from '../core/classifier.js';
import { type Decision, isFooled, wasAnswered } from '../core/decision.js';
import { defined } from '../core/defined.js';
import { must } from '../core/errors.js';
import {
  besideGoal,
  hasFailed,
  type Outcome,
  STATUS_LETTERS,
  type StatusLetter,
  wasAttacked,
} from '../core/outcome.js';
import { exampleTexts, queryText } from '../core/pair.js';
import { holmOver } from '../core/statistics/paired.js';
import type { PairedAnswers } from '../core/statistics/seed-differences.js';
import { wilson } from '../core/statistics/stats.js';
import { degeneracy } from '../results/clean/degenerate.js';
import type {
  ChangedExample,
  ComparedModel,
  Comparison,
  FigureComparison,
  LeftOutOf,
  PairedRates,
  TransferRate,
} from '../results/comparison/comparison.js';
import type { AnswersByVerdict } from '../results/comparison/hardening.js';
import { inapplicable, outOfReach } from '../results/measures/reach.js';
import { comparedTags } from '../results/tags/compared.js';
import { TagFold } from '../results/tags/figures.js';
import { answersFold, sidesOf } from '../tasks/answers.js';
import { pairedFigures } from '../tasks/compare.js';
import { decisionOf } from '../tasks/decide.js';
import type { StoredAnswers } from '../tasks/task.js';
import { checkComparable, differenceOf, mismatch } from './comparable.js';
import { adjusted, type Detected, pairRates, type Unadjusted, withAdjusted } from './compared-rates.js';
import { finishedOutcomes } from './finished.js';
import type { RunFolder } from './folder.js';

/** Most examples listed as regressions or as fixed. */
const MAX_LISTED_EXAMPLES = 1000;
/** Texts of one query. */
const BATCH = 256;

/** One letter an example, or empty. */
type Letters = readonly (StatusLetter | '')[];

/** One run's outcomes by attack and example (core/outcome.ts). */
interface RunLetters {
  readonly folder: RunFolder;
  readonly attacks: ReadonlyMap<string, Letters>;
  /** `1` where the unedited text is classified correctly, `0` where it is not. */
  readonly clean: Letters;
  /** Absent where the most probable label is decided. */
  readonly answers: StoredAnswers | undefined;
  /** Attacks that do not apply to these texts -> why. */
  readonly idle: ReadonlyMap<string, string>;
}

const { succeeded: FLIPPED, failed: WITHSTOOD, skipped: SKIPPED, errored: ERRORED } = STATUS_LETTERS;

/**
 * Compares run B with run A. Throws RobustError RUN_MISMATCH naming what the runs do not share, RUN_UNFINISHED for a
 * run that was interrupted.
 */
export async function compareRuns(a: RunFolder, b: RunFolder): Promise<Comparison> {
  checkComparable(a, b);
  const [ours, theirs] = [await lettersOf(a), await lettersOf(b)];
  const leftOut = leftOutOf(ours, theirs);
  // An attack on only one of them says nothing about the other.
  const attacks = a.record.attacks.filter(({ name }) => leftOut.every((one) => one.name !== name));
  const compared = attacks.map(({ name, suite }) => compareAttack(name, suite, [name], ours, theirs));
  const suites = [...new Set(attacks.map(({ suite }) => suite))].flatMap((suite) => {
    const names = attacks.filter((attack) => attack.suite === suite).map(({ name }) => name);
    return suite === null || names.length < 2 ? [] : [compareAttack(suite, suite, names, ours, theirs)];
  });
  const all = compareAttack(
    'any',
    null,
    // An attack with a goal of its own flips no prediction.
    attacks.flatMap(({ name, ownGoal }) => (ownGoal ? [] : [name])),
    ours,
    theirs,
  );
  const { name: _, suite: __, attackSuccessRate: ___, ...overall } = all;
  return {
    models: [comparedModel(a), comparedModel(b)],
    clean: pairRates(ours.clean, theirs.clean, (letter) => (letter === '' ? undefined : letter === '1')),
    ...compareDecided(ours, theirs),
    ...(await compareTags(a, b, new Set(attacks.map(({ name }) => name)))),
    attacks: adjusted(compared),
    ...(leftOut.length > 0 && { leftOut }),
    suites: adjusted(suites),
    overall: must(withAdjusted([overall])[0]),
    newlyBroken: await changedExamples(a, b, ours, theirs),
    newlyMended: await changedExamples(b, a, theirs, ours),
  };
}

/** Whether A and B answer right, text by text, for each verdict of the comparison: unedited, each suite, each attack. Throws as `compareRuns`. */
export async function pairedAnswers(a: RunFolder, b: RunFolder): Promise<AnswersByVerdict> {
  checkComparable(a, b);
  const [ours, theirs] = [await lettersOf(a), await lettersOf(b)];
  const { attacks } = a.record;
  const answers = (right: StatusLetter, x: Letters, y: Letters): PairedAnswers =>
    x.map((letter, index) => {
      const both = [letter, must(y[index])];
      if (both.some((each) => each === '' || each === ERRORED)) return undefined;
      return [Number(letter === right), Number(y[index] === right)];
    });
  const under = (names: readonly string[]) => answers(WITHSTOOD, together(names, ours), together(names, theirs));
  return new Map([
    ['clean', answers('1', ours.clean, theirs.clean)],
    ...attacks.map(({ name }) => [name, under([name])] as const),
    ...attacks.flatMap(({ suite }) => {
      const within = attacks.filter((other) => other.suite === suite);
      return suite === null ? [] : [[suite, under(within.map(({ name }) => name))] as const];
    }),
  ]);
}

/** The attacks that either run left out, or that could not edit the texts, each once. */
function leftOutOf(a: RunLetters, b: RunLetters): LeftOutOf[] {
  const by = ({ folder: { record }, idle }: RunLetters, letter: 'a' | 'b') => [
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
function compareDecided(
  a: RunLetters,
  b: RunLetters,
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
    ...defined({ decisionDifference: difference }),
    figures: figures.flatMap(({ absent, counts: _, pWorse: __, ...figure }, at): FigureComparison[] =>
      absent ? [] : [{ ...figure, adjustedP: ps[at] as number | null }],
    ),
  };
}

/** The entities of models that tag, under the attacks of both runs. */
async function compareTags(
  a: RunFolder,
  b: RunFolder,
  attacks: ReadonlySet<string>,
): Promise<Pick<Comparison, 'tags'>> {
  const { model, seed } = a.record;
  if (model.output?.tags === undefined || b.record.model.output?.tags === undefined) return {};
  const [ours, theirs] = [await taggedEntities(a, attacks), await taggedEntities(b, attacks)];
  return { tags: comparedTags(ours, theirs, model.labels, seed) };
}

async function taggedEntities(folder: RunFolder, attacks: ReadonlySet<string>): Promise<TagFold['entities']> {
  const fold = new TagFold();
  for await (const { index, outcome } of finishedOutcomes(folder))
    if (attacks.has(outcome.attack)) fold.add(outcome, index);
  return fold.entities;
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
  const { clean } = await lettersOf(to);
  const toLabel = await labelsAcross(from, to);
  const decision = decisionOfRun(to);
  const counts = new Map<string, { broken: number; n: number }>();
  let batch: Outcome[] = [];
  const ask = async (): Promise<void> => {
    const rows = await classifier.classify(
      batch.map((outcome) => queryText(must(outcome.adversarial), { ...outcome, ...entitiesAfter(outcome) })),
    );
    batch.forEach(({ attack, label, labels, value }, at) => {
      const count = counts.get(attack) ?? { broken: 0, n: 0 };
      counts.set(attack, count);
      count.n += 1;
      const truth = { label: toLabel(label), ...(labels && { labels: labels.map(toLabel) }), ...defined({ value }) };
      if (isFooled(decision, must(rows[at]), truth)) count.broken += 1;
    });
    batch = [];
  };
  for await (const { index, outcome } of finishedOutcomes(from)) {
    if (outcome.status !== 'succeeded' || outcome.adversarial === undefined || clean[index] !== '1') continue;
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

const noLetters = (examples: number): (StatusLetter | '')[] => new Array(examples).fill('');

async function lettersOf(folder: RunFolder): Promise<RunLetters> {
  const examples = folder.record.clean?.examples ?? 0;
  const attacks = new Map(folder.record.attacks.map(({ name }) => [name, noLetters(examples)]));
  const clean = noLetters(examples);
  const decision = decisionOfRun(folder);
  const { labels, decision: rule } = folder.record.model;
  const answers = answersFold(rule, labels);
  const counts = new Map(folder.record.attacks.map(({ name }) => [name, { attacked: 0, unreached: 0 }]));
  for await (const { index, outcome } of finishedOutcomes(folder)) {
    const count = wasAttacked(outcome.status) ? counts.get(outcome.attack) : undefined;
    if (count) {
      count.attacked++;
      count.unreached += Number(outOfReach(outcome));
    }
    // A text that the goal does not concern counts neither as flipped nor as not flipped.
    const letters = attacks.get(outcome.attack);
    if (letters !== undefined && !besideGoal(outcome)) letters[index] = STATUS_LETTERS[outcome.status];
    answers.add(index, outcome);
    if (wasAnswered(outcome)) clean[index] = decision.readRight(outcome) ? '1' : '0';
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
function together(names: readonly string[], { attacks, clean }: RunLetters): Letters {
  const worst = noLetters(clean.length);
  const weight: Letters = ['', WITHSTOOD, ERRORED, FLIPPED];
  for (const name of names) {
    for (const [index, letter] of (attacks.get(name) ?? []).entries()) {
      const other = worst[index] ?? '';
      if (letter === SKIPPED || weight.indexOf(letter) > weight.indexOf(other)) worst[index] = letter;
    }
  }
  return worst;
}

function compareAttack(
  name: string,
  suite: string | null,
  names: readonly string[],
  a: RunLetters,
  b: RunLetters,
): Unadjusted {
  const [ofA, ofB] = [together(names, a), together(names, b)];
  const rightInBoth = (index: number): boolean => a.clean[index] === '1' && b.clean[index] === '1';
  return {
    name,
    suite,
    ...pairRates(ofA, ofB, (letter) => (letter === '' || letter === ERRORED ? undefined : letter === WITHSTOOD)),
    attackSuccessRate: pairRates(ofA, ofB, (letter, index) =>
      (letter === FLIPPED || letter === WITHSTOOD) && rightInBoth(index) ? letter === FLIPPED : undefined,
    ),
    ...underAttack(a, ofA, ofB),
  };
}

/** Recall and false positive rate of detectors on the texts that the goal concerns. A skipped text was misclassified without an edit. */
function underAttack({ answers }: RunLetters, ofA: Letters, ofB: Letters): Detected {
  const sides = sidesOf(answers);
  if (sides === undefined) return {};
  const rate = (truth: string, yes: (letter: Letters[number]) => boolean): PairedRates =>
    pairRates(ofA, ofB, (letter, index) =>
      letter === '' || letter === ERRORED || sides[index] !== truth ? undefined : yes(letter),
    );
  const recall = rate('1', (letter) => letter === WITHSTOOD);
  const alarms = rate('0', (letter) => letter !== WITHSTOOD);
  return {
    ...(recall.a.n > 0 && { recallUnderAttack: recall }),
    ...(alarms.a.n > 0 && { falsePositiveRateUnderAttack: alarms }),
  };
}

/** Examples that are flipped for the model of `b` only, in the order of a's journal; unedited ones first. */
async function changedExamples(
  a: RunFolder,
  b: RunFolder,
  ofA: RunLetters,
  ofB: RunLetters,
): Promise<ChangedExample[]> {
  const unedited = new Map<string, ChangedExample>();
  const broken = new Map<string, ChangedExample>();
  const list = (to: typeof broken, key: string, example: ChangedExample): void => {
    if (!to.has(key) && to.size < MAX_LISTED_EXAMPLES) to.set(key, example);
  };
  for await (const { index, outcome } of finishedOutcomes(a)) {
    const { id, attack } = outcome;
    const { attacked: _, ...texts } = exampleTexts(outcome);
    if (ofA.clean[index] !== '1') continue;
    if (ofB.clean[index] === '0') list(unedited, String(index), { id, attack: null, ...texts });
    else if (hasFailed(outcome.status) && ofB.attacks.get(attack)?.[index] === FLIPPED)
      list(broken, `${attack}\n${index}`, { id, attack, ...texts });
  }
  for await (const { index, outcome } of finishedOutcomes(b)) {
    const key = `${outcome.attack}\n${index}`;
    const entry = broken.get(key);
    if (entry && outcome.adversarial !== undefined) broken.set(key, { ...entry, adversarial: outcome.adversarial });
  }
  return [...unedited.values(), ...broken.values()].slice(0, MAX_LISTED_EXAMPLES);
}

/** Where the true entities lie in the adversarial text. */
const entitiesAfter = ({ tags }: Outcome): Pick<Outcome, 'entities'> =>
  tags?.entities === undefined ? {} : { entities: tags.entities };
