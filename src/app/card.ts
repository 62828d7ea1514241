/** @file The card of a run of the suite `standard`: the standing of its model. */
import { attacks as builtIn, STANDARD_VERSION, suiteNamed } from '../../attacks/index.js';
import { type GivenValues, nonEmptyText, type Settings, textList } from '../config/setting.js';
import { defined } from '../core/defined.js';
import { RobustError } from '../core/errors.js';
import type { Rate } from '../core/statistics/rate.js';
import { evidenceReasons, MIN_EXAMPLES } from '../gate/index.js';
import type { StandingCard } from '../results/card/card.js';
import type { GuardCard } from '../results/card/guard-card.js';
import { recountTrust, STANDARD, trustLine, UNCOUNTED } from '../results/diagnostics/index.js';
import { valueAt } from '../results/measures/measure.js';
import type { Report } from '../results/report/report.js';
import { summariseReview } from '../results/report/review.js';
import { conditionsOf } from '../run/index.js';
import { withDefaults } from './context.js';
import { guardCardOf, hasGuardrail } from './guard-card.js';
import { MAX_ERROR_RATE } from './runs/attack-plan.js';
import { foldExamples } from './runs/fold-examples.js';
import { openReport } from './runs/open-report.js';

export const cardSettings = {
  verification: {
    schema: nonEmptyText.optional(),
    value: 'run',
    help: 'a run of robust verify on the same model and data: what it proved is put on the card',
  },
  shielded: {
    schema: nonEmptyText.optional(),
    value: 'run',
    help: 'for a guard: a run of the same guard, data and attacks with --defend shield',
  },
  hardBenign: {
    schema: textList.optional(),
    value: 'run|file',
    help: 'for a guard: a run, or the JSON document of robust evaluate, on benign texts that look like attacks; repeat',
  },
} as const satisfies Settings;

export interface CardOptions extends GivenValues<typeof cardSettings> {
  /** Id or folder of a run, or a report.json. @default 'latest' */
  readonly run?: string | undefined;
}

/**
 * The card of a finished run: of the suite standard, or of a detector under the suite guardrail. Inconclusive where a member of the suite is
 * missing or the run is no evidence. Throws RobustError RUN_UNSUPPORTED for a run without either suite, RUN_UNSUPPORTED or RUN_MISMATCH for runs of
 * something else, and what reading runs throws.
 */
export async function card({ run = 'latest', ...options }: CardOptions = {}): Promise<StandingCard | GuardCard> {
  const { verification, shielded, hardBenign } = withDefaults(cardSettings, options);
  const { report } = await openReport(run);
  if (!hasStandard(report) && hasGuardrail(report)) return guardCardOf(report, { shielded, hardBenign });
  const unfit = shielded === undefined ? hardBenign && '--hard-benign' : '--shielded';
  if (unfit !== undefined) throw notGuard(unfit, run);
  const made = await cardOf(report);
  if (verification === undefined) return made;
  return { ...made, proof: proofOf((await openReport(verification)).report, report) };
}

/** Does the report have a member of the suite? */
export const hasStandard = ({ attacks }: Pick<Report, 'attacks'>): boolean => attacks.some(isMember);

const isMember = ({ suite, name }: { readonly suite: string | null; readonly name: string }): boolean =>
  suite === STANDARD && members().includes(name);

const members = (): readonly string[] => suiteNamed(STANDARD)?.attacks ?? [];

/** Throws RobustError RUN_UNSUPPORTED. */
export async function cardOf(report: Report): Promise<StandingCard> {
  const { attacks, model, data, seed, suites, provenance, trustworthy } = report;
  const own = attacks.filter(isMember);
  const suite = suites.find(({ name }) => name === STANDARD);
  if (own.length === 0 || suite === undefined) throw notStandard(report.run);
  const reasons = [...new Set([...missingReasons(report), ...weakReasons(report)])];
  const { fingerprint = {} } = provenance ?? {};
  const { examplesSha256, outcomes } = await foldExamples(
    report,
    own.map(({ name }) => name),
  );
  return {
    standard: STANDARD_VERSION,
    model: {
      name: model.name,
      sha256: model.sha256,
      labels: model.labels,
      ...(model.defence && { defence: model.defence }),
    },
    data: { name: data.name, sha256: data.sha256, examples: data.examples, examplesSha256 },
    seed,
    queryBudget: typeof fingerprint.queryBudget === 'number' ? fingerprint.queryBudget : null,
    conditions: { ...conditionsOf(fingerprint), decision: model.decision?.kind ?? 'most probable label' },
    originalAccuracy: suite.originalAccuracy,
    worstCaseAccuracy: suite.accuracyUnderAttack,
    threatModels: own.map(({ name, constraints, accuracyUnderAttack, attackSuccessRate, curves }) => ({
      name: name.replace(`${STANDARD}-`, ''),
      limits: constraints.filter((each) => each !== STANDARD_VERSION),
      worstCaseAccuracy: accuracyUnderAttack,
      attackSuccessRate,
      ...defined({ curves }),
    })),
    ...defined({ curves: suite.curves }),
    outcomes,
    ...defined({ trustworthy, review: summariseReview(report.review, suite) }),
    toolVersion: report.toolVersion,
    run: report.run,
    replay: report.command,
    verdict: reasons.length > 0 ? 'inconclusive' : 'none',
    reasons,
  };
}

/** Members of the suite that did not run, ran in another version, or do not apply to these texts. */
function missingReasons({ attacks, leftOut = [] }: Report): string[] {
  return members().flatMap((member) => {
    const found = attacks.find((attack) => attack.name === member && isMember(attack));
    const why = leftOut.find(({ name }) => name === member)?.reason ?? 'the run does not contain it';
    if (found === undefined) return [`${member} is missing: ${why}`];
    if (!found.constraints.includes(STANDARD_VERSION)) {
      const ran = found.constraints.find((each) => each.startsWith(`${STANDARD}@`)) ?? 'an unknown version';
      return [`${member} is of ${ran}, expected ${STANDARD_VERSION}`];
    }
    return found.notApplicable === undefined ? [] : [`${member} is not applicable: ${found.notApplicable.reason}`];
  });
}

/** Why the run is no evidence, or why its figures are not to be trusted. */
const weakReasons = (report: Report): string[] => [
  ...askedReasons(report.suites.find(({ name }) => name === STANDARD)?.attackSuccessRate.n ?? 0, report.trustworthy),
  ...(report.stated === 'file' ? [`trustworthy: ${UNCOUNTED.file}`] : []),
  ...(report.reasons ?? []),
  ...evidenceReasons(report, { minExamples: MIN_EXAMPLES, maxErrorRate: MAX_ERROR_RATE }),
];

/** Why a card of a file is not ranked: what is asked of a run that a card is made of. */
export function cardReasons({
  standard,
  threatModels,
  originalAccuracy,
  outcomes,
  trustworthy,
}: StandingCard): string[] {
  const names = threatModels.map(({ name }) => `${STANDARD}-${name}`);
  const counted = Math.round((originalAccuracy.value ?? 0) * originalAccuracy.n);
  return [
    ...members().flatMap((member) =>
      names.includes(member) ? [] : [`${member} is missing: the card does not contain it`],
    ),
    ...(standard === STANDARD_VERSION ? [] : [`the card is of ${standard}, expected ${STANDARD_VERSION}`]),
    ...(outcomes === '' ? ['the card holds no outcomes'] : []),
    ...askedReasons(counted, trustworthy && recountTrust(trustworthy)),
  ];
}

function askedReasons(attacked: number, trust: Report['trustworthy']): string[] {
  const failed = (trust?.checks ?? []).filter(({ status }) => status === 'failed');
  return [
    ...(attacked < MIN_EXAMPLES ? [`expected at least ${MIN_EXAMPLES} attacked examples, got ${attacked}`] : []),
    ...(trust?.verdict === 'no' ? failed.map(({ name, evidence }) => `not trustworthy: ${name}: ${evidence}`) : []),
    ...(trust === undefined ? ['trustworthy: unknown: the run made no checks'] : []),
    ...(trust?.verdict === 'unknown' ? [`trustworthy: ${trustLine(trust)}`] : []),
  ];
}

const VERIFY = builtIn.find(({ name }) => name === 'verify')?.name;

/** Throws RobustError RUN_UNSUPPORTED, RUN_MISMATCH. */
function proofOf(verification: Report, attacked: Report): NonNullable<StandingCard['proof']> {
  const check = verification.attacks.find(({ name }) => name.split(':')[0] === VERIFY);
  if (check === undefined)
    throw new RobustError(`--verification: expected a run of robust verify, got run ${verification.run}`, {
      code: 'RUN_UNSUPPORTED',
      hint: 'Make one with robust verify, on the model and the data of the card.',
    });
  for (const what of ['model', 'data'] as const) {
    const [expected, got] = [attacked[what], verification[what]];
    if (expected.sha256 === got.sha256) continue;
    throw new RobustError(
      `--verification: expected the ${what} of run ${attacked.run}, ${expected.name} (sha256 ${expected.sha256.slice(0, 12)}), got ${got.name} (${got.sha256.slice(0, 12)})`,
      { code: 'RUN_MISMATCH', hint: 'Verify the model that was attacked, on the same data.' },
    );
  }
  const { space, edits } = check.options as { space: string[]; edits: number };
  const rate = (name: string): Rate => valueAt(check, name) as Rate;
  return {
    run: verification.run,
    space,
    edits,
    constraints: check.constraints,
    proved: rate('proved'),
    notBroken: rate('notBroken'),
  };
}

const notGuard = (flag: string, run: string): RobustError =>
  new RobustError(`${flag}: expected a run of a detector under the suite guardrail, got run ${run}`, {
    code: 'RUN_MISMATCH',
    hint: 'Make one with: robust attack --suite guardrail --positive LABEL --threshold fpr=0.01',
  });

const notStandard = (run: string): RobustError =>
  new RobustError(`expected a run of the suite ${STANDARD}, got run ${run} without it`, {
    code: 'RUN_UNSUPPORTED',
    hint: 'Make one with: robust attack --suite standard; for a detector: robust attack --suite guardrail --positive LABEL',
  });
