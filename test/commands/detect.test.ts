import { describe, expect, test } from 'vitest';
import { folder, robust, toy } from './cli.js';

const rows = [
  'text\tlabel',
  ...Array.from({ length: 40 }, (_, at) => `${at % 2 ? 'a good' : 'a dull'} film number ${at}\t${at % 2}`),
];
const cwd = folder({ 'dev.tsv': `${rows.join('\n')}\n` });

describe('detect', async () => {
  await robust(['attack', '--model', toy, '--data', 'dev.tsv', '-a', 'pruthi', '--no-progress'], { cwd });

  test('judges every detector on the latest run', async () => {
    const { code, stdout } = await robust(['detect', '--json', '--no-progress'], { cwd });
    const { detectors, clean } = JSON.parse(stdout).result;
    expect(code).toBe(0);
    expect(clean).toEqual({ learnt: 13, calibration: 13, test: 13 });
    expect(detectors.map(({ name }: { name: string }) => name)).toEqual([
      'fgws',
      'perplexity',
      'confidence',
      'combined',
    ]);
    expect(detectors[0].attacks[0]).toMatchObject({ name: 'pruthi', detected: { n: expect.any(Number) } });
  });

  test.each([
    [['--method', 'fgsw'], 2, 'Did you mean "fgws"'],
    [['--method', 'density'], 3, 'hidden states'],
    [['nowhere'], 2, 'expected a run'],
    [['--frr', '2'], 2, 'from 0 to 1'],
  ])('%j is refused', async (args, exit, message) => {
    const { code, stderr } = await robust(['detect', ...args, '--no-progress'], { cwd });
    expect(code).toBe(exit);
    expect(stderr).toContain(message);
  });
});
