/** @file The meaning of scores that settings ask for, before a model is loaded. */
import type { Values } from '../../config/setting.js';
import { type decisionSettings, parsedThreshold } from '../../config/settings/decision.js';
import { defined } from '../../core/defined.js';
import { RobustError } from '../../core/errors.js';
import { kebab, splitPart } from '../../core/plugin-options.js';
import type { LoadOptions } from '../../model/load.js';
import type { WrittenDecision } from '../../model/opening/manifest.js';

export type DecisionSettings = Partial<Values<typeof decisionSettings>> & { readonly goal?: string | undefined };

/** The decision that settings ask for, before a model is loaded. */
export interface DecisionChoice
  extends Pick<DecisionSettings, 'delta' | 'positive' | 'threshold' | 'positiveScore' | 'calibration'> {
  /** Undefined where the model's folder decides. */
  readonly kind: WrittenDecision['kind'] | undefined;
  /** With the kind `tags`: how spans are made of its tags. */
  readonly tags: LoadOptions['tags'];
}

/** Throws RobustError for settings that contradict each other. */
export function decisionChoice(settings: DecisionSettings): DecisionChoice {
  const { delta, positive, threshold, positiveScore, calibration } = settings;
  return { kind: kindOf(settings), delta, positive, threshold, positiveScore, calibration, tags: tagReading(settings) };
}

/** The decision that settings ask for, for what knows labels of texts only. Throws RobustError for tags too. */
export function labelDecision(settings: DecisionSettings): DecisionChoice {
  const choice = decisionChoice(settings);
  if (choice.kind !== 'tags') return choice;
  throw new RobustError('--task tags: expected a model of labels here', {
    code: 'TASK_UNSUPPORTED',
    hint: 'Models that tag can be attacked, evaluated, compared and judged: robust attack, evaluate, compare, gate.',
  });
}

const OF_LABELS = ['positive', 'threshold', 'positiveScore', 'calibration'] as const;

type Unfit = readonly [of: readonly (keyof DecisionSettings)[], hint: string];

/** Task -> settings that contradict it, and what to do instead. */
const UNFIT: Readonly<Record<NonNullable<DecisionSettings['task']>, readonly Unfit[]>> = {
  single: [[OF_LABELS, 'Leave one out.']],
  'multi-label': [[['positive'], 'With --positive the model is one detector of these labels: leave --task out.']],
  regression: [[OF_LABELS, 'These are of labels: leave them out.']],
  tags: (['positive', 'positiveScore', 'calibration'] as const).map((key) => [
    [key],
    'It takes --threshold, the minimum score of a span.',
  ]),
};

function kindOf(settings: DecisionSettings): DecisionChoice['kind'] {
  const { delta, positive, task = delta === undefined ? undefined : 'regression' } = settings;
  if (task === undefined) return positive === undefined ? undefined : 'threshold';
  const number = task === 'regression';
  if (delta !== undefined && !number)
    throw contradiction(
      `--task ${task}, got its delta too`,
      'Only a number has one: --task regression:delta=NUMBER, or leave it out.',
    );
  for (const [of, hint] of UNFIT[task]) {
    const given = of.filter((key) => settings[key] !== undefined).map((key) => `--${kebab(key)}`);
    if (given.length > 0)
      throw contradiction(`${number ? 'a number' : `--task ${task}`}, got ${given.join(', ')} too`, hint);
  }
  return task === 'single' ? 'argmax' : task;
}

/** Goals that ask whether characters of an entity leak count an entity as found where they are covered. */
function tagReading(settings: DecisionSettings): LoadOptions['tags'] {
  const { task, aggregation, threshold, goal } = settings;
  if (task !== 'tags') {
    if (aggregation === undefined) return undefined;
    throw contradiction(
      `--task tags with aggregation, got --task ${task ?? 'nothing'}`,
      'Tokens have tags only there.',
    );
  }
  const least = leastOf(threshold);
  if (least === undefined)
    throw contradiction(
      `a score of spans, got --threshold ${threshold}`,
      'For example: --threshold 0.5, or --threshold PERSON=0.6,IBAN=0.9',
    );
  const { name, main, given } = splitPart(goal ?? 'lose');
  // Making the goal refuses other numbers than shares, and shares of other goals.
  const share = Number(main ?? given.get('share')) || undefined;
  return { ...defined({ aggregation, share }), match: name === 'leak' ? 'cover' : 'whole', ...least };
}

/** Minimum scores of spans; undefined for a false positive rate. */
function leastOf(threshold: string | undefined): { least: number; leastByType?: Record<string, number> } | undefined {
  const read = threshold === undefined ? { score: 0 } : parsedThreshold(threshold);
  if (read === undefined || 'rate' in read) return undefined;
  return 'score' in read ? { least: read.score } : { least: read.others ?? 0, leastByType: { ...read.byLabel } };
}

export const contradiction = (what: string, hint: string): RobustError =>
  new RobustError(`expected ${what}`, { code: 'DECISION_INVALID', hint });
