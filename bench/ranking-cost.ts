/**
 * @file Measures the saving of fewer queries: words ranked by a query of each word alone (`ranking=alone`) instead of the text without it
 * (`unk`), and the rewrites of a word queried one after the other until one succeeds (`in-turn`). Prints the success on the same examples
 * (paired), the queries, and the tokens that the model computes in the whole run, each text once.
 *
 *     npm run bench dist/bench/ranking-cost.js [-- MODEL DATA EXAMPLES] [--replay]      # distilbert reviews 0
 *
 * With `--replay` the last column replays the queries of the first 12 examples, in batches of equal length, through a model of
 * DistilBERT-base's shape with random weights. It gives the processor time of one thread as the median of three rounds, with alternating
 * variants.
 */
import { attacks } from '../attacks/index.js';
import { DataType } from '../packages/onnx/src/graph/data-type.js';
import { random } from '../src/core/random.js';
import { pairedDifference } from '../src/core/statistics/paired.js';
import { english } from '../src/language/english/index.js';
import { loadModel } from '../src/model/load.js';
import { OrtSession } from '../src/model/workers/session.js';
import { untargeted } from '../src/search/goals.js';
import { DISTILBERT_BASE, encoder } from './models.js';
import { rightlyAnswered } from './rightly-answered.js';

const replays = process.argv.includes('--replay');
const given = process.argv.slice(2).filter((each) => each !== '--replay');
const [spec = 'distilbert', data = 'reviews', count = '0'] = given;
const ATTACKS = ['deepwordbug', 'textbugger', 'textfooler'];
const REPLAYED = 12;
const MOST = 16;
const ROUNDS = 3;

const model = await loadModel(spec);
const right = await rightlyAnswered(model, data, Number(count));
const tokens = (text: string): number => model.onnx?.encoder.encode(text).ids.length ?? text.length;

type Options = Readonly<Record<string, string | boolean>>;
const VARIANTS: readonly Options[] = [
  { ranking: 'unk' },
  { ranking: 'unk', inTurn: true },
  { ranking: 'alone' },
  { ranking: 'alone', inTurn: true },
];

interface Ran {
  readonly succeeded: readonly boolean[];
  readonly asked: number;
  /** Tokens of the distinct texts. */
  readonly tokens: number;
  /** Token counts of the distinct texts that the first examples ask. */
  readonly lengths: readonly number[];
}

async function run(name: string, options: Options): Promise<Ran> {
  const plugin = attacks.find((attack) => attack.name === name);
  if (plugin === undefined) throw new Error(`no attack ${name}`);
  const attack = plugin.create(plugin.options.parse(options));
  const seen = new Set<string>();
  const lengths: number[] = [];
  let [asked, computed] = [0, 0];
  const succeeded: boolean[] = [];
  const waiting = [...right.entries()];
  const one = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [at, { example, original }] = next;
      const found = await attack.run(example, {
        labels: model.labels,
        original,
        goal: untargeted,
        language: english,
        constraints: [],
        random: random(42, name, example.id),
        remaining: Number.POSITIVE_INFINITY,
        classify: (rewrites) => {
          asked += rewrites.length;
          for (const text of rewrites) {
            if (seen.has(text)) continue;
            seen.add(text);
            computed += tokens(text);
            if (at < REPLAYED) lengths.push(tokens(text));
          }
          return model.classify(rewrites);
        },
      });
      succeeded[at] = found.succeeded;
    }
  };
  await Promise.all(Array.from({ length: 32 }, one));
  return { succeeded, asked: asked / right.length, tokens: computed, lengths };
}

const base = await OrtSession.open({ source: encoder(DISTILBERT_BASE) });
/** Seconds of processor time for texts of these lengths. */
async function replay(lengths: readonly number[]): Promise<number> {
  const before = process.cpuUsage();
  const sorted = lengths.toSorted((a, b) => a - b);
  for (let from = 0; from < sorted.length; ) {
    let to = from;
    while (to < sorted.length && sorted[to] === sorted[from] && to - from < MOST) to++;
    const dims = [to - from, sorted[from] as number];
    const ones = new BigInt64Array((to - from) * (sorted[from] as number)).fill(1n);
    const feed = { type: DataType.int64, dims, data: ones };
    await base.run(new Map(['input_ids', 'attention_mask'].map((name) => [name, feed])), ['logits']);
    from = to;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number;
console.log(`${spec} on ${data}, ${right.length} texts attacked\n`);
console.log(
  '| attack | variant | succeeded | difference, points | queries | queries, ratio | tokens, ratio | base shape, time ratio |',
);
console.log('|---|---|---|---|---|---|---|---|');
const points = (share: number | null) => (100 * (share ?? 0)).toFixed(1);
for (const name of ATTACKS) {
  const ran: Ran[] = [];
  for (const variant of VARIANTS) ran.push(await run(name, variant));
  const times: number[][] = ran.map(() => []);
  for (let round = 0; replays && round < ROUNDS; round++) {
    for (const [at, { lengths }] of ran.entries()) times[at].push(await replay(lengths));
  }
  const first = ran[0];
  for (const [at, one] of ran.entries()) {
    const tally = (a: boolean, b: boolean) =>
      first.succeeded.filter((won, example) => won === a && one.succeeded[example] === b).length;
    const { value, low, high } = pairedDifference({
      both: tally(true, true),
      onlyA: tally(true, false),
      onlyB: tally(false, true),
      neither: tally(false, false),
    });
    const { ranking, inTurn } = VARIANTS[at];
    const cells = [
      name,
      inTurn ? `${ranking}, in turn` : ranking,
      one.succeeded.filter(Boolean).length,
      at === 0 ? '' : `${points(value)} (${points(low)} to ${points(high)})`,
      one.asked.toFixed(1),
      (one.asked / first.asked).toFixed(2),
      (one.tokens / first.tokens).toFixed(2),
      replays ? (median(times[at]) / median(times[0])).toFixed(2) : '',
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
}
await base.release();
await model.close();
