/** The weights of a trained model as transformers names them. */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { safetensorsHeader } from '../../packages/onnx/src/convert/checkpoint/safetensors.js';
import { train } from '../../src/app/train.js';
import { loadModel } from '../../src/model/load.js';
import { writeWeights } from '../../src/model/opening/weights-file.js';
import { dataFile, folder } from '../backdoor/toy-model.js';

const TEXTS = ['a good film', 'a bad film and a long one', ''];
const ARCHITECTURE = { layers: 1, dim: 16, heads: 2, vocabulary: 60, epochs: 1, force: true } as const;

/** A copy as Python would write it: the graph is drawn from the weights. */
function withoutGraph(output: string): string {
  const copy = join(folder(), 'weights');
  mkdirSync(copy, { recursive: true });
  cpSync(output, copy, { recursive: true, filter: (path) => !/(model\.onnx|robust\.json)$/.test(path) });
  return copy;
}

describe('model.safetensors', () => {
  test.each(['bert', 'distilbert'] as const)(
    '%s: a folder without the graph answers the same, and learns on',
    async (arch) => {
      const output = join(folder(), arch);
      await train({ ...ARCHITECTURE, arch, data: dataFile(), output });
      const answers = async (model: string) => {
        const opened = await loadModel(model, { workers: 1 });
        const rows = (await opened.classify(TEXTS)).map((row) => [...row]);
        await opened.close();
        return rows;
      };
      const whole = await answers(output);
      const copy = withoutGraph(output);
      const drawn = await answers(copy);
      for (const [at, row] of drawn.entries())
        for (const [label, value] of row.entries()) expect(value).toBeCloseTo(whole[at]![label]!, 6);
      const tuned = join(folder(), 'tuned');
      await train({ model: copy, data: dataFile(), output: tuned, epochs: 1 });
      expect(existsSync(join(tuned, 'model.safetensors'))).toBe(true);
    },
  );

  test('weights that were tuned without another export are told, those of the export and damaged ones are not', async () => {
    const output = join(folder(), 'stale');
    await train({ ...ARCHITECTURE, arch: 'bert', data: dataFile(), output });
    const warnings = async () => {
      const told: string[] = [];
      await (await loadModel(output, { workers: 1, onWarning: (message) => told.push(message) })).close();
      return told;
    };
    expect(await warnings()).toEqual([]);
    const path = join(output, 'model.safetensors');
    const bytes = readFileSync(path);
    const { offset } = safetensorsHeader(path).find(({ name }) => name === 'classifier.bias')!;
    bytes.writeFloatLE(bytes.readFloatLE(offset) + 0.01, offset);
    writeFileSync(path, bytes);
    expect(await warnings()).toEqual([expect.stringContaining('classifier.bias differs')]);
    writeFileSync(path, bytes.subarray(0, 100));
    expect(await warnings()).toEqual([]);
  });

  test('of a model that transformers has no class for there is none, and an older one is removed', async () => {
    const output = join(folder(), 'cnn');
    await train({ ...ARCHITECTURE, arch: 'word-cnn', data: dataFile(), output });
    expect(existsSync(join(output, 'model.safetensors'))).toBe(false);
  });

  test('weights that the config does not draw are not left behind', async () => {
    const output = join(folder(), 'broken');
    await train({ ...ARCHITECTURE, arch: 'bert', data: dataFile(), output });
    const config = join(output, 'config.json');
    writeFileSync(config, readFileSync(config, 'utf8').replace('"num_hidden_layers": 1', '"num_hidden_layers": 2'));
    expect(await writeWeights(output)).toBe(false);
    expect(existsSync(join(output, 'model.safetensors'))).toBe(false);
  });
});
