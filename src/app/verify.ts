/** @file Prove that no text of a space of edits changes the prediction, or find one that does: a run of the attack `verify`. */
import type { GivenValues } from '../config/setting.js';
import { spaceSettings, verifySettings } from '../config/settings/verify.js';
import { defined } from '../core/defined.js';
import { RobustError } from '../core/errors.js';
import type { Rate } from '../core/statistics/rate.js';
import { wilson } from '../core/statistics/stats.js';
import type { AttackMetrics } from '../results/measures/attack-metrics.js';
import { valueAt } from '../results/measures/measure.js';
import type { Report } from '../results/report/report.js';
import type { ComparedAttack, VerifiedExample, VerifyResult } from '../results/report/verification.js';
import { type ProofVerdict, verdictOf, verificationOf } from '../verify/measures.js';
import { attack } from './attack.js';
import { givenOf, type UseCaseHooks, withDefaults } from './context.js';
import { labelDecision } from './victim/decision-choice.js';

export interface VerifyOptions extends GivenValues<typeof verifySettings>, UseCaseHooks {
  /** Continue this run, by id or folder, or the "latest"; options that are not given are as they were. */
  readonly resume?: string | undefined;
  /** Have the workers on this queue compute the run: redis://host:port. `store`: where they find large files. */
  readonly queue?: string | undefined;
  readonly store?: string | undefined;
}

/**
 * Checks every text of a space of edits. The run is kept in .robust/runs, from where it can be resumed, merged and reported as a run of
 * attacks. Throws what `attack` throws, and RobustError RUN_UNSUPPORTED if `resume` names a run without an exhaustive check.
 */
export async function verify(options: VerifyOptions = {}): Promise<VerifyResult> {
  const { resume, ...rest } = options;
  const hooks = Object.fromEntries(Object.entries(rest).filter(([key]) => !(key in verifySettings)));
  const given = givenOf(verifySettings, rest);
  const report = await attack({
    ...hooks,
    ...(resume === undefined ? runOptions(withDefaults(verifySettings, rest)) : resumedOptions(given)),
    resume,
  });
  return resultOf(report);
}

type RunOptions = Parameters<typeof attack>[0];

/** The options of the run that carries out the check. */
function runOptions({
  spaces = ['characters'],
  edits,
  alphabet,
  attacks = [],
  ...shared
}: ReturnType<typeof withDefaults<typeof verifySettings>>): RunOptions {
  labelDecision(shared);
  const written = [
    NAME,
    ...(spaces.join() === 'characters' ? [] : [`space=${[...new Set(spaces)].join(',')}`]),
    ...(edits === 1 ? [] : [`edits=${edits}`]),
    ...(alphabet === 'letters' ? [] : [`alphabet=${alphabet}`]),
  ];
  return { ...shared, precision: 'fp32', attacks: [written.join(':'), ...attacks] };
}

/** A resumed run remembers its space. Throws RobustError for another one. */
function resumedOptions(given: GivenValues<typeof verifySettings>): RunOptions {
  const [named] = Object.keys(givenOf(spaceSettings, given));
  if (named === undefined) return given as RunOptions;
  throw new RobustError(`--resume: expected the space of the run, got another setting of "${named}"`, {
    code: 'RESUME_MISMATCH',
    hint: 'Leave the settings of the space out, or start a new run.',
  });
}

const NAME = 'verify';

async function resultOf(report: Report): Promise<VerifyResult> {
  const { attacks, data, model, run, seed } = report;
  const check = attacks.find(({ name }) => name.split(':')[0] === NAME);
  if (check === undefined) throw notVerified(run);
  const { examples, texts, compared } = await foldOutcomes(report, check);
  const rate = (name: string): Rate => (valueAt(check, name) ?? UNKNOWN) as Rate;
  const rates = {
    proved: rate('proved'),
    notBroken: rate('notBroken'),
    broken: rate('broken'),
    unfinished: rate('unfinished'),
  };
  const { space, edits, alphabet } = check.options as { space: string[]; edits: number; alphabet: string };
  const decided = (rates.proved.value ?? 0) + (rates.broken.value ?? 0) > 0;
  const reasons = [
    ...(report.reasons ?? []),
    ...(decided || rates.unfinished.value === 0 ? [] : ['the query budget ended every check: raise --query-budget']),
  ];
  return {
    run,
    model: { name: model.name, sha256: model.sha256 },
    data: { name: data.name, sha256: data.sha256, examples: data.examples },
    seed,
    space,
    edits,
    alphabet,
    constraints: check.constraints,
    clean: wilson(examples.filter(({ verdict }) => verdict !== 'wrong').length, examples.length),
    verify: rates,
    texts,
    attacks: compared,
    examples,
    verdict: reasons.length > 0 || report.verdict === 'inconclusive' ? 'inconclusive' : 'none',
    reasons,
    replay: report.command,
    report,
  };
}

const UNKNOWN: Rate = { value: null, low: null, high: null, n: 0 };

/** The verdict on each example, and what the other attacks found of them. */
async function foldOutcomes(report: Report, check: AttackMetrics) {
  const examples: VerifiedExample[] = [];
  const successes = new Map<string, Set<string>>(report.attacks.map(({ name }) => [name, new Set()]));
  let texts = 0;
  for await (const outcome of report.examples) {
    const { attack: name, id, text, adversarial, status } = outcome;
    if (status === 'succeeded') successes.get(name)?.add(id);
    const verdict = name === check.name ? verdictOf(outcome) : undefined;
    if (verdict === undefined) continue;
    const { texts: sent = 0, method = 'exhaustive' as const } = verificationOf(outcome) ?? {};
    texts += sent;
    const found = { ...(verdict === 'proved' && { method }), ...defined({ adversarial }) };
    examples.push({ id, text, verdict, texts: sent, ...found });
  }
  const withVerdict = (wanted: ProofVerdict): Set<string> =>
    new Set(examples.filter(({ verdict }) => verdict === wanted).map(({ id }) => id));
  const [broken, proved] = [withVerdict('broken'), withVerdict('proved')];
  const compared = report.attacks
    .filter((other) => other !== check)
    .map(({ name, accuracyUnderAttack }): ComparedAttack => {
      const own = [...(successes.get(name) ?? [])];
      const found = own.filter((id) => broken.has(id)).length;
      const outside = own.filter((id) => proved.has(id)).length;
      return { name, accuracyUnderAttack, found, missed: broken.size - found, outside };
    });
  return { examples, texts, compared };
}

const notVerified = (run: string): RobustError =>
  new RobustError(`expected a run of robust verify, got run ${run}, which has no exhaustive check`, {
    code: 'RUN_UNSUPPORTED',
    hint: 'Continue it with robust attack --resume, or check its model with robust verify.',
  });
