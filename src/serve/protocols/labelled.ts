/** @file Scores beside their labels, the highest first, as Hugging Face's services answer. */
import { numbers } from '../protocol.js';

interface LabelledScore {
  readonly label: string;
  readonly score: number;
}

/** The best `most` labels. */
export const labelled = (row: Float32Array, labels: readonly string[], most = labels.length): LabelledScore[] =>
  numbers(row)
    .map((score, index) => ({ label: labels[index] as string, score }))
    .sort((a, b) => b.score - a.score)
    .slice(0, most);
