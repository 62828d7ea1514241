/** @file Measure a classifier without attacking it. */
import type { GivenValues } from '../config/setting.js';
import { wholeNumber } from '../config/setting.js';
import {
  certifySetting,
  decisionSettings,
  defendSetting,
  deviceSetting,
  pairSettings,
  precisionSetting,
  seedSetting,
  speedSettings,
  victimSettings,
  windowSettings,
} from '../config/settings/index.js';
import { defined } from '../core/defined.js';
import { must, RobustError } from '../core/errors.js';
import { take } from '../core/take.js';
import { type CertifiedAccuracy, type CertifiedEdits, defences, isCertified } from '../defence/index.js';
import type { CleanMetrics } from '../results/clean/clean-metrics.js';
import { notEvidence } from '../results/report/evidence.js';
import type { Report } from '../results/report/report.js';
import { type EvaluationPlan, evaluate as measure } from '../run/index.js';
import { decisionText } from '../tasks/decide.js';
import type { Context, UseCaseHooks } from './context.js';
import { stopwatch } from './progress.js';
import { MAX_ERROR_RATE } from './runs/attack-plan.js';
import { type UseCaseFunction, useCase } from './use-case.js';
import { victimChoice } from './victim/choice.js';
import { chooseDefences, MASK } from './victim/defend.js';
import { answeringClassifier, examplesTaken, type OpenVictim, openVictim, unusedDefences } from './victim/victim.js';

export const evaluateSettings = {
  ...victimSettings,
  ...defendSetting,
  ...pairSettings,
  ...decisionSettings,
  ...windowSettings,
  numExamples: { ...victimSettings.numExamples, schema: wholeNumber(0).default(0) },
  ...seedSetting,
  ...certifySetting,
  ...precisionSetting,
  ...deviceSetting,
  ...speedSettings,
} as const;

export interface EvaluateOptions extends GivenValues<typeof evaluateSettings>, UseCaseHooks {}

export interface EvaluateResult {
  readonly model: Omit<Report['model'], 'defence'>;
  readonly data: { readonly name: string; readonly sha256: string; readonly examples: number };
  readonly clean: CleanMetrics;
  /** With `certify`: the accuracy that holds for every replacement of up to k words (ranmask), or for up to k edits (rs-del). */
  readonly certified?: CertifiedAccuracy | CertifiedEdits;
  /** Inconclusive where the figures are not evidence; else nothing is judged. */
  readonly verdict: 'inconclusive' | 'none';
  /** Why it is inconclusive. */
  readonly reasons: readonly string[];
}

/** Throws RobustError, ModelError, RobustError INTERRUPTED. */
export const evaluate: UseCaseFunction<EvaluateOptions, EvaluateResult> = useCase({
  settings: evaluateSettings,
  async run(choice, context) {
    const { numExamples, force, labelMap } = choice;
    if (choice.certify) checkCertifiable(choice.defend);
    const victim = await openVictim(victimChoice({ ...choice, precision: choice.precision ?? 'auto' }), context);
    const { model, dataset } = victim;
    const answerer = onDevice(answeringClassifier(victim));
    const { name, sha256, output, decision } = answerer;
    if (choice.certify && decision !== undefined) throw undecidedCertificate(decisionText(decision));
    const taken = examplesTaken(dataset, numExamples);
    const plan = { model: answerer, dataset, numExamples: taken, force, labelMap };
    const { clean, examples } = await measure(plan, context.run);
    for (const message of unusedDefences(victim)) context.warn(message);
    const reasons = notEvidence({ clean, texts: clean.texts, examples, maxErrorRate: MAX_ERROR_RATE });
    const certified = choice.certify ? await certify(choice.defend ?? [], numExamples, victim, context) : undefined;
    return {
      model: { name, sha256, labels: model.labels, ...defined({ output, decision }) },
      data: { name: dataset.name, sha256: dataset.source.sha256, examples },
      clean,
      ...defined({ certified }),
      verdict: reasons.length > 0 ? 'inconclusive' : 'none',
      reasons,
    };
  },
});

/** Texts on which a device is compared with the processor. */
const COMPARED = 256;

/** A device answers all texts, and the processor some of them. */
function onDevice(answerer: EvaluationPlan['model']): EvaluationPlan['model'] {
  const { classifier, approximation } = answerer;
  if (approximation?.device === undefined) return answerer;
  const { classify } = classifier;
  return { ...answerer, classifier: approximation, approximation: { ...approximation, compared: COMPARED, classify } };
}

/** The certified accuracy of the vote, from the undefended model. */
async function certify(
  defend: readonly string[],
  limit: number,
  { model, dataset }: OpenVictim,
  context: Context,
): Promise<CertifiedAccuracy | CertifiedEdits> {
  const [chosen] = await chooseDefences(defend);
  const first = take(dataset.examples(), limit);
  const seconds = stopwatch();
  const done = (done: number): void => {
    context.check('certifying was interrupted');
    context.run.work({ title: 'certifying', words: '', done, total: limit || undefined, seconds: seconds() });
  };
  if (chosen === undefined || !isCertified(chosen.plugin)) throw notCertifiable(defend);
  return chosen.plugin.certify(first, model, chosen.options, { mask: MASK, done });
}

/** The certificate counts the votes for the most probable label: it says nothing of a threshold on them. */
const undecidedCertificate = (decision: string): RobustError =>
  new RobustError(`--certify: expected the most probable label to be decided, got ${decision}`, {
    code: 'METHOD_UNSUPPORTED',
    hint: 'Leave --positive and --task out; for a robust.json that names a decision: --task single.',
  });

/** The defences with a certificate. What rewrites texts before them would change what a word is, so each is certified alone. */
const CERTIFIED = defences.filter(isCertified).map(({ name }) => name);

function checkCertifiable(defend: readonly string[] = []): void {
  if (defend.length !== 1 || !CERTIFIED.includes(must(must(defend[0]).split(':', 1)[0]))) throw notCertifiable(defend);
}

const notCertifiable = (defend: readonly string[]): RobustError =>
  new RobustError(
    `--certify: expected --defend ${CERTIFIED.join(' or ')} alone, got ${defend.join(', ') || 'no defence'}`,
    {
      code: 'METHOD_UNSUPPORTED',
      hint: 'For example: robust evaluate --defend ranmask:rate=0.8:samples=200 --certify -n 200',
    },
  );
