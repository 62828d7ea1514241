/** @file A run against the baseline, figure by figure, on the same examples. */
import { isDeepStrictEqual } from 'node:util';
import { defined } from '../core/defined.js';
import { must, RobustError } from '../core/errors.js';
import { quantity } from '../core/figure-text.js';
import type { DecisionDifference } from '../results/comparison/decision-difference.js';
import { countPairs, type PairedFigure, proportion } from '../results/comparison/paired-figures.js';
import type { GateResult } from '../results/report/verdict.js';
import { answersInOrder } from '../tasks/answers.js';
import { type DecidedModel, decisionDifference, figuresUnderAttack, pairedFigures } from '../tasks/compare.js';
import type { Baseline } from './baseline-schema.js';
import { judgeChanges, type PairedChange } from './changes.js';

export interface Allowed {
  readonly file: string;
  /** Largest deterioration that still passes: absolute for rates, areas and correlations, relative to the baseline for errors. */
  readonly maxIncrease: number;
  /** The model of the baseline, if it is not the model of the run. */
  readonly model?: string | undefined;
  readonly maxErrorRate: number;
  /** Fewer pairs than this say nothing. */
  readonly minExamples: number;
}

/**
 * A run against the baseline. Throws RobustError BASELINE_MISMATCH naming each fact in which they differ, the decision included: figures
 * measured otherwise cannot be compared.
 */
export function compareBaseline(
  baseline: Baseline,
  current: Baseline,
  { file, maxIncrease, model, maxErrorRate, minExamples }: Allowed,
): NonNullable<GateResult['baseline']> {
  const difference = checkSame(baseline, current, model ?? current.model.name, file);
  const places = new Map(baseline.ids.map((id, at) => [id, at]));
  const earlier = inOrder(
    baseline,
    current.ids.map((id) => must(places.get(id))),
  );
  const spoilt = (letters: string): string | undefined => {
    const [lost, tried] = [letters.split('-').length - 1, letters.replaceAll('s', '').length];
    return lost > maxErrorRate * tried ? `${lost} of ${quantity(tried, 'example')} errored` : undefined;
  };
  const changes: PairedChange[] = [
    ...cleanFigures(earlier, current).map((figure) => ({ name: 'clean', figure, spoilt: spoilt(current.clean) })),
    ...current.attacks.flatMap(({ name, outcomes }) => {
      const before = earlier.attacks.find((each) => each.name === name)?.outcomes as string;
      const success = { metric: 'attackSuccessRate', higherIsBetter: false };
      const figures = [
        proportion(success, countPairs(before, outcomes)),
        ...figuresUnderAttack(
          current.decision?.answers,
          { clean: earlier.clean, outcomes: before },
          { clean: current.clean, outcomes },
        ),
      ];
      return figures.map((figure) => ({ name, figure, spoilt: spoilt(outcomes) }));
    }),
  ].filter(({ figure }) => !figure.absent);
  const judged = judgeChanges(changes, maxIncrease, minExamples);
  const has = (verdict: string): boolean =>
    judged.some((change) => change.verdict === verdict && !(verdict === 'inconclusive' && change.level === 'warn'));
  return {
    file,
    model: baseline.model,
    maxIncrease,
    ...(current.decision && { decision: current.decision.rule }),
    ...defined({ decisionDifference: difference }),
    verdict: has('failed') ? 'failed' : has('inconclusive') ? 'inconclusive' : 'passed',
    changes: judged,
  };
}

type Judged = Pick<Baseline, 'clean' | 'decision' | 'attacks' | 'fingerprint'>;

/** The figures of the decision on unedited texts; where the most probable label is decided, the accuracy. */
function cleanFigures(earlier: Judged, current: Judged): PairedFigure[] {
  const [a, b] = [earlier.decision, current.decision];
  if (a === undefined || b === undefined) {
    return [proportion({ metric: 'accuracy', higherIsBetter: true }, countPairs(earlier.clean, current.clean))];
  }
  const { seed } = current.fingerprint;
  return pairedFigures(a, b, typeof seed === 'number' ? seed : 0);
}

/** The entries of a baseline for its examples, in another order. */
function inOrder({ clean, attacks, decision, fingerprint }: Baseline, places: readonly number[]): Judged {
  const letters = (of: string): string => places.map((at) => of[at]).join('');
  return {
    fingerprint,
    clean: letters(clean),
    attacks: attacks.map((attack) => ({ ...attack, outcomes: letters(attack.outcomes) })),
    ...(decision && { decision: { ...decision, answers: answersInOrder(decision.answers, places) } }),
  };
}

/** The difference between the decisions, if it is one that may be. Throws RobustError BASELINE_MISMATCH. */
function checkSame(baseline: Baseline, current: Baseline, name: string, file: string): DecisionDifference | undefined {
  const facts = ({ fingerprint, attacks, ids }: Baseline): Record<string, unknown> => ({
    ...fingerprint,
    'constraints of the attacks': attacks.map((each) => [each.name, each.constraints]),
    examples: new Set(ids),
  });
  const [theirs, ours] = [facts(baseline), facts(current)];
  const names = [...new Set([...Object.keys(theirs), ...Object.keys(ours)])];
  const different = names
    .filter((fact) => !isDeepStrictEqual(theirs[fact], ours[fact]))
    .map((fact) => `${fact}${short(theirs[fact], ours[fact])}`);
  if (baseline.model.name !== name) {
    different.unshift(`model (the baseline is of "${baseline.model.name}", the run of "${current.model.name}")`);
  }
  const [then, now] = [baseline, current].map(({ decision }) => ({
    rule: decision?.rule,
    labels: decision?.labels ?? [],
  })) as [DecidedModel, DecidedModel];
  const decided = decisionDifference(then, now);
  if (decided !== undefined && decided.kind !== 'calibrated') {
    const older = baseline.decision === undefined && baseline.toolVersion !== current.toolVersion;
    const was = older ? `not noted by robust ${baseline.toolVersion}` : decided.a;
    different.unshift(`${decided.what} (was ${was}, is ${decided.b})`);
  }
  if (different.length === 0) return decided;
  throw new RobustError(`${file} was measured with something else: ${different.join('; ')}`, {
    code: 'BASELINE_MISMATCH',
    hint: 'Run with the inputs of the baseline, or save a new one: robust baseline save. A model that was renamed: baseline.model.',
  });
}

/** Both values, where they are short enough to read. */
function short(theirs: unknown, ours: unknown): string {
  const [was, is] = [theirs, ours].map((value) => JSON.stringify(value) ?? 'nothing') as [string, string];
  return theirs instanceof Set || was.length + is.length > 160 ? '' : ` (was ${was}, is ${is})`;
}

/** Is the run better than the baseline in something, and in nothing worse? Then a ratchet moves on. */
export function isBetter({ changes, verdict }: NonNullable<GateResult['baseline']>): boolean {
  const gains = changes.map(({ difference: { value }, higherIsBetter }) => (value ?? 0) * (higherIsBetter ? 1 : -1));
  return verdict === 'passed' && gains.some((gain) => gain > 0) && gains.every((gain) => gain >= 0);
}
