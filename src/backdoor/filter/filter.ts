/**
 * @file Filtering: a method scores suspect texts and clean held-out texts alike, and the clean scores set the threshold. Nothing here knows which texts
 * are poisoned.
 */

import type { FilterFinding, Suspect } from '../../core/backdoor-findings.js';
import type { Example } from '../../core/dataset.js';
import { defined } from '../../core/defined.js';
import { UsageError } from '../../core/errors.js';
import { notEvidence } from '../../core/evidence.js';
import { random } from '../../core/random.js';
import { distinctBy, TextCensus, textKey } from '../../core/text-census.js';
import type { FilterInput, FilterMethod } from './method.js';
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
  /** Why the clean texts may be no measure for the suspects. @default none */
  readonly doubts?: readonly string[];
  /** Why nothing that a filter finds here is evidence. @default none */
  readonly void?: readonly string[];
}

export interface FilteredTexts extends Pick<FilterFinding, 'verdict' | 'reasons'> {
  readonly method: string;
  readonly threshold: number;
  readonly calibratedOn: number;
  /** One per suspect text, in their order. */
  readonly scores: Float64Array;
  /** The most suspicious first; equal scores in the texts' order. */
  readonly suspects: readonly Suspect[];
}

/**
 * The suspects of one method. Clean texts set the threshold; without any, the bulk of the suspects does (see `robustThreshold`). Throws UsageError for
 * a method that lacks what it needs.
 */
export async function filterTexts(method: FilterMethod, plan: FilterPlan): Promise<FilteredTexts> {
  const { suspects, seed, otherSource = false, doubts = [], void: nothing = [] } = plan;
  const distinct = distinctBy(plan.clean, ({ text }) => text);
  checkInput(method, { ...plan, clean: distinct });
  const { reference, held } = splitClean(method, distinct);
  const scorer = await method.fit({ ...plan, reference, random: random(seed, 'filter', method.name) });
  const judged = await scorer(suspects);
  const scores = Float64Array.from(judged, ({ score }) => score);
  const clean = Float64Array.from(await scorer(held), ({ score }) => score);
  const threshold = clean.length > 0 ? quantileThreshold(clean, plan.frr) : robustThreshold(scores, plan.frr);
  const over = judged
    .flatMap(({ score, reason, trigger, evidence }, at) => {
      const { id } = suspects[at]!;
      return score > threshold ? [{ id, score, reason, ...defined({ trigger, evidence }) }] : [];
    })
    .sort((a, b) => b.score - a.score);
  return {
    method: method.name,
    threshold,
    ...verdictOf({
      suspects: over,
      scores,
      clean,
      threshold,
      frr: plan.frr,
      judges: method.judges,
      covers: method.covers,
      otherSource,
      doubts: [...doubts, ...sharedTexts(suspects, distinct)],
      void: [
        ...nothing,
        ...notEvidence({ texts: TextCensus.of(suspects.map(({ text }) => text)) }),
        ...notEvidence({ texts: TextCensus.of(plan.clean.map(({ text }) => text)) }).map(
          (why) => `clean texts: ${why}`,
        ),
        ...(method.judges === 'training set' ? otherKind(suspects, distinct, plan.labels, plan.language) : []),
      ],
    }),
    calibratedOn: clean.length,
    scores,
    suspects: clean.length > 0 && !otherSource ? over : over.slice(0, MOST_UNCALIBRATED),
  };
}

/** A threshold set on the suspects themselves is meaningless. */
function sharedTexts(suspects: readonly Example[], clean: readonly Example[]): string[] {
  const known = new Set(suspects.map(({ text }) => textKey(text)));
  const both = clean.filter(({ text }) => known.has(textKey(text))).length;
  return 2 * both > clean.length
    ? [`${both} of the ${clean.length} clean texts are among the suspect ones: they cannot set a threshold for them`]
    : [];
}

/** The clean texts that a method learns from, and those that set its threshold. */
function splitClean({ reference }: FilterMethod, clean: readonly Example[]) {
  if (reference === 'unused') return { reference: [], held: clean };
  return reference === 'left out' ? { reference: clean, held: clean } : halves(clean);
}

/** Every other text of each label. */
function halves(clean: readonly Example[]): { reference: Example[]; held: Example[] } {
  const [reference, held]: [Example[], Example[]] = [[], []];
  const seen = new Map<number, number>();
  for (const example of clean) {
    const before = seen.get(example.label) ?? 0;
    seen.set(example.label, before + 1);
    (before % 2 === 0 ? reference : held).push(example);
  }
  return { reference, held };
}

/** Throws UsageError for a filter that judges by the model to which the texts are sent, without that model. */
export function checkModel({ name, needs }: Pick<FilterMethod, 'name' | 'needs'>, model: unknown): void {
  if (needs === 'texts' || model !== undefined) return;
  throw new UsageError(`${name}: expected --model, the model that the texts are sent to, got none`, {
    code: 'FILTER_NEEDS_MODEL',
    hint: 'Name the model with --model.',
  });
}

function checkInput({ name, needs, reference, judges }: FilterMethod, plan: FilterPlan): void {
  if (plan.suspects.length === 0) {
    throw new UsageError('expected texts to filter, got none', { code: 'FILTER_NO_TEXTS' });
  }
  if (!(plan.frr > 0 && plan.frr < 1)) {
    throw new UsageError(`expected a false rejection rate between 0 and 1, got ${plan.frr}`, { code: 'FILTER_FRR' });
  }
  if (reference === 'needed' && plan.clean.length < 2) {
    throw new UsageError(`${name}: expected at least 2 clean texts to learn from, got ${plan.clean.length}`, {
      code: 'FILTER_NO_CLEAN',
      hint: 'Give it clean texts of the same kind (--clean FILE).',
    });
  }
  const [first] = plan.suspects as readonly [Example];
  if (judges === 'training set' && plan.suspects.every(({ label }) => label === first.label)) {
    throw new UsageError(`${name}: expected texts of at least two labels, got only "${plan.labels[first.label]}"`, {
      code: 'FILTER_ONE_LABEL',
      hint: 'It compares the texts of one label with those of others. For texts of one label use onion or strip.',
    });
  }
  checkModel({ name, needs }, plan.model);
}
