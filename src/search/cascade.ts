/** @file Attacks one after the other on each example until one succeeds: the worst case of all of them within common limits. */
import { isDetector } from '../core/decision.js';
import { wordsChanged, wordsOf } from '../core/draft.js';
import { missingParts } from '../core/language.js';
import type { Attempt } from '../core/outcome.js';
import type { EvasionAttack } from '../core/plugin.js';
import type { Constraint } from '../core/search.js';
import { applyEdits } from '../core/text-edit.js';
import type { MeteredVictim } from '../core/victim.js';
import { editsBetween, minimise } from './minimise.js';

export interface Stage {
  /** Unique in the cascade: an attack's name, or its name and options. */
  readonly name: string;
  readonly attack: EvasionAttack;
  /** Runs only on detectors, such as those of spam or of injected prompts. @default runs on every victim */
  readonly detectorsOnly?: true;
}

export interface Cascade {
  /** With its version, since another version finds other texts. */
  readonly name: string;
  /** Cheap stages first. */
  readonly stages: readonly Stage[];
  /** Constraints that bind every stage. */
  readonly limits: readonly Constraint[];
}

/**
 * An attack that runs its stages in order, each with a random stream of its own, until one succeeds, and then takes back every edit that the
 * success does not need. An outcome's `details.stage` names the stage. All stages share the query budget. A stage is skipped if the
 * language of the texts lacks what it needs.
 */
export function cascade({ name, stages, limits }: Cascade): EvasionAttack {
  const learning = stages.filter(({ attack }) => attack.prepare !== undefined);
  return {
    constraints: [name, ...limits.map((limit) => limit.name)],
    ...(learning.length > 0 && {
      async prepare(sample, victim) {
        for (const { attack } of learning) await attack.prepare?.(sample, victim);
      },
    }),
    async run(example, target) {
      const attempts: Attempt[] = [];
      for (const stage of stages) {
        if (target.remaining <= 0) break;
        if (!canRun(stage, target)) continue;
        const attempt = await stage.attack.run(example, targetOfStage(target, stage.name, limits));
        if (attempt.succeeded) {
          const { text = example.text } = attempt;
          return { ...(await withFewerEdits(example, { ...attempt, text }, target)), details: { stage: stage.name } };
        }
        attempts.push(attempt);
      }
      return strongest(attempts, (row) => target.goal.score(row, example.label)) ?? nothingRan(example, target);
    },
  };
}

const canRun = ({ attack, detectorsOnly }: Stage, { decision, language }: MeteredVictim): boolean =>
  missingParts(language, attack.language) === undefined &&
  !(detectorsOnly && (decision === undefined || !isDetector(decision)));

/** The same victim and meter, with the limits and the random stream of a stage. */
const targetOfStage = (target: MeteredVictim, stage: string, limits: readonly Constraint[]): MeteredVictim => ({
  ...target,
  get remaining() {
    return target.remaining;
  },
  constraints: [...target.constraints, ...limits],
  random: target.random.split(stage),
});

/** A success without the edits that it does not need. */
async function withFewerEdits(
  { text, label }: Parameters<EvasionAttack['run']>[0],
  attempt: Attempt & { readonly text: string },
  target: MeteredVictim,
): Promise<Attempt> {
  const judged = (probabilities: Float32Array) => ({
    probabilities,
    score: target.goal.score(probabilities, label),
    reached: target.goal.reached(probabilities, label),
  });
  const edits = editsBetween(text, attempt.text, target.language);
  const least = await minimise(text, edits, judged(attempt.probabilities), async (texts) =>
    texts.length > target.remaining ? undefined : (await target.classify(texts)).map(judged),
  );
  if (least.edits.length === edits.length) return attempt;
  const fewer = applyEdits(text, least.edits);
  return {
    ...attempt,
    text: fewer,
    probabilities: least.found.probabilities,
    changed: Math.min(attempt.changed, wordsChanged(text, fewer)),
  };
}

/** The failed attempt that came closest, with the reach of all of them. */
function strongest(attempts: readonly Attempt[], score: (row: Float32Array) => number): Attempt | undefined {
  const [best] = attempts.toSorted((a, b) => score(b.probabilities) - score(a.probabilities));
  if (best === undefined) return undefined;
  const { reason, reach: _, ...closest } = best;
  const reaches = attempts.flatMap(({ reach }) => reach ?? []);
  return {
    ...closest,
    ...(reaches.length === attempts.length && { reach: Math.max(...reaches) }),
    ...(reason !== undefined && attempts.every((attempt) => attempt.reason !== undefined) && { reason }),
  };
}

const nothingRan = ({ text }: { readonly text: string }, { original }: MeteredVictim): Attempt => ({
  succeeded: false,
  text,
  probabilities: original,
  words: wordsOf(text).length,
  changed: 0,
  reason: 'no stage runs on these texts',
});
