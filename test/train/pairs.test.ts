/** Training on pairs: only both texts together tell the label. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { train } from '../../src/api.js';
import { askedText } from '../../src/core/pair.js';
import { random } from '../../src/core/random.js';
import { loadModel } from '../../src/model/load.js';

test('a model learns what only both texts of a pair tell', { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'robust-pairs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const die = random(1, 'pairs');
  const words = ['cat', 'dog', 'bird', 'fish'];
  const rows = Array.from({ length: 400 }, () => {
    const [a, b] = [die.pick(words), die.pick(words)];
    return `a ${a}\tthe ${b}\t${a === b ? 'same' : 'other'}`;
  });
  const file = join(folder, 'pairs.tsv');
  writeFileSync(file, `first\tsecond\tlabel\n${rows.join('\n')}\n`);
  const output = join(folder, 'model');
  await train({
    ...{ data: [file], output, textColumns: ['first', 'second'], arch: 'bert', layers: 1, dim: 32, heads: 2 },
    ...{ epochs: 25, lr: 0.003, batchSize: 16, maxTokens: 16, seed: 3 },
  });
  const model = await loadModel(output, { workers: 1 });
  try {
    const asked = words.flatMap((a) => words.map((b) => askedText(`the ${b}`, { text2: `a ${a}` })));
    const read = (await model.classify(asked)).map(
      (row) => model.labels[(row[0] as number) > (row[1] as number) ? 0 : 1],
    );
    const truth = words.flatMap((a) => words.map((b) => (a === b ? 'same' : 'other')));
    expect(read).toEqual(truth);
  } finally {
    await model.close();
  }
});
