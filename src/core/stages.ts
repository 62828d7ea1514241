/** @file The stages of a pipeline, as outcomes see them. */
import { z } from 'zod';
import { type Declared, texts } from './declared.js';

/** The answer of a pipeline to one text. */
export interface StagedAnswer {
  /** The pipeline's own row of scores. */
  readonly row: Float32Array;
  /** The score of each stage that can flag a text, in order. */
  readonly scores: Float32Array;
}

/** A pipeline whose stages can be observed. */
export interface Stages {
  /** The stages that can flag a text, in order. */
  readonly names: readonly string[];
  /** Score from which on a stage, and the whole pipeline, flags a text. It is set once the decision is known. @default 0.5 */
  threshold: number;
  /** Score from which on a text breaks a rule that flags it alone, whatever the threshold of the models. Absent without such rules. */
  readonly hardFrom?: number;
  answers(texts: readonly string[]): Promise<StagedAnswer[]>;
  /** Names of the stages that flag the text. */
  flaggedBy(text: string): Promise<string[]>;
  /** For a text that passes although its original is flagged: the stages that caught the original and miss it, with the cause if it is known. */
  leakedBy(original: string, text: string): Promise<string[]>;
}

export const stageEvidenceSchema = z.object({
  before: texts.describe('Stages that flagged the original.'),
  after: texts.describe('Stages that flagged the strongest text of the attack.'),
  leaked: texts
    .describe(
      'For a text that evades: the stages that flagged the original and no longer flag it, with the cause in brackets if it is known.',
    )
    .exactOptional(),
});

/** Which stages of a pipeline decided about an example, before and after an attack. */
export interface StageEvidence extends Declared<typeof stageEvidenceSchema> {}

/** The verdicts of the stages on an example and on its strongest rewrite. */
export async function stageEvidence(stages: Stages, original: string, text: string): Promise<StageEvidence> {
  const [before, after] = [await stages.flaggedBy(original), await stages.flaggedBy(text)];
  const [from, to] = await stages.answers([original, text]);
  const flags = ({ row }: StagedAnswer): boolean => row[1]! >= stages.threshold;
  const evaded = from !== undefined && to !== undefined && flags(from) && !flags(to);
  return { before, after, ...(evaded && { leaked: await stages.leakedBy(original, text) }) };
}
