/** @file A chain of normalisers, rules and models as one classifier, as guardrails are deployed. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, dirname, extname, resolve } from 'node:path';
import { defined } from '../../../core/defined.js';
import { ModelError } from '../../../core/errors.js';
import { queryParts } from '../../../core/pair.js';
import { isCode } from '../../../modules/own-module.js';
import { rescan, shield } from '../../../shield/index.js';
import { type LoadedModel, type LoadOptions, loadedModel } from '../../loaded-model.js';
import { bundledModels } from '../../opening/resolve.js';
import { exclusiveLabels } from '../../output/output-rule.js';
import { classifierQueue } from '../../workers/classifier-queue.js';
import { ruleCounter } from './rules.js';
import { type PipelineFile, type PipelineStage, readPipeline } from './schema.js';

type Load = (spec: string, options: LoadOptions) => Promise<LoadedModel>;

/** How a stage answers: a score from 0 to 1 for each text, of which 0.5 and more flag it. */
interface FlaggingStage {
  readonly name: string;
  scores(texts: readonly string[]): Promise<number[]>;
}

/** Texts of an encoded kind that are read besides the text itself. */
const MOST_HIDDEN = 4;

/**
 * Opens the pipeline that a file describes. Its score leads searches: a stage's score is its distance from its threshold, and rules that
 * match count singly, so that an edit that evades one of them is progress. Throws ModelError PIPELINE_INVALID, PIPELINE_MODEL, and what
 * `load` throws for the models of its stages.
 */
export async function openPipeline(path: string, options: LoadOptions, load: Load): Promise<LoadedModel> {
  const file = await readPipeline(path);
  if (options.decision === 'multi-label') throw exclusiveLabels(basename(path), 'a pipeline flags a text or passes it');
  if (options.decision === 'regression') {
    throw new ModelError(`${path}: expected a model that answers one number, got a pipeline, which flags texts`, {
      code: 'NOT_A_REGRESSION',
      hint: 'Leave --task regression out.',
    });
  }
  const models: LoadedModel[] = [];
  try {
    const stages: (FlaggingStage | ReadingStage)[] = [];
    for (const [at, stage] of file.stages.entries()) {
      const name = stage.name ?? `${kindOf(stage)} ${at + 1}`;
      stages.push(await openStage(stage, name, path, options, load, models));
    }
    return asModel(path, file, stages, models, options);
  } catch (error) {
    await Promise.all(models.map((model) => model.close()));
    throw error;
  }
}

/** A stage that changes which texts the stages behind it read. */
interface ReadingStage {
  read(texts: readonly string[]): string[];
}

async function openStage(
  stage: PipelineStage,
  name: string,
  path: string,
  options: LoadOptions,
  load: Load,
  models: LoadedModel[],
): Promise<FlaggingStage | ReadingStage> {
  if ('normalise' in stage) {
    const { normalise } = stage;
    const parts = normalise === 'shield' ? {} : { parts: normalise };
    return { read: (texts) => texts.map((text) => shield(text, parts).text) };
  }
  if ('rescan' in stage)
    return {
      read: (texts) =>
        texts.flatMap((text) => [
          text,
          ...rescan(text)
            .slice(0, MOST_HIDDEN)
            .map((found) => found.text),
        ]),
    };
  if ('rules' in stage) {
    const count = ruleCounter(stage.rules, `${path}: ${name}`);
    // Each further rule that matches halves the distance to 1.
    return {
      name,
      scores: async (texts) => texts.map(count).map((broken) => (broken === 0 ? 0 : 1 - 0.5 ** (broken + 1))),
    };
  }
  const model = await load(addressOf(stage.model, path), {
    ...options,
    ...defined({ windows: stage.windows && { by: stage.windows } }),
    // A stage has a threshold, however the pipeline itself is decided: independent scores stay as they are.
    decision: 'threshold',
    labels: undefined,
    logits: false,
  });
  models.push(model);
  const positive = stage.positive ?? model.labels.slice(-1);
  const known = model.labels.map((label) => label.toLowerCase());
  const columns = positive.map((label) => known.indexOf(label.toLowerCase()));
  if (columns.includes(-1)) {
    throw new ModelError(
      `${path}: ${name}: expected labels of ${stage.model} (${model.labels.join(', ')}), got ${positive.join(', ')}`,
      {
        code: 'PIPELINE_INVALID',
        hint: 'Name the labels that flag a text: positive.',
      },
    );
  }
  return {
    name,
    async scores(texts) {
      const rows = await model.classify(texts);
      return rows.map((row) =>
        centred(
          columns.reduce((sum, column) => sum + row[column]!, 0),
          stage.threshold,
        ),
      );
    },
  };
}

const kindOf = (stage: PipelineStage): string =>
  ['normalise', 'rules', 'model', 'rescan'].find((key) => key in stage) ?? '';

/** Scores below the lower one pass, from the upper one on they flag: the gap keeps rounding from making ties. */
const [PASSES, FLAGS] = [0.49, 0.51];

/** A score on a scale on which its threshold is in the middle. */
const centred = (score: number, threshold: number): number =>
  score >= threshold ? FLAGS + ((1 - FLAGS) * (score - threshold)) / (1 - threshold) : (PASSES * score) / threshold;

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
    code: 'PIPELINE_MODEL',
    hint: `Paths begin at ${dirname(path)}. A pipeline runs no code and sends no text elsewhere: convert or download the model, and name its folder.`,
  });
}

function asModel(
  path: string,
  file: PipelineFile,
  stages: readonly (FlaggingStage | ReadingStage)[],
  models: readonly LoadedModel[],
  options: LoadOptions,
): LoadedModel {
  const { positive, negative, combine } = file;
  const flagging = stages.filter((stage) => 'scores' in stage);
  const seen = { texts: 0, sole: flagging.map(() => 0) };
  const queue = classifierQueue(async (texts: readonly string[]) => {
    const scores = await Promise.all(texts.map((text) => scoresOf(text, stages)));
    return scores.map((row) => {
      const score = combined(row, combine);
      seen.texts++;
      for (const at of row.keys()) if (score >= 0.5 !== combined(row.with(at, 0), combine) >= 0.5) seen.sole[at]!++;
      return Float32Array.from([1 - score, score]);
    });
  });
  const digest = createHash('sha256').update(JSON.stringify(file));
  for (const model of models) digest.update(` ${model.sha256}`);
  return loadedModel(
    {
      name: basename(path, extname(path)),
      sha256: digest.digest('hex'),
      paths: [path, ...models.flatMap((model) => model.paths)],
      labels: options.labels ?? [negative, positive],
      maximumTokens: Number.POSITIVE_INFINITY,
      figures: () => ({
        ...queue.figures,
        truncated: models.reduce((sum, model) => sum + model.figures().truncated, 0),
      }),
      async close() {
        const idle = flagging.filter((_, at) => seen.sole[at] === 0).map(({ name }) => name);
        if (seen.texts > 0 && idle.length > 0 && flagging.length > 1)
          options.onWarning?.(
            `${path}: without ${idle.join(' or ')}, none of the ${seen.texts} texts read would have been decided otherwise`,
          );
        await Promise.all(models.map((model) => model.close()));
      },
    },
    (text) => queue.ask(text),
    options,
  );
}

/** Scores of the stages that can flag: of several readings of a text, the highest. */
async function scoresOf(text: string, stages: readonly (FlaggingStage | ReadingStage)[]): Promise<number[]> {
  let texts: readonly string[] = [queryParts(text).join('\n')];
  const scores: number[] = [];
  for (const stage of stages) {
    if ('read' in stage) texts = stage.read(texts);
    else scores.push(Math.max(...(await stage.scores(texts))));
  }
  return scores;
}

/** One score of which 0.5 and more flag the text. */
function combined(scores: readonly number[], combine: PipelineFile['combine']): number {
  if (typeof combine === 'object' && 'weights' in combine) {
    const total = combine.weights.reduce((sum, weight) => sum + weight, 0);
    const mean =
      scores.reduce((sum, score, at) => sum + score * combine.weights[at]!, 0) / Math.max(total, Number.MIN_VALUE);
    return centred(mean, combine.threshold);
  }
  const falling = scores.toSorted((a, b) => b - a);
  const needed = combine === 'any' ? 1 : combine === 'all' ? scores.length : combine.atLeast;
  return falling[needed - 1]!;
}
