/** Baselines from outside: saved, compared, ratcheted; the cheap check; the comments on GitHub. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scene } from '../scenes.js';
import { folder, robust } from './cli.js';

/** Right on each text. Without "good" it turns from positive; the weak one without "bad" from negative too. */
const model = (weak: boolean): string =>
  `export default { labels: ['negative', 'positive'], classify: async (texts) => texts.map((text) => {
    const evidence = text.includes('good') ? 1 : text.includes('bad') ? -1 : ${weak ? '/[13579]\\.$/.test(text) ? -0.1 : 0.1' : '-0.1'};
    const positive = 1 / (1 + Math.exp(-evidence));
    return Float32Array.of(1 - positive, positive);
  }) };`;

const rows = Array.from(
  { length: 40 },
  (_, at) => `The ${scene(at)}: a ${at % 2 ? 'good' : 'bad'} plot number ${at}.\t${at % 2}`,
);
const files = { 'data.tsv': `text\tlabel\n${rows.join('\n')}\n`, 'toy.mjs': model(false) };
const SETTINGS = ['-d', 'data.tsv', '-a', 'deepwordbug', '-q'];
const args = ['-m', './toy.mjs', ...SETTINGS];

test('a release that fell behind its baseline fails; a better one moves the ratchet', async () => {
  const cwd = folder(files);
  const json = async (line: readonly string[], env: Record<string, string> = {}) => {
    const { code, stdout, stderr } = await robust([...line, '--json'], { cwd, env });
    return { code, stderr, document: JSON.parse(stdout) };
  };
  const baseline = ['--baseline', 'robust.baseline.json'];
  expect((await json(['gate', ...args, ...baseline])).document.error.code).toBe('BASELINE_NOT_FOUND');
  await robust(['attack', ...args], { cwd });
  const saved = await json(['baseline', 'save', '--transfer', 't.jsonl']);
  expect(saved.document.result).toMatchObject({ file: 'robust.baseline.json', examples: 40, transfer: { texts: 20 } });
  expect(readFileSync(join(cwd, 'robust.baseline.json'), 'utf8')).not.toContain('plot');
  expect((await json(['gate', ...args, ...baseline])).code).toBe(0);

  // The next release, under the same name, is weaker.
  mkdirSync(join(cwd, 'next'));
  writeFileSync(join(cwd, 'next', 'toy.mjs'), model(true));
  const next = ['-m', './next/toy.mjs', ...SETTINGS];
  const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(cwd, 'summary'), GITHUB_OUTPUT: join(cwd, 'output') };
  const weaker = await json(['gate', ...next, ...baseline, '--comment', 'comment.md'], env);
  expect(weaker.code).toBe(1);
  const [, change] = weaker.document.result.baseline.changes;
  expect(change).toMatchObject({ name: 'deepwordbug', verdict: 'failed' });
  expect(weaker.stderr).toMatch(/^::error title=Robustness gate failed::deepwordbug\.attackSuccessRate/m);
  expect(readFileSync(join(cwd, 'summary'), 'utf8')).toContain('deepwordbug');
  expect(readFileSync(join(cwd, 'output'), 'utf8')).toMatch(/^verdict<<(\S+)\nfailed\n\1$/m);
  expect(readFileSync(join(cwd, 'comment.md'), 'utf8')).toMatch(/^<!-- robust-gate -->\n/);

  const diff = await robust(['baseline', 'diff', 'latest'], { cwd });
  expect(diff.code).toBe(0);
  expect(diff.stdout).toMatch(/^failed +deepwordbug\.attackSuccessRate against the baseline/m);

  // From there the stronger one is better.
  expect((await json(['baseline', 'save'])).code).toBe(0);
  const before = readFileSync(join(cwd, 'robust.baseline.json'), 'utf8');
  expect((await json(['gate', ...args, ...baseline, '--baseline', 'ratchet=true'])).code).toBe(0);
  expect(readFileSync(join(cwd, 'robust.baseline.json'), 'utf8')).not.toBe(before);

  // The saved texts, queried again, flip the model on which they were found.
  const cheap = ['gate', ...args.slice(0, 2), '-q', '--transfer', 't.jsonl', '--min-examples', '20'];
  const turned = await json([...cheap, '--require', 'transfer.attackSuccessRate <= 0.8']);
  expect({ code: turned.code, actual: turned.document.result.thresholds[0].actual }).toMatchObject({
    ...{ code: 1, actual: { value: 1, n: 20 } },
  });
  writeFileSync(join(cwd, 't.jsonl'), readFileSync(join(cwd, 't.jsonl'), 'utf8').replace('"adversarial"', '"adverse"'));
  const broken = await json([...cheap, '--require', 'transfer.attackSuccessRate <= 0.9']);
  expect({ code: broken.code, error: broken.document.error.code }).toEqual({ code: 3, error: 'DATA_DAMAGED' });
});

test.each([
  ['baseline save', 2, 'RUN_NOT_FOUND'],
  ['baseline diff', 2, 'BASELINE_NOT_FOUND'],
  ['baseline diff --baseline other.json', 3, 'BASELINE_DAMAGED'],
  ['baseline diff --baseline .', 3, 'BASELINE_DAMAGED'],
])('robust %s', async (line, exit, code) => {
  const cwd = folder({ ...files, 'other.json': '{}' });
  const ended = await robust([...line.split(' '), '--json'], { cwd });
  expect({ exit: ended.code, code: JSON.parse(ended.stdout).error.code }).toEqual({ exit, code });
});

test.skipIf(!existsSync('/proc/self'))(
  'what is no baseline is not overwritten, nor is a read-only folder written',
  async () => {
    const cwd = folder({ ...files, 'notes.json': '{"mine":1}' });
    await robust(['attack', ...args, '-n', '2'], { cwd });
    const mine = await robust(['baseline', 'save', '--baseline', 'notes.json', '--json'], { cwd });
    expect({ code: mine.code, error: JSON.parse(mine.stdout).error.code }).toEqual({
      code: 3,
      error: 'BASELINE_DAMAGED',
    });
    expect(readFileSync(join(cwd, 'notes.json'), 'utf8')).toBe('{"mine":1}');
    const locked = await robust(['baseline', 'save', '--baseline', '/proc/x.json', '--json'], { cwd });
    expect({ code: locked.code, error: JSON.parse(locked.stdout).error.code }).toEqual({
      code: 3,
      error: 'OUTPUT_UNREACHABLE',
    });
  },
);
