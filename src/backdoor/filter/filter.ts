/** @file Filtering: suspect texts and clean held-out texts are scored alike, and the clean scores set the threshold. Nothing here knows which texts are poisoned. */
import type { Example } from '../../core/dataset.js';
import { must, RobustError } from '../../core/errors.js';
import { random } from '../../core/random.js';
import type { FilterFinding, Suspect } from '../../results/backdoor/backdoor-findings.js';
import { distinctBy, TextCensus, textKey } from '../../results/clean/text-census.js';
import { notEvidence } from '../../results/report/evidence.js';
import { auto } from './auto.js';
import { type TriggerGroup, triggerGroups } from './groups.js';
import type { FilterInput, TextJudge } from './method.js';
import { otherKind } from './same-kind.js';
import { quantileThreshold, robustThreshold } from './threshold.js';
import { verdictOf } from './verdict.js';

/** Suspects listed where no clean texts of the same source set the threshold: their order is worth reading, their number says nothing. */
const MOST_UNCALIBRATED = 100;

export interface FilterPlan extends Omit<FilterInput, 'reference' | 'random'> {
  /** Clean held-out texts; may be empty. */
  readonly clean: readonly Example[];
  /** The share of clean texts that may be suspected, in (0, 1). */
  readonly frr: number;
  readonly seed: number;
  /** The clean texts come from another source of the same domain: their scores may differ from those of clean suspects. @default false */
  readonly otherSource?: boolean;
}

export interface FilteredTexts extends Pick<FilterFinding, 'verdict' | 'reasons' | 'groups'> {
  readonly threshold: number;
  readonly calibratedOn: number;
  /** One per suspect text, in their order. */
  readonly scores: Float64Array;
  /** The most suspicious first; equal scores in the texts' order. */
  readonly suspects: readonly Suspect[];
}

/**
 * The suspects. Clean texts set the threshold; without any, the bulk of the suspects does (see `robustThreshold`). Throws RobustError for texts that
 * cannot be filtered. `judge`: who scores the texts.
 */
export function filterTexts(plan: FilterPlan, judge: TextJudge = auto): FilteredTexts {
  const { suspects, labels, language, frr, seed, otherSource = false } = plan;
  const distinct = distinctBy(plan.clean, ({ text }) => text);
  checkInput(plan);
  const material = { suspects, reference: distinct, labels, language, random: random(seed, 'filter', 'auto') };
  const judged = judge(material);
  const groups = triggerGroups(material, !otherSource);
  const groupOf = new Map(groups.toReversed().flatMap((group) => group.rows.map((row) => [row, group] as const)));
  const all = Float64Array.from(judged, ({ score }) => score);
  const [scores, clean] = [all.slice(0, suspects.length), all.slice(suspects.length)];
  const threshold = clean.length > 0 ? quantileThreshold(clean, frr) : robustThreshold(scores, frr);
  // The texts of a group that is evidence are suspects, whatever their scores.
  const over = suspects
    .flatMap(({ id }, at): Suspect[] => {
      const { score, reason, trigger } = must(judged[at]);
      const group = groupOf.get(at);
      if (group !== undefined)
        return [{ id, score, reason: reasonOf(group, distinct, labels), trigger: group.trigger, p: group.p }];
      return score > threshold ? [{ id, score, reason, trigger }] : [];
    })
    .sort((a, b) => Number(b.p !== undefined) - Number(a.p !== undefined) || b.score - a.score);
  return {
    threshold,
    ...verdictOf({
      suspects: over,
      groups,
      scores,
      clean,
      threshold,
      frr,
      otherSource,
      doubts: sharedTexts(suspects, distinct),
      void: [
        ...notEvidence({ texts: TextCensus.of(suspects.map(({ text }) => text)) }),
        ...notEvidence({ texts: TextCensus.of(plan.clean.map(({ text }) => text)) }).map(
          (why) => `clean texts: ${why}`,
        ),
        ...otherKind(suspects, distinct, labels, language),
      ],
    }),
    groups: groups.map(({ trigger, label, rows, clean, p }) => ({
      trigger,
      label: must(labels[label]),
      texts: rows.length,
      clean,
      p,
    })),
    calibratedOn: clean.length,
    scores,
    suspects: clean.length > 0 && !otherSource ? over : over.slice(0, MOST_UNCALIBRATED),
  };
}

const reasonOf = (
  { trigger, label, rows, clean, p }: TriggerGroup,
  reference: readonly Example[],
  labels: readonly string[],
): string =>
  `${trigger} in ${rows.length} texts labelled ${labels[label]} and in ${clean} of ${reference.filter((each) => each.label === label).length} clean ones; by chance with p = ${p.toPrecision(2)}`;

/** A threshold set on the suspects themselves is meaningless. */
function sharedTexts(suspects: readonly Example[], clean: readonly Example[]): string[] {
  const known = new Set(suspects.map(({ text }) => textKey(text)));
  const both = clean.filter(({ text }) => known.has(textKey(text))).length;
  return 2 * both > clean.length
    ? [`${both} of the ${clean.length} clean texts are among the suspect ones: they cannot set a threshold for them`]
    : [];
}

function checkInput({ suspects, labels, frr }: FilterPlan): void {
  const [first] = suspects;
  if (first === undefined) throw new RobustError('expected texts to filter, got none', { code: 'EXAMPLES_TOO_FEW' });
  if (!(frr > 0 && frr < 1)) {
    throw new RobustError(`expected a false rejection rate between 0 and 1, got ${frr}`, { code: 'OPTION_INVALID' });
  }
  if (suspects.every(({ label }) => label === first.label))
    throw new RobustError(`expected texts of at least two labels, got only "${labels[first.label]}"`, {
      code: 'LABELS_TOO_FEW',
      hint: 'The texts of one label are compared with those of others.',
    });
}
