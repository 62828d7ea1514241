/** A model of a stranger: what was not read is not clean, and what is dangerous fails without being asked. */
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';
import { folder, robust } from './cli.js';

const index = (weights: string) => (at: string) =>
  writeFileSync(join(at, 'model.safetensors.index.json'), JSON.stringify({ weight_map: { a: weights } }));

test.each<[string, (at: string) => void, number, RegExp]>([
  ['as it is', () => {}, 0, /^Nothing dangerous found: 4\s+checks\s.*;\s+none\s+to\s+check:\s+pickles/s],
  ['a shard elsewhere', index('../../w.safetensors'), 1, /^Dangerous: .*outside\s+the\s+model's\s+folder/s],
  ['a shard that is missing', index('w.safetensors'), 4, /^Inconclusive: .*not\s+in\s+the\s+folder/s],
  ['no weights', (at) => rmSync(join(at, 'model.onnx')), 4, /^Inconclusive: .*no\s+file\s+of\s+weights/s],
  ['a pickle that calls', (at) => writeFileSync(join(at, 'w.bin'), "cos\nsystem\n(S'id'\ntR."), 1, /^Dangerous: w.bin/],
])('%s', async (_, change, code, says) => {
  const home = folder();
  cpSync(join(packageRoot, 'models', 'bert-mini'), join(home, 'm'), { recursive: true });
  change(join(home, 'm'));
  for (const gate of [[], ['--gate']]) {
    const ended = await robust(['scan-model', './m', '--files-only', ...gate], { cwd: home });
    expect(ended.code).toBe(code);
    expect(ended.stdout).toMatch(says);
  }
});
