/**
 * @file Diagnostics: can the figures of a run be trusted? Each check looks for a sign that an attack failed for another reason than
 * robustness.
 *
 * Papers: Anish Athalye, Nicholas Carlini and David Wagner 2018, "Obfuscated Gradients Give a False Sense of Security: Circumventing
 * Defenses to Adversarial Examples", https://arxiv.org/abs/1802.00420; Nicholas Carlini, Anish Athalye, Nicolas Papernot, Wieland Brendel,
 * Jonas Rauber, Dimitris Tsipras, Ian Goodfellow, Aleksander Madry and Alexey Kurakin 2019, "On Evaluating Adversarial Robustness",
 * https://arxiv.org/abs/1902.06705; Florian Tramèr, Nicholas Carlini, Wieland Brendel and Aleksander Madry 2020, "On Adaptive Attacks to
 * Adversarial Example Defenses", https://arxiv.org/abs/2002.08347; Francesco Croce and Matthias Hein 2020, "Reliable evaluation of
 * adversarial robustness with an ensemble of diverse parameter-free attacks", https://arxiv.org/abs/2003.01690; Maura Pintor, Luca
 * Demetrio, Angelo Sotgiu, Ambra Demontis, Nicholas Carlini, Battista Biggio and Fabio Roli 2022, "Indicators of Attack Failure:
 * Debugging and Improving Optimization of Adversarial Examples", https://arxiv.org/abs/2106.09947; Francesco Croce, Sven Gowal, Thomas
 * Brunner, Evan Shelhamer, Matthias Hein and Taylan Cemgil 2022, "Evaluating the Adversarial Robustness of Adaptive Test-time Defenses",
 * https://arxiv.org/abs/2202.13711.
 */
import type { Report } from '../report/report.js';
import type { DiagnosedCheck, DiagnosticCheck, DiagnosticFacts, Trustworthy } from './check.js';
import type { DiagnosticEvidence } from './evidence.js';
import { OUTCOME_CHECKS } from './outcome-checks.js';
import { QUERY_CHECKS } from './query-checks.js';

/** Name of the suite whose figures the diagnostics judge. */
export const STANDARD = 'standard';

/** All checks, in the order of reports. */
export const CHECKS: readonly DiagnosticCheck[] = [...QUERY_CHECKS, ...OUTCOME_CHECKS];

/** The sentence that holds if the check passes; empty for a check of another version. */
export const titleOfCheck = (name: string): string => CHECKS.find((check) => check.name === name)?.title ?? '';

/** A verdict `yes` needs as many passed checks, and as many examples with extra queries: fewer are too little evidence. */
export const MIN_PASSED = 5;
export const MIN_DIAGNOSED = 8;

/**
 * The verdict of all checks. It is `no` if a check failed. Otherwise it is `unknown` without the extra queries, for a run of which parts are
 * missing, and below `MIN_PASSED` checks or `MIN_DIAGNOSED` examples.
 */
export function judgeTrust(facts: DiagnosticFacts, partial: readonly string[] = []): Trustworthy {
  const checks = CHECKS.map((check): DiagnosedCheck => ({ name: check.name, ...check.judge(facts) }));
  const { queries = 0, missing } = facts.evidence ?? {};
  if (checks.some(({ status }) => status === 'failed')) return { verdict: 'no', queries, checks };
  const reason =
    facts.evidence === undefined
      ? 'the run made no extra queries'
      : (missing ?? partial[0] ?? tooLittle(facts.evidence, checks));
  return reason === undefined ? { verdict: 'yes', queries, checks } : { verdict: 'unknown', reason, queries, checks };
}

/** Why the checks are too little evidence for a verdict `yes`. */
function tooLittle({ answers }: DiagnosticEvidence, checks: readonly DiagnosedCheck[]): string | undefined {
  const passed = passedOf(checks);
  if (answers.examples < MIN_DIAGNOSED)
    return `the checks queried ${answers.examples} correctly classified examples, expected at least ${MIN_DIAGNOSED}`;
  return passed < MIN_PASSED ? tooFew(passed) : undefined;
}

/** What its checks say, whatever verdict stands beside them: a file may state any. */
export function recountTrust({ verdict, reason, queries, checks }: Trustworthy): Trustworthy {
  if (checks.some(({ status }) => status === 'failed')) return { verdict: 'no', queries, checks };
  const passed = CHECKS.filter(({ name }) => checks.some((each) => each.name === name && each.status === 'passed'));
  if (verdict !== 'yes') return { verdict: 'unknown', reason: reason ?? 'as stated by the file', queries, checks };
  if (passed.length >= MIN_PASSED) return { verdict, queries, checks };
  return { verdict: 'unknown', reason: tooFew(passed.length), queries, checks };
}

const tooFew = (passed: number): string => `${passed} checks were applicable, expected at least ${MIN_PASSED}`;

const passedOf = (checks: readonly DiagnosedCheck[]): number =>
  checks.filter(({ status }) => status === 'passed').length;

/** `yes (9 checks)`, `no: gradients: 16 of 16 zero`, `unknown: shard 3 of 4 is missing`. */
export function trustLine({ verdict, reason, checks }: Trustworthy): string {
  const failed = checks.filter(({ status }) => status === 'failed');
  if (verdict === 'no') return `no: ${failed.map(({ name, evidence }) => `${name}: ${evidence}`).join('; ')}`;
  if (verdict === 'unknown') return `unknown: ${reason}`;
  return `yes (${passedOf(checks)} checks)`;
}

/**
 * Why a metric of the suite `standard`, or of all attacks of its run, supports no verdict of the gate: a check failed, or a file states the
 * verdict of the checks, which its outcomes do not show. Undefined for other metrics.
 */
export function distrusted(
  {
    trustworthy,
    suites,
    stated,
  }: Pick<Report, 'trustworthy' | 'stated'> & { readonly suites: readonly { readonly name: string }[] },
  metric: string,
): string | undefined {
  const covered =
    /^standard[.-]/.test(metric) || (metric.startsWith('overall.') && suites.some(({ name }) => name === STANDARD));
  if (!covered) return undefined;
  if (trustworthy?.verdict !== 'no') return stated === 'file' ? UNCOUNTED.file : undefined;
  return `not trustworthy: ${trustLine(trustworthy)}`.replace(': no: ', ': ');
}

/** Why a figure that nothing shows supports no verdict. */
export const UNCOUNTED = {
  file: 'as stated by the file: judge the folder of the run instead',
  record: 'as stated by run.json: the folder holds no answers by which it could be counted again (clean.bin)',
};
