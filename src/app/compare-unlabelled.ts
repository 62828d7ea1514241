/** @file Two models over one log of texts without labels: `robust compare A B --unlabelled FILE`. */
import { createHash } from 'node:crypto';
import type { CheckedDataset } from '../../datasets/index.js';
import type { GivenValues, Values } from '../config/setting.js';
import { type Decision, type DecisionRule, decisionOf, decisionText } from '../core/decision.js';
import { defined } from '../core/defined.js';
import { UsageError } from '../core/errors.js';
import { notEvidence } from '../core/evidence.js';
import { quantity } from '../core/figure-text.js';
import { GUARDRAIL } from '../core/guard-card.js';
import type { Language } from '../core/language.js';
import { leftOutLines } from '../core/left-out.js';
import { NO_LABEL } from '../core/prediction.js';
import { wilson } from '../core/stats.js';
import { chunks, take } from '../core/take.js';
import { TextCensus } from '../core/text-census.js';
import type { UnlabelledComparison } from '../core/unlabelled-comparison.js';
import { MIN_EXAMPLES } from '../gate/index.js';
import { type LoadedModel, loadModel } from '../model/load.js';
import { answersTo, hasAnswer, type RunPlan } from '../run/index.js';
import { chooseAttacks } from './attacks/choose-attacks.js';
import { openAttacks } from './attacks/open-attacks.js';
import { commandLine, quote, recordOf } from './command-line.js';
import { checkSpecs, isRun, modelAndDefences, unlabelledSettings } from './compare.js';
import { type Context, toolVersion, type UseCaseHooks } from './context.js';
import { openData } from './data/open-data.js';
import { openLanguage } from './language.js';
import { countedWork, stopwatch } from './progress.js';
import { type AttackChoice, attackList, MAX_ERROR_RATE, planOf, settledTerms } from './runs/attack-plan.js';
import { type AnsweredText, directionOf, disagreementOf, INTERRUPTED, logAnswer } from './unlabelled/differences.js';
import { evasionsOf, QUERY_BUDGET } from './unlabelled/evasions.js';
import { slicesOf } from './unlabelled/slices.js';
import { type UseCaseFunction, useCase } from './use-case.js';
import { defenceChoice, openingChoice } from './victim/choice.js';
import { columnsOf, selectionOf } from './victim/columns.js';
import { decisionWithoutData, labelDecision } from './victim/decide.js';
import { behindDefences, type OpenVictim, unusedDefences } from './victim/victim.js';

/** Differing texts that are listed. */
const LISTED = 1000;
/** Texts answered between two signs of progress. */
const CHUNK = 1024;

export interface CompareUnlabelledOptions extends GivenValues<typeof unlabelledSettings>, UseCaseHooks {
  /** Names of two models, each with its defences behind plus signs: a, then b. */
  readonly models: readonly string[];
}

type UnlabelledChoice = Values<typeof unlabelledSettings>;

/** A choice with one of the models and its defences. */
type SideChoice = UnlabelledChoice & ReturnType<typeof modelAndDefences>;

interface ComparedSide {
  readonly plan: RunPlan;
  readonly decision: Decision;
}

/**
 * Asks both models for their answers to every different text of the log, and attacks both on a sample. Texts stay in memory. Throws
 * UsageError for models whose answers cannot be compared, and what opening models and data throws.
 */
export const compareUnlabelled: UseCaseFunction<CompareUnlabelledOptions, UnlabelledComparison> = useCase({
  settings: unlabelledSettings,
  others: ['models'],
  async run(choice, context, { models }) {
    checkModels(models);
    const command = commandLine(
      ['compare', ...models.map(quote)].join(' '),
      recordOf(unlabelledSettings, { ...choice, data: undefined }),
    );
    return { ...(await comparisonOf(choice, models, context)), toolVersion, command };
  },
});

async function comparisonOf(
  choice: UnlabelledChoice,
  models: readonly string[],
  context: Context,
): Promise<Omit<UnlabelledComparison, 'toolVersion' | 'command'>> {
  const { seed, transfer, showTexts, maxErrorRate = MAX_ERROR_RATE } = choice;
  const numExamples = choice.numExamples ?? 0;
  const { dataset, language } = await openLog({ ...choice, numExamples }, context);
  const log = await differentTexts(dataset, numExamples);
  const open = (spec: string): Promise<ComparedSide> =>
    openSide({ ...choice, ...modelAndDefences(spec, choice.defend) }, dataset, language, context);
  const sides = [await open(models[0]!), await open(models[1]!)] as const;
  checkAlike(sides);
  const rows = [await answer(sides[0], log, context), await answer(sides[1], log, context)] as const;
  const answered = log.flatMap((text, at) => answeredText(text, [rows[0][at]!, rows[1][at]!], sides));
  const evasions = await evasionsOf(answered, [sides[0].plan, sides[1].plan], { seed, transfer }, context);
  const shown = (text: string): { sha256: string; text?: string } => ({
    sha256: createHash('sha256').update(text).digest('hex'),
    ...(showTexts && { text }),
  });
  const unanswered = log.length - answered.length;
  const reasons = [
    ...weakReasons(answered.map(({ text }) => text)),
    ...sides.flatMap(({ plan }, side) => constantReasons(plan.model.name, answered, side)),
    ...shareReason(unanswered, log.length, maxErrorRate, 'texts were not answered by both models'),
    ...evasionReasons(evasions.result),
    ...shareReason(evasions.errored, evasions.result.attacked, maxErrorRate, 'attacked texts broke an attack'),
  ];
  return {
    models: sides.map(({ plan: { model }, decision }, side) => ({
      name: model.name,
      sha256: model.sha256,
      labels: [...model.classifier.labels],
      ...defined({ decision: decision.rule }),
      flagged: flaggedRate(answered, side),
    })),
    data: {
      name: dataset.name,
      sha256: dataset.source.sha256,
      texts: log.reduce((sum, { copies }) => sum + copies, 0),
      different: log.length,
      unanswered,
    },
    seed,
    ...disagreementOf(answered),
    slices: slicesOf(answered),
    evasion: {
      ...evasions.result,
      texts: evasions.newly.map(({ text: { id, text }, attack, adversarial }) => ({
        id,
        ...shown(text),
        attack,
        ...(showTexts && defined({ adversarial })),
      })),
    },
    differing: answered
      .flatMap(({ id, text, copies, direction, a, b }) =>
        direction === undefined ? [] : [{ id, ...shown(text), copies, direction, a: a.text, b: b.text }],
      )
      .slice(0, LISTED),
    verdict: reasons.length > 0 ? 'inconclusive' : 'none',
    reasons,
  };
}

/** Throws UsageError. */
function checkModels(models: readonly string[]): void {
  checkSpecs(models);
  const run = models.find(isRun);
  if (models.length === 2 && run === undefined) return;
  throw new UsageError(
    `--unlabelled: expected two models, got ${run === undefined ? models.length : `the run "${run}"`}`,
    { code: 'USAGE', hint: 'For example: robust compare ./old-guard ./new-guard --unlabelled traffic.jsonl' },
  );
}

/** The log and the language of its attacks. */
async function openLog(choice: UnlabelledChoice, { data, patience }: Context) {
  const { textColumn, idColumn } = columnsOf(choice);
  const open = () => openData(choice.unlabelled, { textColumn, idColumn, unlabelled: true }, data, selectionOf(choice));
  return { dataset: await open(), language: await openLanguage(choice.language, patience, open, data.onWarning) };
}

interface LogText {
  readonly id: string;
  readonly text: string;
  readonly copies: number;
}

/** Each text once, in the order of its first occurrence: copies are no further observations. */
async function differentTexts(dataset: CheckedDataset, numExamples: number): Promise<LogText[]> {
  const found = new Map<string, { id: string; copies: number }>();
  for await (const { id, text } of take(dataset.examples(), numExamples)) {
    const known = found.get(text);
    if (known === undefined) found.set(text, { id, copies: 1 });
    else known.copies += 1;
  }
  return Array.from(found, ([text, { id, copies }]) => ({ id, text, copies }));
}

/** Opens a model with its defences and plans its attacks. */
async function openSide(
  choice: SideChoice,
  dataset: CheckedDataset,
  language: Language,
  context: Context,
): Promise<ComparedSide> {
  const wanted = labelDecision(choice);
  const loaded = context.opened.add(
    await loadModel(choice.model, {
      ...context.loading(choice.model),
      ...openingChoice(choice),
      decision: wanted.kind,
    }),
  );
  checkLabelled(loaded, wanted.kind);
  const defence = await behindDefences(defenceChoice(choice), loaded, language, context);
  const positive = wanted.positive?.filter((label) => loaded.labels.includes(label));
  // The models may name the label differently: each takes those that it has.
  const own = { ...wanted, positive: positive?.length === 0 ? wanted.positive : positive };
  const rule = await decisionWithoutData(own, loaded, columnsOf(choice), context.data, defence?.classifier);
  const victim: OpenVictim = { model: loaded, dataset, language, defence, decision: rule };
  const attacking = withSuite(choice, rule);
  const terms = await settledTerms(attacking, dataset, context);
  const list = attackList(attacking);
  const chosen = await chooseAttacks(list.suites ?? [], list.attacks ?? [], list, context.patience);
  const attacks = await openAttacks(chosen, victim, choice.engine, context);
  for (const line of leftOutLines(attacks.leftOut)) context.warn(line);
  context.opened.add({ close: async () => unusedDefences(victim).forEach(context.warn) });
  const plan = await planOf(terms, {}, attacks, victim, context.patience);
  return { plan, decision: decisionOf(rule, loaded.labels, plan.model.noise) };
}

/** Guards are attacked with the disguises of requests, other classifiers with typos. */
const withSuite = (choice: SideChoice, rule: DecisionRule | undefined): AttackChoice => {
  const named = choice.suites ?? choice.attacks;
  const suites = named === undefined && rule?.kind === 'threshold' ? [GUARDRAIL] : choice.suites;
  return { ...attackChoice(choice), suites };
};

const attackChoice = (choice: SideChoice): AttackChoice => ({
  ...choice,
  data: choice.unlabelled,
  numExamples: choice.numExamples ?? 0,
  queryBudget: choice.queryBudget ?? QUERY_BUDGET,
  runBudget: undefined,
  shard: undefined,
  transformation: undefined,
  search: undefined,
});

/** Throws UsageError. */
function checkLabelled({ name, pairs, decision }: LoadedModel, kind: string | undefined): void {
  const unfit = pairs ? 'pairs of texts' : (kind ?? decision?.kind) === 'regression' ? 'a number' : undefined;
  if (unfit === undefined) return;
  throw new UsageError(`--unlabelled: expected a classifier of single texts, got ${name} (${unfit})`, {
    code: 'UNLABELLED',
    hint: 'Compare such models on labelled data: robust compare A B --data FILE.',
  });
}

/** Both must flag texts, or have the same labels. Throws UsageError. */
function checkAlike([a, b]: readonly [ComparedSide, ComparedSide]): void {
  const text = ({ decision, plan: { model } }: ComparedSide): string =>
    `${model.name}: ${decision.rule === undefined ? `the most probable of ${model.classifier.labels.join(', ')}` : decisionText(decision.rule)}`;
  const labels = ({ plan }: ComparedSide): string => [...plan.model.classifier.labels].sort().join('\n');
  const alike = a.decision.rule?.kind === b.decision.rule?.kind;
  if (alike && (a.decision.rule?.kind === 'threshold' || labels(a) === labels(b))) return;
  throw new UsageError(`expected models with the same labels, or two detectors, got ${text(a)}; ${text(b)}`, {
    code: 'COMPARISON_MISMATCH',
    hint: 'Name the label that each detects; repeat the flag for names that differ: --positive injection --positive UNSAFE',
  });
}

/** The answers in the order of the texts. */
async function answer({ plan }: ComparedSide, log: readonly LogText[], context: Context): Promise<Float32Array[]> {
  const rows: Float32Array[] = [];
  const seconds = stopwatch();
  const broken = ({ id }: { readonly id: string }, error: unknown): void =>
    context.hooks.onDetail?.(`text ${id}: ${error instanceof Error ? error.message : String(error)}`);
  const examples = async function* () {
    for (const { id, text } of log) yield { id, text, label: NO_LABEL, labels: [] };
  };
  for await (const part of chunks(examples(), CHUNK)) {
    context.check(INTERRUPTED);
    context.run.work(countedWork(plan.model.name, 'texts', rows.length, log.length, seconds()));
    rows.push(...(await answersTo(plan, part, broken, context.hooks.signal)));
  }
  return rows;
}

/** Nothing if one of the models did not answer. */
function answeredText(
  text: LogText,
  rows: readonly [Float32Array, Float32Array],
  sides: readonly [ComparedSide, ComparedSide],
): AnsweredText[] {
  if (!rows.every(hasAnswer)) return [];
  const [a, b] = sides.map(({ decision, plan }, at) => logAnswer(decision, plan.model.classifier.labels, rows[at]!));
  return [{ ...text, rows, a: a!, b: b!, direction: directionOf(a!, b!) }];
}

function flaggedRate(texts: readonly AnsweredText[], side: number) {
  const flags = texts.map(({ a, b }) => (side === 0 ? a : b).flagged).filter((flag) => flag !== undefined);
  return wilson(flags.filter(Boolean).length, flags.length);
}

function weakReasons(texts: readonly string[]): string[] {
  if (texts.length < MIN_EXAMPLES) return [`expected at least ${MIN_EXAMPLES} different texts, got ${texts.length}`];
  return notEvidence({ texts: TextCensus.of(texts), minTexts: MIN_EXAMPLES });
}

function constantReasons(name: string, texts: readonly AnsweredText[], side: number): string[] {
  const [first] = texts;
  if (first === undefined || texts.length < MIN_EXAMPLES) return [];
  const constant = texts.every(({ rows }) => rows[side]!.every((score, at) => score === first.rows[side]![at]));
  return constant ? [`${name} gives every text the same scores`] : [];
}

const shareReason = (count: number, of: number, most: number, what: string): string[] =>
  count > most * of ? [`${count} of ${of} ${what}, expected at most ${100 * most} %`] : [];

const evasionReasons = ({ a: { n }, goal }: Pick<UnlabelledComparison['evasion'], 'a' | 'goal'>): string[] =>
  n >= MIN_EXAMPLES
    ? []
    : [
        `newly evadable texts: expected at least ${MIN_EXAMPLES} texts that both models answer alike and the goal "${goal}" concerns, got ${quantity(n, 'text')}`,
      ];
