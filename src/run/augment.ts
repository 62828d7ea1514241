/** @file Perturbed copies of a data set, without a model: the attacks search as they do, and chance keeps the score. */
import { setImmediate } from 'node:timers/promises';
import type { Dataset, Example } from '../core/dataset.js';
import type { FillMask } from '../core/fill-mask.js';
import type { EvasionAttack, EvasionPlugin } from '../core/plugin.js';
import { random } from '../core/random.js';
import type { Constraint, Goal } from '../core/search.js';
import type { Target } from '../core/victim.js';

export interface AugmentPlan {
  readonly dataset: Dataset;
  readonly attacks: readonly {
    readonly plugin: EvasionPlugin;
    readonly options: Readonly<Record<string, unknown>>;
    readonly label: string;
    readonly fillMask?: FillMask;
  }[];
  /** Copies of each example by each attack, as far as it has so many rewrites. */
  readonly perExample: number;
  /** The first so many examples; 0 = all. */
  readonly numExamples: number;
  readonly seed: number;
  readonly constraints: readonly Constraint[];
}

export interface Copy {
  /** Of the example it was made from. */
  readonly id: string;
  readonly text: string;
  readonly label: number;
  readonly attack: string;
}

/** Texts a search may look at for one copy: a genetic search would otherwise go on for thousands. */
const LOOKS = 300;
/** Attempts at a copy that is unlike those before. */
const TRIES = 4;
/** Examples that attacks may learn their words from. */
const SAMPLE = 128;

/** Examples after which whatever else waits gets its turn: a signal to stop, above all. */
const TURN = 64;

const anyRewrite: Goal = {
  name: 'any rewrite',
  score: (answer) => answer[0] as number,
  reached: () => false,
};

/** A victim whose answers are drawn: each rewrite is as likely as any to be liked best, and the untouched text the least. */
function drawnTarget(
  plan: Pick<AugmentPlan, 'seed' | 'constraints'>,
  labels: readonly string[],
  ...names: readonly string[]
): Target {
  const stream = random(plan.seed, 'augment', ...names);
  const scores = stream.split('scores');
  const width = Math.max(2, labels.length);
  let left = LOOKS;
  return {
    labels,
    original: new Float32Array(width),
    goal: anyRewrite,
    constraints: plan.constraints,
    random: stream,
    get remaining() {
      return left;
    },
    async classify(texts) {
      if (texts.length > left) throw new RangeError(`expected at most ${left} texts, got ${texts.length}`);
      left -= texts.length;
      return texts.map(() => Float32Array.from({ length: width }, () => 1e-6 + scores.unit()));
    },
  };
}

async function first(dataset: Dataset, count: number): Promise<Example[]> {
  const examples: Example[] = [];
  for await (const example of dataset.examples()) {
    if (examples.length === count) break;
    examples.push(example);
  }
  return examples;
}

/**
 * The copies, in the order of the data, then of the attacks; each differs from its example and from the others made of it.
 * A function of the plan alone.
 */
export async function* augment(plan: AugmentPlan): AsyncGenerator<Copy> {
  const { dataset, perExample, numExamples } = plan;
  const attacks = await prepared(plan);
  let number = 0;
  for await (const example of dataset.examples()) {
    if (numExamples > 0 && number++ === numExamples) return;
    const seen = new Set([example.text]);
    for (const { label, attack } of attacks) {
      let made = 0;
      for (let attempt = 0; made < perExample && attempt < perExample * TRIES; attempt++) {
        const target = drawnTarget(plan, dataset.labels, label, example.id, String(attempt));
        const { text = example.text } = await attack.run(example, target);
        if (seen.has(text)) continue;
        seen.add(text);
        made++;
        yield { id: example.id, text, label: example.label, attack: label };
      }
    }
  }
}

/** One rewrite of each example, as a data set: by an attack drawn for it, or the text itself where that has none. */
export function rewritten(plan: Omit<AugmentPlan, 'perExample' | 'numExamples'>, round: string): Dataset {
  const { dataset, seed } = plan;
  return {
    ...dataset,
    name: `${dataset.name}, rewritten`,
    async *examples() {
      const attacks = await prepared(plan);
      let number = 0;
      for await (const example of dataset.examples()) {
        if (number++ % TURN === 0) await setImmediate();
        const { label, attack } = random(seed, 'augment', round, example.id).pick(attacks);
        const target = drawnTarget(plan, dataset.labels, label, example.id, round);
        const { text = example.text } = await attack.run(example, target);
        yield { ...example, text };
      }
    },
  };
}

/** The attacks, having learnt what they learn from the first examples. */
async function prepared({
  dataset,
  seed,
  attacks: planned,
}: Pick<AugmentPlan, 'dataset' | 'seed' | 'attacks'>): Promise<{ label: string; attack: EvasionAttack }[]> {
  const attacks: { label: string; attack: EvasionAttack }[] = [];
  for (const { plugin, options, label, fillMask } of planned) {
    const attack = plugin.create(options);
    await attack.prepare?.(await first(dataset, SAMPLE), {
      labels: dataset.labels,
      goal: anyRewrite,
      random: random(seed, 'augment', label),
      warn: () => {}, // of what it will make of a victim; there is none
      classify: async (texts) => texts.map(() => new Float32Array(Math.max(2, dataset.labels.length))),
      ...(fillMask === undefined ? {} : { fillMask }),
    });
    attacks.push({ label, attack });
  }
  return attacks;
}
