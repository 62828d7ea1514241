/**
 * @file What a robust.config file may say. The published schema (schemas/robust.config.schema.json) is generated from
 * here. Each flag has its key in camel case; flags that may be repeated are lists, and suites, attacks and outputs are plural.
 */
import { z } from 'zod';
import { BOUNDS, EXPRESSION, limitsOf } from '../gate/threshold.js';

const text = z.string().min(1);
const list = z.array(text);
const count = z.int().min(1);
const fraction = z.number().min(0).max(1);
const label = z.union([z.string(), z.int().min(0)]);

const limits = text
  .superRefine((written, context) => {
    try {
      limitsOf(written);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
    }
  })
  .meta({ pattern: EXPRESSION, description: 'such as "<= 0.30", ">= 90 %" or ">= 0.10 and <= 0.30"' });

const level = z.enum(['error', 'warn', 'off']);

const judging = z.strictObject({
  ci: z.enum(BOUNDS).describe('what is held against the limit').optional(),
  minExamples: count.describe('fewer examples are inconclusive').optional(),
});

const threshold = z.union([z.literal('off'), z.tuple([level, limits]), z.tuple([level, limits, judging])], {
  error: 'expected off, or [error | warn | off, limit]',
});

const day = z.iso.date({ error: 'expected a day as YYYY-MM-DD' });

const waiver = z.strictObject({
  metric: text.describe('the threshold that may be broken'),
  owner: text.describe('who answers for it'),
  reason: text,
  expires: day.describe('the last day it holds, UTC'),
});

const baseline = z.strictObject({
  file: text.describe('[default: robust.baseline.json]').optional(),
  maxIncrease: fraction
    .describe('rise of an attack success rate, or fall of the clean accuracy, that is let pass [default: 0.03]')
    .optional(),
  model: text.describe("name of the model the baseline is of, where it is not this one's").optional(),
  ratchet: z.boolean().describe('a passed gate that is better everywhere becomes the next baseline').optional(),
});

export const configSchema = z.strictObject({
  $schema: z.string().optional(),
  extends: z
    .union([text, list])
    .describe('robust:recommended, or other configuration files, whose values this one overrides')
    .optional(),

  model: text.describe('the classifier: a bundled name, a folder, a file, or hf:org/name').optional(),
  data: text.describe('labelled texts: a bundled name or a file').optional(),
  textColumn: text.optional(),
  labelColumn: text.optional(),
  idColumn: text.optional(),
  labelMap: z.record(z.string(), label).describe("labels of the data and the model's they mean").optional(),
  force: z.boolean().describe('go on although the labels look permuted').optional(),
  offline: z.boolean().describe('never use the network').optional(),
  numExamples: z.int().min(0).describe('use the first so many examples; 0 = all').optional(),

  suites: list.describe('lists of attacks by name').optional(),
  attacks: list.describe('attacks by name, or the files of your own; options after colons').optional(),
  constraints: z.enum(['ours', 'paper', 'strict', 'none']).describe('how freely words may be swapped').optional(),
  defend: list.describe('defences before the model').optional(),
  mlm: text.describe('a masked language model that guesses words for attacks that fill gaps').optional(),
  seed: z.int().min(0).optional(),
  target: label.describe('turn predictions into this label').optional(),
  protect: list.describe('words no attack may touch').optional(),
  queryBudget: count.describe('texts one attack may ask about one example').optional(),
  runBudget: count.describe('texts the whole run may ask').optional(),
  maxErrorRate: fraction.describe('share of errored examples above which nothing is conclusive').optional(),
  engine: z.enum(['onnx', 'tfjs']).describe('what computes gradients').optional(),
  concurrency: count.describe('texts attacked at once').optional(),
  workers: count.describe('threads that run the model').optional(),
  isolate: z
    .boolean()
    .describe('run the model in processes of its own [default: for hf: models and backdoor scan]')
    .optional(),
  timeout: z
    .number()
    .min(0)
    .describe('seconds one answer of a module, or an attack of your own, may take; 0: any time [default: 60]')
    .optional(),

  explain: z.boolean().describe('explain the most telling adversarial texts').optional(),
  certify: z.boolean().describe('of robust evaluate: certify the accuracy of a defence').optional(),

  outputs: list.describe('reports to write; the ending picks the format').optional(),
  noProgress: z.boolean().optional(),
  noColor: z.boolean().optional(),
  quiet: z.boolean().optional(),
  verbose: z.boolean().optional(),

  thresholds: z
    .record(z.string(), threshold)
    .describe('<suite | attack | overall | clean>.<metric>: [error | warn | off, limit]')
    .optional(),
  ci: z.enum(BOUNDS).describe('what thresholds judge: the figure, or a bound of its interval').optional(),
  minExamples: count.describe('a verdict on fewer attacked examples is inconclusive [default: 30]').optional(),
  allowDegenerate: z.boolean().describe('judge a victim too that answers all texts alike').optional(),
  waivers: z.array(waiver).describe('thresholds that may be broken for a while').optional(),
  baseline: baseline.describe('an earlier run that the gate compares with').optional(),
  gateExitCode: z.int().min(0).max(255).describe('exit code of a failed gate').optional(),
});

/** A configuration as it is written. */
export type Config = z.input<typeof configSchema>;

/** The published schema: draft 2020-12, for editors. */
export const configJsonSchema = () => ({
  $id: 'https://unpkg.com/robust-text/schemas/robust.config.schema.json',
  title: 'robust configuration',
  ...z.toJSONSchema(configSchema, { io: 'input' }),
});
