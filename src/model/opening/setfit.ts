/** @file A SetFit model as a classifier: its encoder and its fitted head are drawn together. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openCheckpoint, weightFileOf } from '../../../packages/onnx/src/convert/checkpoint/open.js';
import { isSetFit } from '../../../packages/onnx/src/convert/sentence-files.js';
import { writeWhole } from '../../files/write.js';
import { describedHead, tokenizerIn } from './described-head.js';
import type { ComposedSource } from './drawing-source.js';
import { readJsonObject } from './json-file.js';
import type { OnnxFiles } from './resolve.js';

/** Whether a folder holds a SetFit model. An ONNX file in `onnx/` is its encoder's. */
export function isSetFitFolder({ folder, model }: Pick<OnnxFiles, 'folder' | 'model'>): boolean {
  const at = (name: string) => existsSync(join(folder, name));
  return (
    (model === undefined || !model.endsWith('.onnx')) &&
    !at('robust.json') &&
    !at('model.onnx') &&
    isSetFit(at) &&
    weightFileOf(at) !== undefined
  );
}

/** Throws ModelError. */
export async function setFitSource(folder: string): Promise<ComposedSource> {
  const path = join(folder, 'config.json');
  const config = await readJsonObject(path);
  const [{ sentenceModules }, { openSetFit }] = await Promise.all([
    import('../../../packages/onnx/src/convert/sentence.js'),
    import('../../../packages/onnx/src/convert/setfit/index.js'),
  ]);
  const fitted = openSetFit(folder);
  const sentences = sentenceModules(folder);
  const { labels, head, files } = fitted;
  const problem = head.scores === 'independent' ? 'multi_label_classification' : undefined;
  const describe = await describedHead(folder, config, { labels, problem, reading: sentences?.reading });
  const shares = { output: { activation: 'sigmoid', normalise: true } };
  return {
    files: [path, ...openCheckpoint(folder).files, ...(sentences?.files ?? []), ...files, ...tokenizerIn(folder)],
    called: 'SetFit model',
    draw: async (half = false) =>
      (await import('../../../packages/onnx/src/convert/index.js')).convertCheckpoint(folder, config, { fitted, half }),
    describe: (aside) => {
      describe(aside);
      if (head.scores === 'shares')
        writeWhole(join(aside, 'robust.json'), `${JSON.stringify(shares, null, 2)}\n`, 'robust.json');
    },
  };
}
