/** @file A chain of normalisers, rules and models as one classifier, as guardrails are deployed. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { defaultParts, rescan } from '../../../../packages/shield/src/index.js';
import { defined } from '../../../core/defined.js';
import { ModelError, messageOf } from '../../../core/errors.js';
import { isCode } from '../../../modules/own-module.js';
import { refuseOthers } from '../../honoured.js';
import type { LoadedModel, LoadOptions } from '../../loaded-model.js';
import { describedEndpoint } from '../../opening/describe-endpoint.js';
import { bundledModels } from '../../opening/resolve.js';
import { exclusiveLabels } from '../../output/output-rule.js';
import { readPartOf } from '../../tokens/read-part.js';
import { pipelineModel } from './pipeline-model.js';
import { rulesOf } from './rules.js';
import {
  type JudgeStage,
  type ModelStage,
  type NormaliseStage,
  type PipelineStage,
  type RulesStage,
  readPipeline,
} from './schema.js';
import { centred, type FlaggingStage, fixedScore, normaliser, type ReadingStage, scoreOfRules } from './stages.js';

type Load = (spec: string, options: LoadOptions) => Promise<LoadedModel>;

/** Texts of an encoded kind that are read besides the text itself. */
const MOST_HIDDEN = 4;

/**
 * Opens the pipeline that a file describes. Its score leads searches: a stage's score is its distance from its threshold, and rules that
 * match count singly, so that an edit that evades one of them is progress. Throws ModelError PIPELINE_INVALID,
 * PIPELINE_INVALID, and what `load` throws for the models of its stages.
 */
export async function openPipeline(path: string, options: LoadOptions, load: Load): Promise<LoadedModel> {
  const file = await readPipeline(path);
  if (options.decision === 'multi-label') throw exclusiveLabels(basename(path), 'a pipeline flags a text or passes it');
  if (options.decision === 'regression') {
    throw new ModelError(`${path}: expected a model that answers one number, got a pipeline, which flags texts`, {
      code: 'TASK_MISMATCH',
      hint: 'Leave --task regression out.',
    });
  }
  // Models of its stages honour what is meant for models.
  if (!file.stages.some((stage) => 'model' in stage)) refuseOthers([], path, 'a pipeline without a model', options);
  const models: LoadedModel[] = [];
  try {
    const open = async (stage: PipelineStage, name: string): Promise<FlaggingStage | ReadingStage> => {
      if ('normalise' in stage) return normaliseStage(name, stage.normalise, path, options);
      if ('rescan' in stage) return { name, adds: true, read: (texts) => texts.flatMap(withHidden) };
      if ('rules' in stage) return rulesStage(name, stage.rules, `${path}: ${name}`);
      const judged = 'judge' in stage;
      const model = await (judged ? openJudge(stage, path, options, load) : openModel(stage, path, options, load));
      models.push(model);
      return modelStage(name, stage, model, `${path}: ${name}`, judged);
    };
    const stages: (FlaggingStage | ReadingStage)[] = [];
    for (const [at, stage] of file.stages.entries())
      stages.push(await open(stage, stage.name ?? `${kindOf(stage)} ${at + 1}`));
    const digest = createHash('sha256').update(JSON.stringify(file));
    for (const model of models) digest.update(` ${model.sha256}`);
    return pipelineModel({ path, file, stages, models, sha256: digest.digest('hex') }, options);
  } catch (error) {
    await Promise.all(models.map((model) => model.close()));
    throw error;
  }
}

const kindOf = (stage: PipelineStage): string =>
  ['normalise', 'rules', 'model', 'judge', 'rescan'].find((key) => key in stage) ?? '';

/** Throws ModelError PIPELINE_INVALID for what is neither the shield nor a defence that rewrites texts. */
function normaliseStage(
  name: string,
  normalise: NormaliseStage['normalise'],
  path: string,
  { rewriter }: LoadOptions,
): ReadingStage {
  if (typeof normalise !== 'string') return normaliser(name, normalise);
  if (normalise === 'shield') return normaliser(name, defaultParts);
  try {
    const rewrite = rewriter?.(normalise);
    if (rewrite) return { name, read: (texts) => texts.map(rewrite) };
  } catch (cause) {
    throw unknownDefence(path, normalise, messageOf(cause), cause);
  }
  throw unknownDefence(path, normalise, 'it is not offered here');
}

const unknownDefence = (path: string, normalise: string, why: string, cause?: unknown): ModelError =>
  new ModelError(`${path}: normalise: expected shield, a list of its parts or a defence, got ${normalise}: ${why}`, {
    code: 'PIPELINE_INVALID',
    hint: 'See robust list defences.',
    cause,
  });

/** The text, and the texts that are encoded in it. */
const withHidden = (text: string): string[] => [
  text,
  ...rescan(text)
    .slice(0, MOST_HIDDEN)
    .map((found) => found.text),
];

function rulesStage(name: string, given: RulesStage, where: string): FlaggingStage {
  const rules = rulesOf(given, where);
  return {
    name,
    scores: async (texts) => texts.map((text) => scoreOfRules(rules.broken(text).length)),
    rules: {
      names: rules.names,
      broken: (texts) => new Set(texts.flatMap((text) => rules.broken(text).map((at) => rules.names[at]!))),
    },
  };
}

/** A stage has a threshold, however the pipeline itself is decided: independent scores stay as they are. */
const AS_STAGE = { decision: 'threshold', logits: false } as const;

const openModel = (
  { model, windows }: ModelStage,
  path: string,
  options: LoadOptions,
  load: Load,
): Promise<LoadedModel> =>
  load(addressOf(model, path), {
    ...options,
    ...AS_STAGE,
    ...defined({ windows: typeof windows === 'string' ? { by: windows } : windows }),
    labels: undefined,
  });

/** The endpoint that the user named: the file of a pipeline may come from anyone, and cannot choose who receives the texts. */
async function openJudge({ labels }: JudgeStage, path: string, options: LoadOptions, load: Load): Promise<LoadedModel> {
  const address = options.remote?.judge;
  if (address === undefined || (await describedEndpoint(address)) === undefined) {
    throw new ModelError(
      `${path}: its judge receives every text: expected the address of an endpoint from you, got ${address ?? 'none'}`,
      {
        code: 'PIPELINE_INVALID',
        hint: 'Give one: --endpoint judge=openai-chat:gpt-4o, or any other address that --model takes (docs/remote.md).',
      },
    );
  }
  const { windows: _, ...rest } = options;
  return load(address, { ...rest, ...AS_STAGE, labels, remote: { ...options.remote, answers: undefined } });
}

/** Throws ModelError PIPELINE_INVALID for labels that the model does not have. */
function modelStage(
  name: string,
  { positive, threshold, fixed, passes, ...stage }: ModelStage | JudgeStage,
  model: LoadedModel,
  where: string,
  judged: boolean,
): FlaggingStage {
  const wanted = positive ?? model.labels.slice(-1);
  const known = model.labels.map((label) => label.toLowerCase());
  const columns = wanted.map((label) => known.indexOf(label.toLowerCase()));
  if (columns.includes(-1)) {
    const whose = 'model' in stage ? stage.model : 'the judge';
    throw new ModelError(
      `${where}: expected labels of ${whose} (${model.labels.join(', ')}), got ${wanted.join(', ')}`,
      {
        code: 'PIPELINE_INVALID',
        hint: 'Name the labels that flag a text: positive.',
      },
    );
  }
  const scale = fixed ? fixedScore : centred;
  const score = (row: Float32Array): number =>
    scale(
      columns.reduce((sum, column) => sum + row[column]!, 0),
      threshold,
    );
  const again = model.again ?? (model.remote && model.remote.probe.repeated > 0 ? model.remote.again : undefined);
  const read = readPartOf(model);
  return {
    name,
    ...(passes !== undefined && { passes: scale(passes, threshold) }),
    ...(judged && { remote: true }),
    ...(fixed && { fixed }),
    scores: async (texts) => (await model.classify(texts)).map(score),
    ...(again && { again: async (texts: readonly string[]) => (await again(texts)).map(score) }),
    cut: (text) => {
      const end = read?.(text)?.end;
      return end === undefined ? undefined : { rest: text.slice(end), most: `${model.maximumTokens} tokens` };
    },
  };
}

/**
 * The path of local files, from the folder of the pipeline on, or the name of a bundled model. Nothing else: a module or a package would run
 * code, and an address would receive every text, as the author of the file likes.
 */
function addressOf(model: string, path: string): string {
  if (bundledModels().includes(model)) return model;
  const beside = resolve(dirname(path), model);
  // A name of a Windows share would reach another machine.
  if (!/^[\\/]{2}/.test(model) && existsSync(beside) && !isCode(beside)) return beside;
  throw new ModelError(`${path}: expected local files of a model or the name of a bundled one, got ${model}`, {
    code: 'PIPELINE_INVALID',
    hint: `Paths begin at ${dirname(path)}. A pipeline runs no code and sends no text elsewhere: convert or download the model, and name its folder. A stage that asks an endpoint is a judge: true, and --endpoint judge=ADDRESS names it.`,
  });
}
