/** @file Perturbed copies of a data set: the attacks search as they do, and chance keeps the score. */
import { setImmediate } from 'node:timers/promises';
import type { Dataset, Example } from '../core/dataset.js';
import { defined } from '../core/defined.js';
import { wordsOf } from '../core/draft.js';
import type { FillMask } from '../core/fill-mask.js';
import type { Language } from '../core/language.js';
import { NO_TIME_LIMIT, type TimeLimit, withinIdleTime, withinTime } from '../core/patience.js';
import type { EvasionAttack } from '../core/plugin.js';
import { random } from '../core/random.js';
import type { Constraint, Goal } from '../core/search.js';
import { type SearchQueries, searchQueries } from '../core/tags/carried.js';
import { chunks, collect, take } from '../core/take.js';
import type { MeteredVictim, Victim } from '../core/victim.js';
import type { EvasionPlugin } from '../results/attack-plugin.js';
import { entityConstraints, QueryMeter, withMeter } from './metered-victim.js';
import { bindingConstraints } from './plan.js';
import { attackTimedOut } from './search.js';

export interface AugmentPlan {
  readonly dataset: Dataset;
  readonly attacks: readonly {
    readonly plugin: EvasionPlugin;
    readonly options: Readonly<Record<string, unknown>>;
    readonly label: string;
    readonly fillMask?: FillMask;
    /** As of a PlannedAttack. */
    readonly patience?: TimeLimit;
  }[];
  /** Copies of each example by each attack, if it has enough rewrites. */
  readonly perExample: number;
  /** Number of examples from the first on; 0 = all. */
  readonly numExamples: number;
  readonly seed: number;
  readonly constraints: readonly Constraint[];
  /** The language of the texts. */
  readonly language: Language;
}

/** With the id, the label and the other text of the example that it was made from. */
export interface RewrittenExample extends Example {
  readonly attack: string;
}

/** Texts a search may look at for one copy: a genetic search would otherwise go on for thousands. */
const MAX_TEXTS_PER_COPY = 300;
/** Attempts at a copy that is unlike those before. */
const ATTEMPTS_PER_COPY = 4;
/** Examples that attacks may learn their words from. */
const SAMPLE_EXAMPLES = 128;

/** Examples rewritten at once, for a model to answer in full batches; after them whatever else waits gets its turn. */
const EXAMPLES_AT_ONCE = 64;

/** Prefers whatever the drawn victim answers more strongly. */
const byChance: Goal = { name: 'any rewrite', score: (answer) => answer[0]!, reached: () => false };

/** Calls before the first that edits: most searches rank the words first. */
const RANKING_CALLS = 1;

/** An attack that has learnt what it learns. */
interface PreparedAttack {
  readonly label: string;
  /** The constraints of the plan that bind it. */
  readonly constraints: readonly Constraint[];
  readonly plugin: EvasionPlugin;
  readonly attack: EvasionAttack;
  readonly patience?: TimeLimit;
}

type SearchPlan = Pick<AugmentPlan, 'seed' | 'constraints' | 'language'>;

/** The victim of one search, and what counts its questions. */
interface MeteredSearch {
  readonly meter: QueryMeter;
  readonly victim: MeteredVictim;
  /** Where the entities of the example lie in its rewrites. */
  readonly queries: SearchQueries;
}

/**
 * A victim with random answers. Every rewrite in a call is equally likely to score best, later calls score better than earlier ones, and
 * after a random number of calls the search succeeds. An attack that edits word after word thus makes any permitted number of edits with
 * equal probability.
 */
function drawnTarget(
  plan: SearchPlan,
  labels: readonly string[],
  example: Example,
  ...names: readonly string[]
): MeteredSearch {
  const { text } = example;
  const queries = searchQueries(example);
  const stream = random(plan.seed, 'augment', ...names);
  const scores = stream.split('scores');
  const width = Math.max(2, labels.length);
  const enough = RANKING_CALLS + 1 + scores.int(Math.max(1, wordsOf(text).length));
  let calls = 0;
  /** Below 1, and higher in each later call. */
  const liking = (): number => 1 - 1 / (calls + 1 + scores.unit());
  const meter = new QueryMeter(text, MAX_TEXTS_PER_COPY + 1);
  const victim = withMeter(meter, {
    labels,
    original: new Float32Array(width),
    goal: { ...byChance, reached: () => calls >= enough },
    constraints: plan.constraints,
    language: plan.language,
    random: stream,
    async classify(texts) {
      calls++;
      return texts.map(() => Float32Array.from({ length: width }, liking));
    },
    ...defined({ carry: queries.carry }),
  });
  return { meter, victim, queries };
}

/** The example as the attack rewrites it. Throws RobustError PLUGIN_UNREACHABLE if it neither queries nor ends. */
async function rewriteBy(
  { label, attack, patience = NO_TIME_LIMIT }: PreparedAttack,
  example: Example,
  { meter, victim, queries }: MeteredSearch,
): Promise<Example> {
  const run = () => attack.run(example, victim);
  const late = () => attackTimedOut(label, patience);
  const { text = example.text } = await withinIdleTime(patience, meter.idle, label, run, late);
  return { ...example, text, ...queries.examplesOf(text) };
}

/**
 * The copies, in the order of the data, then of the attacks; each differs from its example and from the others made of it.
 * A function of the plan alone.
 */
export async function* augment(plan: AugmentPlan): AsyncGenerator<RewrittenExample> {
  const { dataset, perExample, numExamples } = plan;
  const attacks = await prepareSearches(plan);
  for await (const example of take(dataset.examples(), numExamples)) {
    const seen = new Set([example.text]);
    for (const each of attacks) {
      const { label, constraints } = each;
      let made = 0;
      for (let attempt = 0; made < perExample && attempt < perExample * ATTEMPTS_PER_COPY; attempt++) {
        const target = drawnTarget(
          { ...plan, constraints: [...constraints, ...entityConstraints(example, undefined, each.plugin)] },
          dataset.labels,
          example,
          label,
          example.id,
          String(attempt),
        );
        const copy = await rewriteBy(each, example, target);
        if (seen.has(copy.text)) continue;
        seen.add(copy.text);
        made++;
        yield { ...copy, attack: label };
      }
    }
  }
}

/** A data set with one rewrite of each example, by an attack drawn for it, or the text itself if the attack has no rewrite. */
export function rewriteExamples(plan: Omit<AugmentPlan, 'perExample' | 'numExamples'>, round: string): Dataset {
  const { dataset, seed } = plan;
  return {
    ...dataset,
    name: `${dataset.name}, rewritten`,
    async *examples() {
      const attacks = await prepareSearches(plan);
      const rewrite = async (example: Example): Promise<Example> => {
        const picked = random(seed, 'augment', round, example.id).pick(attacks);
        const entities = entityConstraints(example, undefined, picked.plugin);
        const search = { ...plan, constraints: [...picked.constraints, ...entities] };
        const target = drawnTarget(search, dataset.labels, example, picked.label, example.id, round);
        return rewriteBy(picked, example, target);
      };
      for await (const turn of chunks(dataset.examples(), EXAMPLES_AT_ONCE)) {
        await setImmediate();
        yield* await Promise.all(turn.map(rewrite));
      }
    },
  };
}

/** The attacks, having learnt what they learn from the first examples. */
async function prepareSearches({
  dataset,
  seed,
  attacks: planned,
  constraints,
  language,
}: Pick<AugmentPlan, 'dataset' | 'seed' | 'attacks' | 'constraints' | 'language'>): Promise<PreparedAttack[]> {
  const attacks: PreparedAttack[] = [];
  for (const { plugin, options, label, fillMask, patience = NO_TIME_LIMIT } of planned) {
    const attack = plugin.create(options);
    const sample = await collect(take(dataset.examples(), SAMPLE_EXAMPLES));
    const victim: Victim = {
      labels: dataset.labels,
      goal: byChance,
      language,
      random: random(seed, 'augment', label),
      warn: () => {}, // its warnings are about the victim, and there is no victim
      classify: async (texts) => texts.map(() => new Float32Array(Math.max(2, dataset.labels.length))),
      fillMask,
    };
    const prepare = () => attack.prepare?.(sample, victim);
    await withinTime(patience, label, prepare, () => attackTimedOut(label, patience));
    attacks.push({ label, plugin, attack, constraints: bindingConstraints(constraints, options), patience });
  }
  return attacks;
}
