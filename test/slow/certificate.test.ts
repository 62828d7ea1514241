/** No attack may find inside a certified radius what the certificate rules out: 200 bundled sentences, two attacks, adaptive. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDataset } from '../../datasets/index.js';
import { argmax } from '../../src/core/argmax.js';
import type { Outcome } from '../../src/core/outcome.js';
import { random } from '../../src/core/random.js';
import { certify, maskedVersions } from '../../src/defence/random-masking.js';
import { loadModel } from '../../src/model/load.js';
import { openRun, readReport } from '../../src/run/index.js';
import { folder, robust } from '../commands/cli.js';

const OPTIONS = { rate: 0.7, samples: 100 };

test('no adversarial text lies inside a certified radius', { timeout: 1_800_000 }, async () => {
  const cwd = folder();
  const defence = `ranmask:rate=${OPTIONS.rate}:samples=${OPTIONS.samples}`;
  const budget = ['--query-budget', '40', '-n', '200', '--no-progress', '-q'];
  const run = await robust(
    ['attack', '-m', 'bert-mini', '--defend', defence, '-a', 'deepwordbug', '-a', 'pwws:constraints=none', ...budget],
    { cwd },
  );
  expect(run.code).toBe(0);
  // The undefended run is the latest; the defended one is the first.
  const runs = join(cwd, '.robust/runs');
  const broken: Outcome[] = [];
  const { readdirSync } = await import('node:fs');
  const first = readdirSync(runs)
    .filter((name) => name !== 'latest')
    .sort()[0] as string;
  const report = await readReport(await openRun(runs, first));
  expect(report.model.defence).toContain('vote of 100 versions');
  for await (const outcome of report.examples) if (outcome.status === 'succeeded') broken.push(outcome);

  const model = await loadModel('bert-mini');
  try {
    const dataset = await openDataset('reviews', { labels: model.labels });
    const inside: string[] = [];
    let certified = 0;
    let count = 0;
    for await (const { id, text, label } of dataset.examples()) {
      if (count++ === 200) break;
      const how = { mask: '[UNK]', alpha: 0.001, random: random(42, 'certify', text) };
      const certificate = await certify(text, model, OPTIONS, how);
      if (certificate.label !== label || certificate.radius < 1) continue;
      certified += 1;
      for (const outcome of broken.filter((each) => each.id === id && each.changed <= certificate.radius)) {
        // What is certified is the vote of all versions. The attack turned that of a hundred: ask many more.
        const versions = maskedVersions(outcome.adversarial as string, OPTIONS.rate, 4000, '[UNK]', random(7, id));
        const votes = (await model.classify(versions)).filter((row) => argmax(row) === label).length;
        inside.push(`${id} under ${outcome.attack}: ${votes} of 4000`);
        expect(votes, inside.at(-1)).toBeGreaterThan(2000);
      }
    }
    if (inside.length > 0) console.log(`turned in a vote of 100 inside a certified radius: ${inside.join('; ')}`);
    expect(certified).toBeGreaterThan(0);
    expect(broken.length).toBeGreaterThan(0);
  } finally {
    await model.close();
  }
});
