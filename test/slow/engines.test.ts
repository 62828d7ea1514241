/** The two gradient engines share no rule: on every model we have they must agree. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';
import { openWhiteBox } from '../../src/gradient/white-box/white-box.js';
import { loadModel } from '../../src/model/load.js';

const shared = join(packageRoot, '..', 'shared', 'models');
const bundled = join(packageRoot, 'models');
const folders = [
  ...readdirSync(bundled, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(bundled, name)),
  ...(existsSync(shared)
    ? ['berttiny-sst2', 'distilbert-small', 'imdb-wordcnn'].map((name) => join(shared, name))
    : []),
];

const TEXTS = [
  'What an idiot !',
  'A warm , funny , engaging film .',
  'The plot is thin , but I do not dislike the cast .',
];

test.each(folders)('%s', { timeout: 120_000 }, async (folder) => {
  const model = await loadModel(folder, { workers: 1 });
  const [onnx, tfjs] = [
    await openWhiteBox(model, { workers: 1 }),
    await openWhiteBox(model, { workers: 1, engine: 'tfjs' }),
  ];
  for (const text of TEXTS) {
    for (const label of model.labels.keys()) {
      const [a, b] = [await onnx.gradient(text, label), await tfjs.gradient(text, label)];
      let difference = 0;
      let size = 0;
      for (const [i, value] of a.values.entries()) {
        difference += (value - b.values[i]!) ** 2;
        size += value ** 2;
      }
      expect(Math.sqrt(difference / size), `${text} ${label}`).toBeLessThan(1e-5);
      expect(Math.abs(a.loss - b.loss)).toBeLessThan(1e-5 * (1 + a.loss));
    }
  }
  await Promise.all([onnx.close(), tfjs.close()]);
  await model.close();
});
