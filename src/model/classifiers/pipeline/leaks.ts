/** @file Why a pipeline misses a rewrite of a text that it flags: the stages that caught the original, and what would have caught the rewrite. */
import { defaultParts, shield, shieldParts } from '../../../../packages/shield/src/index.js';
import type { Combination } from './combine.js';
import { type FlaggingStage, highest, isFlagging, type PipelineStages, readingsAt } from './stages.js';

interface StageScores {
  readonly text: string;
  /** Score of each stage that can flag a text. */
  readonly scores: Float32Array;
}

/** One name for each stage that caught the original and misses the text, or for the stage before it that is to blame. */
export async function leakedBy(
  stages: PipelineStages,
  { flagging, passing }: Combination,
  threshold: number,
  original: StageScores,
  missed: StageScores,
): Promise<string[]> {
  const own = stages.filter(isFlagging);
  const still = flagging(missed.scores, threshold);
  const lost = flagging(original.scores, threshold).filter((at) => !still.includes(at));
  const found: string[] = [];
  for (const at of lost.length > 0 ? lost : [largestDrop(original.scores, missed.scores)]) {
    const early = missed.scores[at]! >= threshold ? passing(missed.scores, threshold) : -1;
    found.push(
      early >= 0 ? `${own[early]!.name} (early exit)` : await causeAt(stages, own[at]!, missed.text, threshold),
    );
  }
  return [...new Set(found)];
}

const largestDrop = (before: Float32Array, after: Float32Array): number => {
  const drops = Array.from(before, (score, at) => score - after[at]!);
  return drops.indexOf(Math.max(...drops));
};

/** The stage, with its limit if the text beyond it would be flagged; or the normaliser before it, with the part that it lacks. */
async function causeAt(stages: PipelineStages, stage: FlaggingStage, text: string, threshold: number): Promise<string> {
  // No text is sent elsewhere to find a cause.
  if (stage.remote) return stage.name;
  const index = stages.indexOf(stage);
  const readings = readingsAt(stages, index, text);
  const catches = async (texts: readonly string[]): Promise<boolean> =>
    texts.length > 0 && highest(await stage.scores(texts)) >= threshold;
  const cuts = readings.flatMap((reading) => stage.cut?.(reading) ?? []);
  if (await catches(cuts.map(({ rest }) => rest))) return `${stage.name} (cut at ${cuts[0]!.most})`;
  const before = stages.slice(0, index).flatMap((each) => (!isFlagging(each) && each.parts ? [each] : []));
  const [first] = before;
  if (first === undefined) return stage.name;
  const applied = before.flatMap(({ parts = [] }) => parts);
  const lacking = shieldParts.filter((part) => !applied.includes(part));
  // Parts that are on by default are named before those that also change ordinary texts.
  for (const part of lacking.toSorted((a, b) => Number(defaultParts.includes(b)) - Number(defaultParts.includes(a)))) {
    const parts = [...applied, part];
    if (await catches(readings.map((reading) => shield(reading, { parts }).text)))
      return `${first.name} (without ${part})`;
  }
  const all = readings.map((reading) => shield(reading, { parts: [...new Set([...applied, ...defaultParts])] }).text);
  return lacking.length > 0 && (await catches(all)) ? `${first.name} (without several parts)` : stage.name;
}
