/** @file Attacks one after the other on each example until one succeeds: the worst case of all of them within common limits. */
import type { Example } from '../core/dataset.js';
import { wordsChanged, wordsOf } from '../core/draft.js';
import { must } from '../core/errors.js';
import type { Attempt } from '../core/outcome.js';
import type { EvasionAttack } from '../core/plugin.js';
import { RecentMap } from '../core/recent-map.js';
import type { Constraint } from '../core/search.js';
import { applyEdits } from '../core/text-edit.js';
import type { MeteredVictim, Victim } from '../core/victim.js';
import { minimise, withArticles } from './minimise.js';

export interface Stage {
  /** Unique in the cascade: an attack's name, or its name and options. */
  readonly name: string;
  readonly attack: EvasionAttack;
  /** Runs only on detectors, such as spam filters. @default runs on every victim */
  readonly detectorsOnly?: true;
}

export interface Cascade {
  /** The attack's. */
  readonly name: string;
  /** Other stages or limits make another version, which finds other texts. */
  readonly version: string;
  /** Cheap stages first. */
  readonly stages: readonly Stage[];
  /** Constraints that bind every stage. */
  readonly limits: readonly Constraint[];
}

/**
 * An attack that runs its stages in order until one succeeds, and then takes back every edit that the success does not need. A stage draws
 * what its attack draws alone with the same seed, so the cascade flips every example that one of them flips alone. A text that an earlier
 * stage queried costs no second query.
 *
 * An outcome's `details.stage` names the stage that succeeded. All stages share the query budget; `details.budgetEndedAt` names the stage
 * of a failed example at which it ended. A stage that the victim does not allow is skipped with a warning.
 */
export function cascade({ name, version, stages, limits }: Cascade): EvasionAttack {
  const language = [...new Set(stages.flatMap(({ attack }) => attack.language ?? []))];
  return {
    constraints: [version, ...limits.map((limit) => limit.name)],
    ...(language.length > 0 && { language }),
    ...(stages.some(needsGradients) && { uses: 'gradients' }),
    async prepare(sample, victim) {
      for (const line of skippedLines(stages, victim)) victim.warn(`${name}: ${line}`);
      for (const { attack } of stages.filter((stage) => whySkipped(stage, victim) === undefined))
        await attack.prepare?.(sample, victim);
    },
    async run(example, given) {
      const target = withMemory(example.text, given);
      const attempts: Attempt[] = [];
      let endedAt: string | undefined;
      for (const stage of stages) {
        if (whySkipped(stage, target) !== undefined) continue;
        const attempt = await stage.attack.run(example, targetOfStage(target, stage.name, limits));
        if (attempt.succeeded) {
          const { text = example.text } = attempt;
          return { ...(await withFewerEdits(example, { ...attempt, text }, target)), details: { stage: stage.name } };
        }
        attempts.push(attempt);
        if (target.remaining > 0) continue;
        endedAt = stage.name;
        break;
      }
      const closest = closestAttempt(attempts, (row) => target.goal.score(row, example.label));
      if (closest === undefined) return nothingRan(example, target);
      return endedAt === undefined ? closest : { ...closest, details: { budgetEndedAt: endedAt } };
    },
  };
}

const needsGradients = ({ attack }: Stage): boolean => attack.needs === 'gradients';

/** Why a stage does not run on a victim; undefined if it runs. */
function whySkipped(stage: Stage, { decision, gradients }: Pick<Victim, 'decision' | 'gradients'>): string | undefined {
  if (needsGradients(stage) && gradients === undefined) return 'needs gradients, which the victim does not give';
  const detects = decision?.isPositive !== undefined;
  return stage.detectorsOnly && !detects ? 'for detectors only' : undefined;
}

/** One line for each reason. */
function skippedLines(stages: readonly Stage[], victim: Victim): string[] {
  const reasons = [...new Set(stages.flatMap((stage) => whySkipped(stage, victim) ?? []))];
  return reasons.map((reason) => {
    const names = stages.flatMap((stage) => (whySkipped(stage, victim) === reason ? [stage.name] : []));
    return `skipped ${names.join(', ')} (${reason})`;
  });
}

/** Bounds on the answers that are remembered for one example. */
const REMEMBERED = { entries: 10_000, characters: 1 << 22 };

/** The victim with a memory: a text that was queried recently, or is queried twice at once, costs one query. */
function withMemory(text: string, target: MeteredVictim): MeteredVictim {
  const known = new RecentMap<Float32Array>(REMEMBERED.entries, REMEMBERED.characters);
  known.set(text, target.original);
  return {
    ...target,
    get remaining() {
      return target.remaining;
    },
    async classify(texts) {
      const answers = new Map<string, Float32Array>();
      for (const each of texts) {
        const answer = known.get(each);
        if (answer !== undefined) answers.set(each, answer);
      }
      const fresh = [...new Set(texts.filter((each) => !answers.has(each)))];
      const rows = fresh.length === 0 ? [] : await target.classify(fresh);
      for (const [at, each] of fresh.entries()) {
        answers.set(each, must(rows[at]));
        known.set(each, must(rows[at]));
      }
      return texts.map((each) => must(answers.get(each)));
    },
  };
}

/** The same victim and meter, with the limits and the random stream of a stage. */
const targetOfStage = (target: MeteredVictim, stage: string, limits: readonly Constraint[]): MeteredVictim => ({
  ...target,
  get remaining() {
    return target.remaining;
  },
  constraints: [...target.constraints, ...limits],
  random: target.randomOf?.(stage) ?? target.random.split(stage),
});

/** A success without the edits that it does not need. */
async function withFewerEdits(
  { text, label }: Parameters<EvasionAttack['run']>[0],
  attempt: Attempt & { readonly text: string },
  target: MeteredVictim,
): Promise<Attempt> {
  const judge = (probabilities: Float32Array) => ({
    probabilities,
    score: target.goal.score(probabilities, label),
    reached: target.goal.reached(probabilities, label),
  });
  const edits = withArticles(text, attempt.edits ?? [], target.language);
  const least = await minimise(text, edits, judge(attempt.probabilities), async (texts) =>
    texts.length > target.remaining ? undefined : (await target.classify(texts)).map(judge),
  );
  if (least.edits.length === edits.length) return attempt;
  const fewer = applyEdits(text, least.edits);
  return {
    ...attempt,
    text: fewer,
    edits: least.edits,
    probabilities: least.found.probabilities,
    changed: Math.min(attempt.changed, wordsChanged(text, fewer)),
  };
}

/** The failed attempt that came closest, with the reach of all of them. */
function closestAttempt(attempts: readonly Attempt[], score: (row: Float32Array) => number): Attempt | undefined {
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

const nothingRan = ({ text }: Pick<Example, 'text'>, { original }: MeteredVictim): Attempt => ({
  succeeded: false,
  text,
  probabilities: original,
  words: wordsOf(text).length,
  changed: 0,
  reason: 'no stage runs on this victim',
});
