/** @file The file of a pipeline: its stages, and how their decisions are combined. */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { type ShieldPart, shieldParts } from '../../../../packages/shield/src/index.js';
import { ModelError, messageOf } from '../../../core/errors.js';
import { faultTexts, readBy } from '../../../core/read-by.js';
import { readFileSync } from '../../../files/read.js';

const share = z.number().gt(0).max(1);
const partialShare = z.number().gt(0).lt(1);
const name = z.string().min(1).exactOptional().describe('Name in messages and outcomes. Default: its kind and number.');

const normaliseStage = z
  .strictObject({
    name,
    normalise: z
      .union([z.string().min(1), z.array(z.enum(shieldParts as readonly [ShieldPart, ...ShieldPart[]])).min(1)])
      .describe(
        'Rewrites the text for all stages behind it: shield (its default parts), a list of parts of the shield, or another defence that rewrites, as --defend takes it, for English: spelling.',
      ),
  })
  .describe('Never flags a text.');

const rulesStage = z
  .strictObject({
    name,
    rules: z
      .strictObject({
        words: z.array(z.string().min(1)).describe('Words or phrases, whatever their case.').exactOptional(),
        patterns: z
          .array(z.string().min(1))
          .describe('Patterns of RE2, whose time is linear in the text.')
          .exactOptional(),
        longest: z.int().min(1).describe('Characters of a text, beyond which it is flagged.').exactOptional(),
        marks: share
          .describe('Share of characters that are neither letters, digits nor blanks, from which on a text is flagged.')
          .exactOptional(),
      })
      .refine((rules) => Object.keys(rules).length > 0, 'expected at least one of words, patterns, longest and marks'),
  })
  .describe('Flags a text if at least one rule matches.');

const positive = z
  .union([z.string(), z.array(z.string()).min(1)])
  .transform((labels) => [labels].flat())
  .exactOptional()
  .describe('Labels that flag a text. Default: the last label.');
const threshold = partialShare
  .default(0.5)
  .describe('Joint score of the positive labels from which on a text is flagged.');
const passes = partialShare
  .exactOptional()
  .describe('In a cascade: joint score below which the text passes at once. Default: never.');

const fixed = z
  .literal(true)
  .exactOptional()
  .describe(
    'Its own threshold stays as it is, whatever threshold the pipeline gets: calibrate the other stages alone. Its score leads attacks as before.',
  );

const modelStage = z
  .strictObject({
    name,
    model: z.string().min(1).describe('A model as --model takes it. Paths are relative to the file.'),
    positive,
    threshold,
    fixed,
    passes,
    windows: z
      .union([
        z.enum(['max', 'mean']),
        z.strictObject({
          by: z.enum(['max', 'mean']),
          stride: z.int().min(1).describe('Tokens from the start of one window to the next. Default: half a window.'),
        }),
      ])
      .exactOptional()
      .describe('Read long texts in overlapping windows instead of cutting them.'),
  })
  .describe('Flags a text by the score of a model.');

const judgeStage = z
  .strictObject({
    name,
    judge: z.literal(true),
    labels: z
      .array(z.string().min(1))
      .min(2)
      .exactOptional()
      .describe('Labels that it chooses from, such as a chat model.'),
    positive,
    threshold,
    fixed,
    passes,
  })
  .describe('Flags a text by the answer of an endpoint, whose address the user gives: --endpoint judge=ADDRESS.');

const rescanStage = z
  .strictObject({ name, rescan: z.literal(true) })
  .describe('Stages behind it also read the texts that are encoded in the text (base64, rot13, ...).');

const STAGES = {
  normalise: normaliseStage,
  rescan: rescanStage,
  rules: rulesStage,
  model: modelStage,
  judge: judgeStage,
} as const;

export const pipelineSchema = z.strictObject({
  $schema: z.string().exactOptional(),
  positive: z.string().min(1).default('flagged').describe('Label of a text that the pipeline flags.'),
  negative: z.string().min(1).default('passed').describe('Label of the others.'),
  stages: z.array(z.union(Object.values(STAGES))).min(1),
  combine: z
    .union([
      z.enum(['any', 'all', 'cascade']),
      z.strictObject({ atLeast: z.int().min(1) }),
      z.strictObject({ weights: z.array(z.number().min(0)).min(1), threshold: partialShare }),
    ])
    .default('any')
    .describe(
      'Which of the stages that can flag a text must flag it. In a cascade, a stage may also let a text pass (passes), which ends the cascade. With weights: the weighted mean of their scores, which are above 0.5 where a stage flags the text, reaches the threshold.',
    ),
});

/** A pipeline as its file describes it. */
export type PipelineFile = z.infer<typeof pipelineSchema>;
export type PipelineStage = PipelineFile['stages'][number];
export type NormaliseStage = Extract<PipelineStage, { normalise: unknown }>;
export type RulesStage = Extract<PipelineStage, { rules: object }>['rules'];
export type ModelStage = Extract<PipelineStage, { model: string }>;
export type JudgeStage = Extract<PipelineStage, { judge: true }>;

/** Reads YAML or JSON. Throws ModelError PIPELINE_INVALID, MODEL_NOT_FOUND. */
export async function readPipeline(path: string): Promise<PipelineFile> {
  const { parse } = await import('yaml');
  let value: unknown;
  try {
    value = parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new ModelError(`${path}: expected a pipeline: ${messageOf(cause)}`, {
      code: existsSync(path) ? 'PIPELINE_INVALID' : 'MODEL_NOT_FOUND',
      hint: HINT,
      cause,
    });
  }
  const read = readBy(pipelineSchema, value);
  if (!read.success) throw invalid(path, faultTexts(read.faults, 'the file'));
  const { combine, stages } = read.data;
  const flagging = stages.filter((stage) => ['rules', 'model', 'judge'].some((kind) => kind in stage)).length;
  if (flagging === 0)
    throw invalid(
      path,
      'stages: expected at least one with rules or a model, or a judge, got none that can flag a text',
    );
  const names = stages.flatMap(({ name: given }) => given ?? []);
  const twice = names.find((given, at) => names.indexOf(given) !== at);
  if (twice !== undefined) throw invalid(path, `stages: expected different names, got ${JSON.stringify(twice)} twice`);
  const unused = stages.find((stage) => 'passes' in stage);
  if (combine !== 'cascade' && unused !== undefined)
    throw invalid(path, 'passes: expected combine: cascade, in which a stage may let a text pass');
  const fault = combineFault(combine, flagging);
  if (fault !== undefined) throw invalid(path, `combine: expected ${fault}`);
  return read.data;
}

/** The mistake in how `flagging` stages are combined. */
function combineFault(combine: PipelineFile['combine'], flagging: number): string | undefined {
  if (typeof combine === 'string') return undefined;
  if ('weights' in combine)
    return combine.weights.length === flagging
      ? undefined
      : `${flagging} weights, one for each stage with rules or a model, got ${combine.weights.length}`;
  return combine.atLeast <= flagging
    ? undefined
    : `at most the ${flagging} stages with rules or a model, got ${combine.atLeast}`;
}

const HINT = 'docs/detectors.md shows one: stages (normalise, rescan, rules, model, judge) and how they are combined.';

const invalid = (path: string, what: string): ModelError =>
  new ModelError(`${path}: ${what}`, { code: 'PIPELINE_INVALID', hint: HINT });
