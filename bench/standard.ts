/**
 * @file The order of the stages of the suite `standard`. Each runs alone on the same examples within the same limits; over all models together,
 * the stage that flips most of the remaining examples per query comes first, and so on.
 *
 *     npm run bench dist/bench/standard.js DATA EXAMPLES MODEL ...
 *
 * The examples are the first ones that a model classifies correctly. Seed 42. White box where the model has gradients.
 */
import { standardCharacters } from '../attacks/standard-characters.js';
import { standardContext } from '../attacks/standard-context.js';
import { standardLayout } from '../attacks/standard-layout.js';
import { standardWords } from '../attacks/standard-words.js';
import { openDataset } from '../datasets/index.js';
import type { Example } from '../src/core/dataset.js';
import { RobustError } from '../src/core/errors.js';
import { predictedLabel } from '../src/core/prediction.js';
import { random } from '../src/core/random.js';
import { type OpenWhiteBox, openWhiteBox } from '../src/gradient/white-box/white-box.js';
import { english } from '../src/language/english/index.js';
import { type LoadedModel, loadModel } from '../src/model/load.js';
import type { EvasionAttack, WhiteBox } from '../src/plugin.js';
import { cascade, type Stage } from '../src/search/cascade.js';
import { untargeted } from '../src/search/goals.js';

/** Searches at a time, so that batches fill. */
const SEARCHES = 32;
const SEED = 42;
const CASCADES = [standardCharacters, standardWords, standardLayout, standardContext];
const print = (line: string) => process.stdout.write(`${line}\n`);

interface Victim {
  readonly name: string;
  readonly model: LoadedModel;
  readonly inside: OpenWhiteBox | undefined;
  readonly examples: readonly Example[];
}

/** One attack on one example. */
interface Trial {
  readonly flipped: boolean;
  readonly queries: number;
}

async function open(name: string, data: string, count: number): Promise<Victim> {
  const model = await loadModel(name);
  const examples: Example[] = [];
  for await (const example of (await openDataset(data, { labels: model.labels })).examples()) {
    const [row] = await model.classify([example.text]);
    if (row !== undefined && predictedLabel(row) === example.label) examples.push(example);
    if (examples.length === count) break;
  }
  const inside = await openWhiteBox(model).catch((error: unknown) => {
    if (error instanceof RobustError) return undefined;
    throw error;
  });
  return { name, model, inside, examples };
}

/** Runs an attack, called `name` among the random streams, on all examples. */
async function trials(name: string, attack: EvasionAttack, { model, inside, examples }: Victim): Promise<Trial[]> {
  const shared = { labels: model.labels, goal: untargeted, language: english };
  const unmetered = {
    classify: (texts: readonly string[]) => model.classify(texts),
    ...(inside && { gradients: inside }),
  };
  await attack.prepare?.(examples, { ...shared, ...unmetered, random: random(SEED, name), warn: () => {} });
  const found: Trial[] = [];
  const waiting = [...examples.entries()];
  const next = async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      const [at, example] = one;
      let queries = 1;
      const [original] = (await model.classify([example.text])) as [Float32Array];
      const { succeeded } = await attack.run(example, {
        ...shared,
        original,
        constraints: [],
        random: random(SEED, name, example.id),
        randomOf: (other) => random(SEED, other, example.id),
        remaining: Number.POSITIVE_INFINITY,
        async classify(texts) {
          queries += texts.length;
          return texts.length === 0 ? [] : model.classify(texts);
        },
        ...(inside && { gradients: countedInside(inside, () => queries++) }),
      });
      found[at] = { flipped: succeeded, queries };
    }
  };
  await Promise.all(Array.from({ length: SEARCHES }, next));
  return found;
}

/** The inside of a model whose gradients are counted. */
const countedInside = (inside: WhiteBox, count: () => void): WhiteBox =>
  new Proxy(inside, {
    get(model, key: keyof WhiteBox) {
      const member = model[key];
      if (typeof member !== 'function') return member;
      return (...given: never[]) => {
        if (key === 'gradient') count();
        return Reflect.apply(member, model, given);
      };
    },
  });

const flippedIn = (tried: readonly Trial[]): number => tried.filter(({ flipped }) => flipped).length;
const queriesOf = (tried: readonly Trial[]): number => tried.reduce((sum, { queries }) => sum + queries, 0);

const runs = ({ attack, detectorsOnly }: Stage, { inside }: Victim): boolean =>
  !detectorsOnly && (attack.needs !== 'gradients' || inside !== undefined);

/** Each stage alone on a victim. */
async function alone(plugin: (typeof CASCADES)[number], victim: Victim): Promise<Map<string, Trial[]>> {
  const parts = plugin.parts();
  const found = new Map<string, Trial[]>();
  for (const stage of parts.stages.filter((each) => runs(each, victim))) {
    const tried = await trials(stage.name, cascade({ ...parts, stages: [stage] }), victim);
    found.set(stage.name, tried);
    print(
      `${victim.name} ${plugin.name} ${stage.name}: flipped ${flippedIn(tried)} of ${tried.length}, ${queriesOf(tried)} queries`,
    );
  }
  return found;
}

/** Trials of each stage on all victims, by the name of the stage. */
function pooled(found: readonly ReadonlyMap<string, readonly Trial[]>[]): Map<string, (Trial | undefined)[]> {
  const names = [...new Set(found.flatMap((each) => [...each.keys()]))];
  const sizes = found.map((each) => Math.max(...[...each.values()].map(({ length }) => length)));
  return new Map(
    names.map((name) => [
      name,
      found.flatMap((each, at) => Array.from({ length: sizes[at] as number }, (_, index) => each.get(name)?.[index])),
    ]),
  );
}

/** Queries of stages in an order, each on the examples that the earlier ones left. */
function costOf(order: readonly string[], stages: ReadonlyMap<string, readonly (Trial | undefined)[]>): number {
  const fallen = new Set<number>();
  let cost = 0;
  for (const name of order) {
    const before = new Set(fallen);
    stages.get(name)?.forEach((trial, at) => {
      if (trial === undefined || before.has(at)) return;
      cost += trial.queries;
      if (trial.flipped) fallen.add(at);
    });
  }
  return cost;
}

/** Greedy: next comes the stage that flips most of the remaining examples per query. */
function printOrder(name: string, stages: ReadonlyMap<string, readonly (Trial | undefined)[]>): void {
  const fallen = new Set<number>();
  const order: string[] = [];
  while (order.length < stages.size) {
    const rates = [...stages].flatMap(([stage, tried]) => {
      if (order.includes(stage)) return [];
      const left = tried.flatMap((trial, at) => (trial === undefined || fallen.has(at) ? [] : [trial]));
      return [{ stage, left, rate: flippedIn(left) / Math.max(1, queriesOf(left)) }];
    });
    const [best] = rates.toSorted((a, b) => b.rate - a.rate || queriesOf(a.left) - queriesOf(b.left));
    if (best === undefined) return;
    order.push(best.stage);
    for (const [at, trial] of (stages.get(best.stage) ?? []).entries()) if (trial?.flipped) fallen.add(at);
    print(
      `${name} ${order.length}. ${best.stage}: flips ${flippedIn(best.left)} of ${best.left.length} left, ` +
        `${queriesOf(best.left)} queries, ${(1000 * best.rate).toFixed(2)} per 1,000`,
    );
  }
  print(
    `${name}: ${costOf(order, stages)} queries in this order, ${costOf([...stages.keys()], stages)} in the present one`,
  );
}

const [data = 'reviews', count = '100', ...models] = process.argv.slice(2).filter((each) => !each.startsWith('--'));
const found = new Map<string, Map<string, Trial[]>[]>();
for (const spec of models.length > 0 ? models : ['bert-mini']) {
  const victim = await open(spec, data, Number(count));
  for (const plugin of CASCADES)
    found.set(plugin.name, [...(found.get(plugin.name) ?? []), await alone(plugin, victim)]);
  await victim.inside?.close();
  await victim.model.close();
}
for (const [name, each] of found) printOrder(name, pooled(each));
