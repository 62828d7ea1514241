/**
 * @file Knowledge distillation: Hinton, Vinyals and Dean, "Distilling the Knowledge in a Neural Network" (2015). The
 * teachers' mean probabilities become part of the target.
 */
import type { Classifier } from '../core/classifier.js';
import type { Dataset } from '../core/dataset.js';
import { UsageError } from '../core/errors.js';

/** Texts asked at once. */
const TEXTS_PER_CALL = 512;

/** Mean of the teachers' probabilities of each example, row-major [examples, labels]. Throws UsageError for other labels. */
export async function teacherProbabilities(
  teachers: readonly Classifier[],
  data: Dataset,
  labels: readonly string[],
  onAnswered: (done: number) => void = () => {},
): Promise<Float32Array> {
  for (const teacher of teachers) {
    if (teacher.labels.length === labels.length) continue;
    throw new UsageError(`teacher: expected the labels ${labels.join(', ')}, got ${teacher.labels.join(', ')}`, {
      code: 'TEACHER_LABELS',
      hint: 'A teacher must know the labels of the data, in the same order.',
    });
  }
  let answers = new Float32Array(1024 * labels.length);
  let done = 0;
  const ask = async (texts: readonly string[]) => {
    const needed = (done + texts.length) * labels.length;
    if (needed > answers.length) {
      const larger = new Float32Array(Math.max(needed, 2 * answers.length));
      larger.set(answers);
      answers = larger;
    }
    for (const teacher of teachers) {
      const rows = await teacher.classify(texts);
      rows.forEach((row, at) => {
        row.forEach((p, label) => {
          const to = (done + at) * labels.length + label;
          answers[to] = (answers[to] as number) + p / teachers.length;
        });
      });
    }
    done += texts.length;
    onAnswered(done);
  };
  let texts: string[] = [];
  for await (const { text } of data.examples()) {
    texts.push(text);
    if (texts.length < TEXTS_PER_CALL) continue;
    await ask(texts);
    texts = [];
  }
  if (texts.length > 0) await ask(texts);
  return answers.subarray(0, done * labels.length);
}
