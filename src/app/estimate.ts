/**
 * @file The number of queries of a run, estimated without a query: the attacks are tried on some of the texts against a stand-in whose scores
 * change but whose label never does, so that no search ends early.
 */
import { createHash } from 'node:crypto';
import type { CheckedDataset } from '../../datasets/index.js';
import { attackSettings } from '../config/settings/index.js';
import { TEXTS_PER_REQUEST } from '../core/endpoint.js';
import { RobustError } from '../core/errors.js';
import { quantity } from '../core/figure-text.js';
import type { Rate } from '../core/statistics/rate.js';
import { temporaryFolder } from '../files/temporary-folder.js';
import type { LoadedModel } from '../model/load.js';
import { describedEndpoint } from '../model/opening/describe-endpoint.js';
import { attack, createRun } from '../run/index.js';
import { chooseAttacks } from './attacks/choose-attacks.js';
import { openAttacks } from './attacks/open-attacks.js';
import type { Context } from './context.js';
import { openData } from './data/open-data.js';
import { openLanguage } from './language.js';
import { type AttackChoice, attackList, planOf, runTerms } from './runs/attack-plan.js';
import { useCase } from './use-case.js';
import { dataChoice } from './victim/columns.js';

/** Texts that are tried. */
const SAMPLE_TEXTS = 16;

/** Queries, with a 95 % interval of the mean over the sample. */
interface QueryEstimate extends Omit<Rate, 'n'> {
  /** Texts that were tried. */
  readonly n: number;
}

interface RunEstimate {
  readonly examples: number;
  /** Distinct queries of each attack on all examples if no prediction flips: an upper estimate. */
  readonly attacks: readonly { readonly name: string; readonly queries: QueryEstimate }[];
  /** The unattacked texts and all attacks. */
  readonly queries: QueryEstimate;
  /** Most texts of a request. */
  readonly batch: number;
  /** The least number of requests, of so many texts each. */
  readonly requests: number;
  /** At `price` a text. */
  readonly cost?: number;
}

/** The estimate for `attack` with these options, and its text for people. Throws as `attack` does before a run begins. */
export const estimated = useCase({
  settings: attackSettings,
  async run(choice, context): Promise<[RunEstimate, () => string]> {
    const estimate = await estimateRun(choice, context);
    return [estimate, () => estimateText(estimate)];
  },
});

async function estimateRun(choice: AttackChoice, context: Context): Promise<RunEstimate> {
  const [list, terms] = [attackList(choice), runTerms(choice)];
  const chosen = await chooseAttacks(list.suites ?? [], list.attacks ?? [], list, context.patience);
  const { name, columns, selection } = dataChoice(choice);
  const data = await openData(name, columns, context.data, selection);
  const language = await openLanguage(choice.language, context.patience, async () => data);
  const { dataset, examples } = await sampleOf(data, choice.numExamples);
  const victim = { model: standIn(dataset.labels), dataset, language, defence: undefined };
  const tryable = await openAttacks(chosen, victim, choice.engine, context);
  const root = temporaryFolder('estimate');
  context.opened.defer(root.remove);
  const { runBudget: _, shard: __, ...planned } = terms.planned;
  const tried = { ...terms, planned: { ...planned, numExamples: SAMPLE_TEXTS, force: true } };
  const plan = await planOf(tried, {}, tryable, victim, context.patience);
  const { signal } = context.hooks;
  const report = await attack(plan, await createRun(root.path, plan), signal ? { signal } : {});
  const counts = new Map<string, number[]>(report.attacks.map(({ name }) => [name, []]));
  for await (const { attack: name, queries } of report.examples) counts.get(name)?.push(queries.computed - 1);
  const attacks = [...counts].map(([name, each]) => ({ name, queries: scale(each, examples) }));
  const all = attacks.map(({ queries }) => queries);
  const sum = (of: (one: QueryEstimate) => number | null): number =>
    all.reduce((total, one) => total + (of(one) ?? 0), examples);
  const queries = {
    value: sum((one) => one.value),
    low: sum((one) => one.low),
    high: sum((one) => one.high),
    n: all[0]?.n ?? 0,
  };
  const cost = choice.price === undefined ? {} : { cost: Math.round(choice.price * queries.value * 1e6) / 1e6 };
  const endpoint = await describedEndpoint(choice.model);
  const batch = endpoint?.settings.batch ?? TEXTS_PER_REQUEST;
  return { examples, attacks, queries, batch, requests: Math.ceil(queries.value / batch), ...cost };
}

/** Some of the texts, all with the label that the stand-in answers; and how many there are. */
async function sampleOf(data: CheckedDataset, wanted: number): Promise<{ dataset: CheckedDataset; examples: number }> {
  let examples = 0;
  const sample: object[] = [];
  for await (const example of data.examples()) {
    if (sample.length < SAMPLE_TEXTS) sample.push({ ...example, label: 0 });
    if (++examples === wanted) break;
  }
  if (examples === 0)
    throw new RobustError(`expected examples in ${data.name}, got none`, { code: 'EXAMPLES_TOO_FEW' });
  const dataset = {
    ...data,
    size: sample.length,
    async *examples() {
      yield* sample as never[];
    },
  };
  return { dataset, examples };
}

/** Answers the first label, more or less surely, by the hash of the text. */
function standIn(labels: readonly string[]): LoadedModel {
  const row = (text: string): Float32Array => {
    const sure = 0.6 + (0.35 * createHash('sha256').update(text).digest().readUInt32LE()) / 2 ** 32;
    return Float32Array.from(labels, (_, at) => (at === 0 ? sure : (1 - sure) / (labels.length - 1)));
  };
  const none = { computed: 0, batches: 0, meanBatch: 0, paddingWaste: 0, secondsBusy: 0, workers: 0, truncated: 0 };
  return {
    name: 'a stand-in that nothing turns',
    labels,
    sha256: '0'.repeat(64),
    paths: [],
    maximumTokens: Number.POSITIVE_INFINITY,
    classify: async (texts) => texts.map(row),
    figures: () => ({ ...none, secondsProcessor: undefined }),
    close: async () => {},
  };
}

/** The total over `all`, estimated from the counts of some. */
function scale(counts: readonly number[], all: number): QueryEstimate {
  const n = counts.length;
  const mean = counts.reduce((sum, each) => sum + each, 0) / Math.max(1, n);
  const variance = counts.reduce((sum, each) => sum + (each - mean) ** 2, 0) / Math.max(1, n - 1);
  // Where the sample is all there is, nothing is estimated.
  const half = n >= all ? 0 : 1.96 * Math.sqrt(variance / Math.max(1, n));
  const of = (each: number): number => Math.round(Math.max(0, each) * all);
  return { value: of(mean), low: of(mean - half), high: of(mean + half), n };
}

/** The estimate for people. */
function estimateText({ examples, attacks, queries, batch, requests, cost }: RunEstimate): string {
  const between = ({ value, low, high }: QueryEstimate): string => `${value} (${low} to ${high})`;
  const lines = attacks.map(({ name, queries: each }) => `  ${name}: ${between(each)}`);
  return [
    `Dry run: no query was sent. ${quantity(examples, 'text')}, and as many queries for their unedited form; at most about`,
    ...lines,
    `more if no rewrite flips a prediction: ${between(queries)} queries in all, ${quantity(requests, 'request')} of ${quantity(batch, 'text')}${cost === undefined ? '' : `, cost ${cost}`}.`,
    `By ${queries.n} of the texts, with 95 % intervals; successful attacks stop early and need fewer queries.\n`,
  ].join('\n');
}
