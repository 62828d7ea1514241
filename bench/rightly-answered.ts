/** @file The examples a bench attacks: those the model answers rightly. */
import { openDataset } from '../datasets/index.js';
import { argmax } from '../src/core/argmax.js';
import type { Classifier } from '../src/core/classifier.js';

/** The correctly classified ones among the first `count` examples of a data set (0: all), with the answers. */
export async function rightlyAnswered(model: Classifier, data: string, count: number) {
  const dataset = await openDataset(data, { labels: model.labels });
  const examples = [];
  for await (const example of dataset.examples()) {
    if (examples.push(example) === count) break;
  }
  const answers = await model.classify(examples.map(({ text }) => text));
  return examples.flatMap((example, at) => {
    const original = answers[at] as Float32Array;
    return argmax(original) === example.label ? [{ example, original }] : [];
  });
}
