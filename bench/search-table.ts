/**
 * @file Ranking x search, as the search benchmark of Yoo et al. 2020 (https://aclanthology.org/2020.blackboxnlp-1.30): the success rate and
 * the queries of each search over the same rewrites and constraints. Prints a Markdown table.
 *
 *     npm run bench dist/bench/search-table.js [journal.jsonl] [data.tsv] [examples]
 *
 * Rows that the journal holds are not run again; each is appended the moment it is known. A gradient counts as one text, as
 * everywhere here; its time is about that of two. The weighted saliency and the populations ask their probes too.
 */

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { presetConstraints } from '../src/constraints/presets.js';
import { random } from '../src/core/random.js';
import { wilson } from '../src/core/statistics/stats.js';
import { openWhiteBox } from '../src/gradient/white-box/white-box.js';
import { english } from '../src/language/english/index.js';
import { swapLemmas } from '../src/language/synonym-swaps.js';
import { loadModel } from '../src/model/load.js';
import {
  beam,
  byDeletion,
  byGradient,
  byWeightedSaliency,
  compose,
  genetic,
  greedy,
  keepStopWords,
  noRepeat,
  type SearchMethod,
  swapSynonyms,
  swarm,
  type WhiteBox,
} from '../src/plugin.js';
import { untargeted } from '../src/search/goals.js';
import { atRandom, byGradientInput, byUnknown } from '../src/search/ranking.js';
import { rightlyAnswered } from './rightly-answered.js';

const [journal = 'search-table.jsonl', data = '../shared/data/sst2/dev.tsv', count = '100'] = process.argv.slice(2);

const SEARCHES: Readonly<Record<string, SearchMethod>> = {
  'greedy, all words (b = 1)': beam(1),
  'beam, b = 4': beam(4),
  'beam, b = 8': beam(8),
  'WIR unknown': greedy(byUnknown()),
  'WIR delete': greedy(byDeletion),
  'WIR weighted saliency': greedy(byWeightedSaliency()),
  'WIR gradient, L1 norm': greedy(byGradient),
  'WIR gradient x input': greedy(byGradientInput),
  'WIR random': greedy(atRandom),
  'genetic, 60 x 20': genetic({ population: 60, generations: 20 }),
  'particle swarm, 60 x 20': swarm({ population: 60, rounds: 20 }),
};

const recipe = [noRepeat, keepStopWords];
/** The substitutes of a word, and their constraints. */
const SPACES = {
  default: { transformation: swapSynonyms(), constraints: presetConstraints('default', recipe) },
  textattack: { transformation: swapLemmas, constraints: presetConstraints('textattack', recipe) },
} as const;
type Space = keyof typeof SPACES;

interface Row {
  readonly search: string;
  readonly space: Space;
  readonly attacked: number;
  /** Queries of each text attacked, those of successes first. */
  readonly won: readonly number[];
  readonly lost: readonly number[];
  readonly changed: number;
}

const model = await loadModel('distilbert');
const inside = await openWhiteBox(model, { engine: 'onnx' });
const right = await rightlyAnswered(model, data, Number(count));

async function run(name: string, space: Space): Promise<Row> {
  const search = SEARCHES[name] as SearchMethod;
  const attack = compose({ ...SPACES[space], search });
  const [won, lost]: [number[], number[]] = [[], []];
  let changed = 0;
  const waiting = [...right];
  const one = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { example, original } = next;
      let asked = 1;
      const gradients: WhiteBox = {
        labels: inside.labels,
        hidden: inside.hidden,
        loss: inside.loss,
        classify: (rewrites) => inside.classify(rewrites),
        classifyEmbeddings: (batch, tokens) => inside.classifyEmbeddings(batch, tokens),
        gradientAt: (at, tokens, label) => inside.gradientAt(at, tokens, label),
        embeddingTable: () => inside.embeddingTable(),
        tokenText: (id) => inside.tokenText(id),
        gradient: (text, label) => {
          asked++;
          return inside.gradient(text, label);
        },
      };
      const found = await attack.run(example, {
        labels: model.labels,
        original,
        goal: untargeted,
        language: english,
        constraints: [],
        random: random(42, name, space, example.id),
        remaining: Number.POSITIVE_INFINITY,
        gradients,
        classify: (rewrites) => {
          asked += rewrites.length;
          return model.classify(rewrites);
        },
      });
      (found.succeeded ? won : lost).push(asked);
      if (found.succeeded) changed += found.changed / found.words;
    }
  };
  await Promise.all(Array.from({ length: 32 }, one));
  return { search: name, space, attacked: right.length, won, lost, changed: changed / Math.max(1, won.length) };
}

const rows: Row[] = existsSync(journal)
  ? readFileSync(journal, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Row)
  : [];
const known = (search: string, space: Space) => rows.find((row) => row.search === search && row.space === space);
for (const space of Object.keys(SPACES) as Space[]) {
  for (const search of Object.keys(SEARCHES)) {
    if (known(search, space) !== undefined) continue;
    const row = await run(search, space);
    rows.push(row);
    appendFileSync(journal, `${JSON.stringify(row)}\n`);
    console.error(`${space} ${search}: ${row.won.length} of ${row.attacked}`);
  }
}
await inside.close();
await model.close();

const mean = (of: readonly number[]) => of.reduce((sum, each) => sum + each, 0) / Math.max(1, of.length);
const percent = (share: number | null) => (100 * (share ?? 0)).toFixed(1);
function cells(search: string, space: Space): string[] {
  const row = known(search, space) as Row;
  const { value, low, high } = wilson(row.won.length, row.attacked);
  const deletion = known('WIR delete', space) as Row;
  const all = mean([...row.won, ...row.lost]);
  return [
    `${percent(value)} (${percent(low)}-${percent(high)})`,
    all.toFixed(1),
    mean(row.won).toFixed(1),
    percent(row.changed),
    (all / mean([...deletion.won, ...deletion.lost])).toFixed(2),
  ];
}
for (const space of Object.keys(SPACES) as Space[]) {
  const { transformation, constraints } = SPACES[space];
  console.log(`\n**${space}**: ${transformation.name}; ${constraints.map(({ name }) => name).join('; ')}\n`);
  console.log('| search | success rate % | queries, all | queries, successes | words changed % | over WIR delete |');
  console.log('|---|---|---|---|---|---|');
  for (const search of Object.keys(SEARCHES)) console.log(`| ${[search, ...cells(search, space)].join(' | ')} |`);
}
