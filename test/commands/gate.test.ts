/** The gate from outside: its exit code is its verdict. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { steady } from '../refusal.js';
import { folder, robust, toy } from './cli.js';

const data = 'text\tlabel\nA good film.\tpositive\nA dull film.\tnegative\nSuch a good day\t1\nNo, thanks.\t0\n';
const CONFIG = `model: ${JSON.stringify(toy)}\ndata: data.tsv\nattacks: [deepwordbug]\nlog: plain\nminExamples: 1\nci: value\n`;

/** A folder with the toy's data and a configuration. The toy is right on all four, and half of them can be turned. */
const home = (rules: string, files: Record<string, string> = {}) =>
  folder({ 'data.tsv': data, 'robust.config.yaml': `${CONFIG}${rules}`, ...files });

const ASR = 'deepwordbug.attackSuccessRate';

/** Exit code and document of `robust gate --json`. */
async function gate(args: readonly string[], cwd: string) {
  const { code, stdout, stderr } = await robust(['gate', ...args, '--json'], { cwd });
  return { code, stderr, document: JSON.parse(stdout) };
}

describe.concurrent('gate', () => {
  test('attacks by the configuration and judges; then judges the given run, and the given report', async () => {
    const cwd = home(
      `require:\n  - clean.accuracy >= 0.9\n  - { limit: "${ASR} <= 0.3", level: warn }\noutputs: [r.json]\n`,
    );
    const first = await gate([], cwd);
    expect(first.code).toBe(0);
    expect(first.document).toMatchObject({
      ok: true,
      command: 'gate',
      result: {
        verdict: 'passed',
        thresholds: [
          {
            metric: 'clean.accuracy',
            level: 'error',
            expected: '>= 0.9',
            actual: { value: 1, n: 4 },
            verdict: 'passed',
          },
          { metric: ASR, level: 'warn', expected: '<= 0.3', actual: { value: 0.5, n: 4 }, verdict: 'failed' },
        ],
      },
    });
    expect(JSON.parse(readFileSync(join(cwd, 'r.json'), 'utf8')).result).toMatchObject({
      verdict: 'passed',
      gate: { verdict: 'passed', thresholds: [{ metric: 'clean.accuracy' }, { metric: ASR }] },
      provenance: {
        config: 'robust.config.yaml',
        hardware: expect.stringMatching(/ cores, \d+ GiB$/),
        versions: { node: process.version, 'onnxruntime-node': expect.stringMatching(/^\d+\./) },
        settings: {
          model: { value: toy, origin: 'robust.config.yaml:1:1' },
          seed: { value: 42, origin: 'default' },
        },
        fingerprint: { seed: 42, numExamples: 200 },
      },
    });

    const strict = ['--require', `${ASR} <= 0.3`];
    const failed = await gate(['latest', ...strict, '--gate-exit-code', '9'], cwd);
    expect({ code: failed.code, ok: failed.document.ok, verdict: failed.document.result.verdict }).toEqual({
      ...{ code: 9, ok: true, verdict: 'failed' },
    });
    const open = await gate(['r.json', ...strict, '--ci', 'interval'], cwd);
    expect({ code: open.code, verdict: open.document.result.verdict }).toEqual({ code: 4, verdict: 'inconclusive' });
    const { code, stdout } = await robust(['gate', first.document.result.run, ...strict], { cwd });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^failed +deepwordbug\.attackSuccessRate at most 30 %, by its value: 50\.0 %$/m);
    expect(stdout).toMatch(/^Gate failed: /m);
  });

  test.each([
    ['--require', ['--require', `${ASR} <= 0.3`], {}, '', '--require'],
    ['ROBUST_REQUIRE', [], { ROBUST_REQUIRE: `clean.accuracy >= 0.5\n${ASR} <= 0.3` }, '', 'ROBUST_REQUIRE'],
    ['require', [], {}, `require: ["${ASR} <= 0.3"]\n`, 'robust.config.yaml:7:11'],
  ])('demands the same by %s', async (_, args, env, rules, origin) => {
    const cwd = home(rules);
    const { code, stdout } = await robust(['gate', ...args, '--json'], { cwd, env });
    expect(code).toBe(1);
    expect(JSON.parse(stdout).result.thresholds).toContainEqual(
      expect.objectContaining({ metric: ASR, level: 'error', expected: '<= 0.3', verdict: 'failed' }),
    );
    if (args.length > 0) return;
    const shown = await robust(['config', 'show', '--json'], { cwd, env });
    expect(JSON.parse(shown.stdout).result.settings).toContainEqual({
      key: `require.${ASR}`,
      value: `${ASR} <= 0.3`,
      origin,
    });
  });

  test('without anything to judge by ends before a model is opened', async () => {
    const { code, document } = await gate(['-m', './missing'], home(''));
    expect({ code, error: document.error.code }).toEqual({ code: 2, error: 'REQUIREMENT_INVALID' });
  });

  test('--threshold is a score, as on every command', async () => {
    const args = ['--positive', 'positive', '--threshold', '0.75', '--require', 'clean.accuracy >= 0.5'];
    const cwd = home('');
    const { document } = await gate(args, cwd);
    const record = readFileSync(join(cwd, '.robust', 'runs', document.result.run, 'run.json'), 'utf8');
    expect(JSON.parse(record)).toMatchObject({
      settings: { threshold: '0.75' },
      model: { decision: { kind: 'threshold', at: 0.75 } },
    });
  });

  test('an expired waiver is reported', async () => {
    const waivers = `waivers:\n  - { metric: ${ASR}, owner: me, reason: later, expires: 2020-01-01 }\n`;
    const { code, document } = await gate([], home(`require: ["${ASR} <= 0.3"]\n${waivers}`));
    expect(code).toBe(1);
    expect(document.warnings).toEqual([`the waiver of ${ASR} (me) ended with 2020-01-01`]);
  });

  test('when nothing could be attacked, nothing is passed', async () => {
    const wrong = 'text\tlabel\nA good film.\tnegative\nA dull film.\tpositive\n';
    const cwd = home(`require: ["${ASR} >= 0 and <= 1"]\nforce: true\n`, { 'data.tsv': wrong });
    const { code, document } = await gate([], cwd);
    expect({ code, verdict: document.result.verdict }).toEqual({ code: 4, verdict: 'inconclusive' });
    expect(document.result.reasons).toEqual([
      'no attack was carried out on any example',
      `${ASR}: nothing was measured`,
    ]);
  });
});

describe('refuses', () => {
  /** The rest of the configuration, arguments, exit code, error code. */
  const BAD: readonly (readonly [string, string, number, string])[] = [
    ['', '', 2, 'REQUIREMENT_INVALID'],
    [`require: [{ limit: "${ASR}", level: off }]\n`, '', 2, 'REQUIREMENT_INVALID'],
    ['require:\n  - typos.attackSuccessRate <= 0.3\n', '', 2, 'METRIC_NOT_FOUND'],
    [`require: ["${ASR} <= 30"]\n`, '', 2, 'REQUIREMENT_INVALID'],
    [`require: ["${ASR} <= 0.3 and >= 0.5"]\n`, '', 2, 'CONFIG_INVALID'],
    ['', `--require ${ASR}<=0.3 --require ${ASR}>=0.5`, 2, 'REQUIREMENT_INVALID'],
    ['', '--require nonsense', 2, 'REQUIREMENT_INVALID'],
    [
      `require: ["${ASR} <= 0.3"]\nwaivers:\n  - { metric: ${ASR}, owner: me, reason: later, expires: 9999-12-31 }\n`,
      ...(['', 2, 'REQUIREMENT_INVALID'] as const),
    ],
    ['', `--require ${ASR}<=0.3 --baseline max-increase=1`, 2, 'FLAG_INVALID'],
    ['', `--require ${ASR}<=0.3 --max-error-rate 1`, 2, 'FLAG_INVALID'],
    ['', `--require ${ASR}<=0.3 --min-examples 0`, 2, 'FLAG_INVALID'],
    ['', '--require clean.accuracy>=0.9%', 2, 'REQUIREMENT_INVALID'],
    ['require: ["clean.accuracy <= 0.9"]\n', '', 2, 'REQUIREMENT_INVALID'],
    ['', `--require ${ASR}>=0.3`, 2, 'REQUIREMENT_INVALID'],
    ['', '--gate-exit-code 256', 2, 'FLAG_INVALID'],
    ['', '--gate-exit-code 0', 2, 'FLAG_INVALID'],
    ['', 'no-such-run --require a.b<=1', 2, 'RUN_NOT_FOUND'],
    ['', 'newer.json --require a.b<=1', 2, 'REPORT_UNSUPPORTED'],
    ['', 'other.json --require a.b<=1', 3, 'REPORT_DAMAGED'],
    ['', 'newer-run --require a.b<=1', 2, 'REPORT_UNSUPPORTED'],
  ];

  test.each(BAD)('%j %s', async (rules, args, exit, code) => {
    const cwd = home(rules, { 'newer.json': '{"schemaVersion":2}', 'other.json': '{"schemaVersion":1,"ok":true}' });
    if (args.startsWith('newer-run')) {
      mkdirSync(join(cwd, 'newer-run'));
      writeFileSync(join(cwd, 'newer-run', 'run.json'), '{"schemaVersion":2}');
    }
    const ended = await gate(args.split(' ').filter(Boolean), cwd);
    expect({ exit: ended.code, code: ended.document.error?.code }).toEqual({ exit, code });
    expect(steady(ended.stderr).replace(/by \d{4}-\d\d-\d\d/, 'by <a year from today>')).toMatchSnapshot();
  });
});
