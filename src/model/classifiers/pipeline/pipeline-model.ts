/** @file The opened stages of a pipeline as one model, whose stages can be observed. */
import { basename, extname } from 'node:path';
import { queryParts } from '../../../core/pair.js';
import { refusal } from '../../../core/refusal.js';
import type { Stages } from '../../../core/stages.js';
import { CACHE_ENTRIES, type LoadedModel, type LoadOptions, loadedModel, remembering } from '../../loaded-model.js';
import { classifierQueue } from '../../workers/classifier-queue.js';
import { type Combination, combination } from './combine.js';
import { leakedBy } from './leaks.js';
import type { PipelineFile } from './schema.js';
import {
  type FlaggingStage,
  HARD,
  highest,
  isFlagging,
  type PipelineStages,
  readingsAt,
  scoreOfRules,
} from './stages.js';

interface OpenedPipeline {
  readonly path: string;
  readonly file: PipelineFile;
  readonly stages: PipelineStages;
  readonly models: readonly LoadedModel[];
  readonly sha256: string;
}

export function pipelineModel(opened: OpenedPipeline, options: LoadOptions): LoadedModel {
  const { path, file, stages, models, sha256 } = opened;
  const flagging = stages.filter(isFlagging);
  const combine = combination(file.combine, flagging);
  const reasons = new Reasons(stages, combine);
  const queue = classifierQueue((texts: readonly string[]) =>
    Promise.all(
      texts.map(async (text) => {
        const scores = await scoresOf(plain(text), stages, combine, { onChange: reasons.changed });
        reasons.add(scores, (at) => readingsAt(stages, stages.indexOf(flagging[at]!), plain(text)));
        return scores;
      }),
    ),
  );
  const known = remembering((text) => queue.ask(text), options.cacheEntries ?? CACHE_ENTRIES);
  const rowOf = (scores: Float32Array): Float32Array => {
    const score = combine.score(scores);
    return Number.isNaN(score) ? refusal(2) : Float32Array.of(1 - score, score);
  };
  const scoresFor = async (text: string): Promise<Float32Array> => (await known([text]))[0]!;
  const observed: Stages = {
    names: flagging.map(({ name }) => name),
    get threshold() {
      return reasons.threshold;
    },
    set threshold(at) {
      reasons.threshold = at;
      const silenced = flagging.filter((stage) => at > HARD && flagsAlone(stage, file.combine)).map(({ name }) => name);
      if (silenced.length > 0)
        options.onWarning?.(
          `${path}: at threshold ${at}, a text that ${silenced.join(' or ')} flags alone (score ${HARD}) passes`,
        );
    },
    ...(flagging.some((stage) => flagsAlone(stage, file.combine)) && { hardFrom: HARD }),
    answers: async (texts) => (await known(texts)).map((scores) => ({ row: rowOf(scores), scores })),
    flaggedBy: async (text) =>
      combine.flagging(await scoresFor(text), reasons.threshold).map((at) => flagging[at]!.name),
    leakedBy: async (original, text) => {
      const verdict = async (of: string) => ({ text: plain(of), scores: await scoresFor(of) });
      return leakedBy(stages, combine, reasons.threshold, await verdict(original), await verdict(text));
    },
  };
  return loadedModel(
    {
      name: basename(path, extname(path)),
      sha256,
      paths: [path, ...models.flatMap((model) => model.paths)],
      labels: options.labels ?? [file.negative, file.positive],
      maximumTokens: Number.POSITIVE_INFINITY,
      stages: observed,
      ...(flagging.some(({ again }) => again) && {
        again: (texts: readonly string[]) =>
          Promise.all(texts.map(async (text) => rowOf(await scoresOf(plain(text), stages, combine, { again: true })))),
      }),
      figures: () => ({
        ...queue.figures,
        truncated: models.reduce((sum, model) => sum + model.figures().truncated, 0),
      }),
      async close() {
        for (const line of reasons.idle()) options.onWarning?.(`${path}: ${line}`);
        await Promise.all(models.map((model) => model.close()));
      },
    },
    async (text) => rowOf(await scoresFor(text)),
    options,
  );
}

/** Both texts of a pair, as the stages read them. */
const plain = (text: string): string => queryParts(text).join('\n');

/** Scores of the stages that can flag the text. A stage that a cascade need not ask, and that sends texts elsewhere, has score 0. */
async function scoresOf(
  text: string,
  stages: PipelineStages,
  combine: Combination,
  { again = false, onChange }: { readonly again?: boolean; onChange?(stage: string): void },
): Promise<Float32Array> {
  let texts: readonly string[] = [text];
  const scores: number[] = [];
  for (const stage of stages) {
    if (!isFlagging(stage)) {
      const read = stage.read(texts);
      if (read.length !== texts.length || read.some((each, at) => each !== texts[at])) onChange?.(stage.name);
      texts = read;
    } else if (stage.remote && combine.decided(scores)) scores.push(0);
    else scores.push(highest(await ((again && stage.again) || stage.scores)(texts)));
  }
  return Float32Array.from(scores);
}

/** Does a stage whose verdict no threshold changes flag a text alone? */
const flagsAlone = ({ rules, fixed }: FlaggingStage, combine: PipelineFile['combine']): boolean =>
  (fixed === true || rules !== undefined) && (combine === 'any' || combine === 'cascade');

/** Most idle rules that are named. */
const MOST_NAMED = 5;

/** Texts whose verdicts are counted again when the threshold is found by them. */
const MOST_EARLY = 10_000;

/** The rules' readings of a text by the index of their stage. */
type Readings = (stage: number) => readonly string[];

/** Counts which stages and rules decide: those without which the verdict on a text would be another one. */
class Reasons {
  readonly #stages: readonly FlaggingStage[];
  #threshold = 0.5;
  #texts = 0;
  /** Texts read before the threshold was set; undefined afterwards. */
  #early: (readonly [scores: Float32Array, readings: Readings])[] | undefined = [];
  /** Stages that changed what later ones read. */
  readonly #changed = new Set<string>();
  /** Stages without which a verdict would be another one. */
  readonly #needed = new Set<string>();
  readonly #rules = new Set<string>();

  constructor(
    readonly all: PipelineStages,
    readonly combine: Combination,
  ) {
    this.#stages = all.filter(isFlagging);
  }

  readonly changed = (stage: string): void => {
    this.#changed.add(stage);
  };

  get threshold(): number {
    return this.#threshold;
  }

  /** Counts again, because the counts depend on the threshold. */
  set threshold(at: number) {
    const early = this.#early ?? [];
    this.#early = undefined;
    this.#threshold = at;
    this.#texts = 0;
    this.#needed.clear();
    this.#rules.clear();
    for (const [scores, readings] of early) this.add(scores, readings);
  }

  add(scores: Float32Array, readings: Readings): void {
    const flags = (each: ArrayLike<number>): boolean => this.combine.score(each) >= this.#threshold;
    this.#texts++;
    if (this.#early !== undefined && this.#early.length < MOST_EARLY) this.#early.push([scores, readings]);
    for (const [at, { name, rules }] of this.#stages.entries()) {
      if (flags(scores) === flags(scores.with(at, 0))) continue;
      this.#needed.add(name);
      const broken = rules?.broken(readings(at)) ?? new Set();
      if (rules === undefined || flags(scores) === flags(scores.with(at, scoreOfRules(broken.size - 1)))) continue;
      for (const rule of broken) this.#rules.add(`${name}: ${rule}`);
    }
  }

  /** A line for the stages, and one for the rules, without which no text would have been decided otherwise. */
  idle(): string[] {
    if (this.#texts === 0) return [];
    const alone = this.#stages.length < 2;
    const isIdle = (stage: PipelineStages[number]): boolean =>
      isFlagging(stage) ? !alone && !this.#needed.has(stage.name) : !this.#changed.has(stage.name);
    const names = this.all.flatMap((stage) => (isIdle(stage) ? stage.name : []));
    const rules = this.#stages
      .flatMap(({ name, rules: { names: all } = { names: [] } }) =>
        all.length < 2 || names.includes(name) ? [] : all.map((rule) => `${name}: ${rule}`),
      )
      .filter((rule) => !this.#rules.has(rule));
    const more = rules.length > MOST_NAMED ? ` or ${rules.length - MOST_NAMED} more` : '';
    return [names.join(' or '), rules.slice(0, MOST_NAMED).join(' or ') + more].flatMap((which) =>
      which === '' ? [] : [`without ${which}, none of the ${this.#texts} texts read would have been decided otherwise`],
    );
  }
}
