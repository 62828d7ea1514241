/**
 * @file How completely integrated gradients add up to what they explain, on real sentences.
 *
 *     npm run bench dist/bench/completeness.js [model ...] [-- texts]
 *
 * The error is |sum of weights - (value - value without words)| / |value - value without words|, at most 64 gradients a text.
 */
import { openDataset } from '../datasets/index.js';
import { argmax } from '../src/core/argmax.js';
import { wordsOf } from '../src/core/draft.js';
import { integratedGradients } from '../src/explain/gradients.js';
import { openWhiteBox } from '../src/gradient/white-box/white-box.js';
import { loadModel } from '../src/model/load.js';
import type { WeightScale } from '../src/results/report/explanation.js';

const STEPS = 64;
const print = (line: string) => process.stdout.write(`${line}\n`);
const [specs, [most = '0'] = []] = process.argv
  .slice(2)
  .join('\n')
  .split('\n--\n')
  .map((part) => part.split('\n').filter(Boolean));
const dev = await openDataset('../shared/data/sst2/dev.tsv', { labels: ['NEGATIVE', 'POSITIVE'] });
const texts: string[] = [];
for await (const { text } of dev.examples()) texts.push(text);
if (Number(most) > 0) texts.length = Number(most);

for (const spec of specs?.length ? specs : ['distilbert', 'bert-mini']) {
  const model = await loadModel(spec);
  const inside = await openWhiteBox(model);
  const [unknown] = model.onnx!.encoder.tokens('[UNK]').filter(({ start, end }) => end > start);
  for (const scale of ['probability', 'logit'] satisfies WeightScale[]) {
    const begun = performance.now();
    const errors: number[] = [];
    const steps: number[] = [];
    const queue = [...texts];
    const next = async () => {
      for (let text = queue.shift(); text !== undefined; text = queue.shift()) {
        const label = argmax((await model.classify([text]))[0]!);
        const token = { text: '[UNK]', ...(unknown && { id: unknown.id }) };
        const options = { label, scale, steps: STEPS, token };
        const { check } = await integratedGradients(inside, text, wordsOf(text), options);
        errors.push(Number(check.completenessError));
        steps.push(Number(check.steps));
      }
    };
    await Promise.all(Array.from({ length: 16 }, next));
    errors.sort((a, b) => a - b);
    const at = (share: number) => `${(100 * errors[Math.floor(share * (errors.length - 1))]!).toFixed(2)} %`;
    const good = errors.filter((error) => error < 0.01).length;
    const mean = steps.reduce((sum, count) => sum + count, 0) / steps.length;
    print(
      `${spec}, ${scale}: error under 1 % on ${good} of ${errors.length} texts (${((100 * good) / errors.length).toFixed(1)} %); ` +
        `median ${at(0.5)}, 95 % ${at(0.95)}, worst ${at(1)}; ${mean.toFixed(1)} gradients a text, ${((performance.now() - begun) / texts.length).toFixed(0)} ms a text`,
    );
  }
  await inside.close();
  await model.close();
}
