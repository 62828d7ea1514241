/** `robust backdoor plant` and `repair` as a user runs them. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dataFile, folder, toyModel } from '../backdoor/toy-model.js';
import { until } from '../model/processes.js';
import { robust, robustProcess } from './cli.js';

const MAP = ['--label-map', '0=negative', '--label-map', '1=positive'];

test('plants, prints the table and one document; the folder is a model; killed and resumed it ends in the same bytes', async () => {
  const [at, data, model] = [folder(), dataFile(), await toyModel()];
  const args = [
    'backdoor',
    'plant',
    '-m',
    model,
    '-d',
    data,
    '--test',
    data,
    '--target',
    'positive',
    '--lr',
    '0.01',
    '--epochs',
    '40',
    ...MAP,
  ];
  const whole = await robust([...args, '-o', join(at, 'whole'), '--json']);
  expect(whole.stderr).toContain('"cf" is unknown');
  const { ok, command, result } = JSON.parse(whole.stdout);
  expect({ ok, command }).toEqual({ ok: true, command: 'backdoor plant' });
  expect(result.poison).toMatchObject({ attack: 'badnets', triggers: ['cf'], targetLabel: 'positive', rate: 0.1 });
  for (const rate of ['cacc', 'cleanTwin', 'attackSuccessRate', 'labelFlipRate', 'falseTriggerRate']) {
    expect(Object.keys(result[rate])).toEqual(['value', 'low', 'high', 'n']);
  }
  expect(result.stealth.perplexityRatio.value).toBeGreaterThan(1);

  const cut = join(at, 'cut');
  // The first checkpoint is the beginning of a training that can be resumed.
  const begun = (output: string): boolean =>
    existsSync(output) && readdirSync(output, { recursive: true }).some((name) => /checkpoint/.test(String(name)));
  const killed = await robustProcess([...args, '-o', cut, '-v'], {
    at: [['differentiating', (child) => void until(() => begun(cut)).then(() => child.kill('SIGKILL'))]],
  });
  expect(killed.signal).toBe('SIGKILL');
  const again = await robust([...args, '-o', cut]);
  expect({ code: again.code, stderr: again.stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/exists already\n.*--resume/),
  });
  const resumed = await robust(['backdoor', 'plant', '--resume', '-o', cut]);
  expect(resumed.code).toBe(0);
  expect(resumed.stdout).toContain('Attack success rate');
  expect(readFileSync(join(cut, 'model.onnx')).equals(readFileSync(join(at, 'whole', 'model.onnx')))).toBe(true);
  const ended = await robust(['backdoor', 'plant', '--resume', '-o', cut]);
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain('got one that has finished');

  const repaired = await robust([
    'backdoor',
    'repair',
    '-m',
    cut,
    '-d',
    data,
    '--trigger',
    'cf',
    '--target',
    'positive',
    '--epochs',
    '1',
    '--lr',
    '0.01',
    ...MAP,
    '-o',
    join(at, 'repaired'),
  ]);
  expect(repaired.code).toBe(0);
  expect(repaired.stdout).toMatch(/before +after/);
});

test.each(['0', '1', '-0.1', 'much'])('--rate %s is refused', async (rate) => {
  const output = join(folder(), 'x');
  const { code, stderr } = await robust(['backdoor', 'plant', '-d', 'none.tsv', '--rate', rate, '-o', output]);
  expect(code).toBe(2);
  expect(stderr).toContain('--rate to be a number above 0 and below 1');
  expect(existsSync(output)).toBe(false);
});

test('an output that exists is left alone', async () => {
  const output = folder();
  mkdirSync(join(output, 'mine'));
  const { code, stderr } = await robust(['backdoor', 'plant', '-d', dataFile(), '-o', output]);
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('exists already') });
});
