/**
 * @file Knowledge distillation: Hinton, Vinyals and Dean, "Distilling the Knowledge in a Neural Network" (2015). The
 * teachers' mean probabilities become part of the target.
 */
import type { Classifier } from '../core/classifier.js';
import type { Dataset, Example } from '../core/dataset.js';
import { UsageError } from '../core/errors.js';
import { queryText } from '../core/pair.js';
import { isRefusal } from '../core/refusal.js';

/** Texts per query batch. */
const TEXTS_PER_CALL = 512;

/**
 * Mean of the teachers' probabilities of each example, row-major [examples, labels]; of one that a teacher refuses to answer, its own label. A
 * teacher that has the labels by name has them in any order, another one in that of the data. Throws UsageError for another number of labels.
 */
export async function teacherProbabilities(
  teachers: readonly Classifier[],
  data: Dataset,
  labels: readonly string[],
): Promise<Float32Array> {
  for (const teacher of teachers) {
    if (teacher.labels.length === labels.length) continue;
    throw new UsageError(`teacher: expected the labels ${labels.join(', ')}, got ${teacher.labels.join(', ')}`, {
      code: 'TEACHER_LABELS',
      hint: 'A teacher must know the labels of the data, in the same order.',
    });
  }
  const columns = teachers.map((teacher) => columnsOf(teacher.labels, labels));
  let answers = new Float32Array(1024 * labels.length);
  let done = 0;
  const ask = async (examples: readonly Example[]) => {
    const needed = (done + examples.length) * labels.length;
    if (needed > answers.length) {
      const larger = new Float32Array(Math.max(needed, 2 * answers.length));
      larger.set(answers);
      answers = larger;
    }
    for (const [which, teacher] of teachers.entries()) {
      const rows = await teacher.classify(examples.map((example) => queryText(example.text, example)));
      rows.forEach((row, at) => {
        const example = examples[at]!;
        const own = example.labels ?? [example.label];
        labels.forEach((_, label) => {
          const p = isRefusal(row) ? Number(own.includes(label)) : row[columns[which]?.[label] as number]!;
          const to = (done + at) * labels.length + label;
          answers[to] = answers[to]! + p / teachers.length;
        });
      });
    }
    done += examples.length;
  };
  let next: Example[] = [];
  for await (const example of data.examples()) {
    next.push(example);
    if (next.length < TEXTS_PER_CALL) continue;
    await ask(next);
    next = [];
  }
  if (next.length > 0) await ask(next);
  return answers.subarray(0, done * labels.length);
}

/** Column of each data label in a teacher's rows. */
function columnsOf(theirs: readonly string[], labels: readonly string[]): readonly number[] {
  const names = theirs.map((label) => label.toLowerCase());
  const columns = labels.map((label) => names.indexOf(label.toLowerCase()));
  return columns.includes(-1) || new Set(columns).size < columns.length ? labels.map((_, at) => at) : columns;
}
