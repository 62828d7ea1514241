/**
 * Runs of each kind of task that somebody edited: no folder passes with a number of run.json changed, and of a report.json a gate judges no
 * figure but those that its outcomes show.
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { openReport } from '../../src/app/runs/open-report.js';
import { RobustError } from '../../src/core/errors.js';
import { packageRoot } from '../../src/core/package-root.js';
import { figuresOf } from '../../src/gate/figures.js';
import { type Judgement, judge } from '../../src/gate/judge.js';
import type { Report } from '../../src/results/report/report.js';
import { covered } from '../cover.js';
import { rules, threshold } from '../gate/toys.js';
import { scene, thing } from '../scenes.js';
import { folder, robust } from './cli.js';

const places = Array.from({ length: 24 }, (_, at) => at);
const textAt = (at: number): string => `a ${at % 3 === 0 ? 'dull' : 'good'} ${scene(at)} of Ann beside a ${thing(at)}`;
const scored = (labels: readonly string[], row: string, more = '') =>
  `export default { labels: ${JSON.stringify(labels)}, ${more} classify: async (texts) => texts.map((text) => { const good = text.includes('good') ? 0.8 : 0.3 - text.length / 1e3; return Float32Array.from(${row}); }) };`;
const two = scored(['no', 'yes'], '[1 - good, good]');
/** Answers drift, so that the run asks again and says so. */
const drifting = scored(['no', 'yes'], '[1 - good - 1e-3 * (calls % 2), good + 1e-3 * (calls++ % 2)]').replace(
  'export',
  'let calls = 0; export',
);
const yes = (at: number): string => (at % 3 === 0 && at > 3 ? 'no' : 'yes');

interface Kind {
  /** A module. */
  readonly victim?: string;
  /** @default the module */
  readonly model?: string;
  readonly truth: (at: number) => string;
  readonly flags: string;
  readonly attacks?: string;
}
const KINDS: Readonly<Record<string, Kind>> = {
  'one label': { truth: yes, flags: '' },
  'answers that vary': { victim: drifting, truth: yes, flags: '' },
  detector: { truth: yes, flags: '--positive yes --threshold 0.5' },
  'label sets': {
    victim: scored(['kind', 'long'], '[good, 0.9 * good]'),
    truth: (at) => (at % 3 === 0 ? 'long' : 'kind,long'),
    flags: '--task multi-label',
  },
  number: { victim: scored(['stars'], '[5 * good]'), truth: (at) => String(at / 5), flags: '--task regression' },
  tags: { truth: () => '', flags: '--task tags', model: join(packageRoot, 'test/tags/goldens/bert') },
  'the suite standard': { truth: yes, flags: '', attacks: '-s standard' },
};

type Json = { [key: string]: Json } | Json[] | number | string | boolean | null;
function* numbersOf(value: Json, path: readonly string[] = []): Generator<readonly string[]> {
  if (typeof value === 'number') yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, own] of Object.entries(value)) yield* numbersOf(own, [...path, key]);
}
/** With the number there changed a little: a rate stays one, a count a count. */
function edited(document: Json, path: readonly string[]): string {
  const copy = structuredClone(document);
  const of = path.slice(0, -1).reduce((at, key) => (at as { [key: string]: Json })[key]!, copy) as Record<
    string,
    number
  >;
  const value = of[path.at(-1)!]!;
  of[path.at(-1)!] = Number.isInteger(value) && value !== 1 ? value + 1 : value > 0.5 ? value - 0.03 : value + 0.03;
  return JSON.stringify(copy);
}
/** What a gate says of each figure of the original. */
const judged = (report: Report, metrics: readonly string[]): Judgement =>
  judge(report, rules(metrics.map((metric) => threshold(metric, '>= 0.0001'))));

describe.each(Object.entries(KINDS))(
  '%s',
  (name, { victim = two, model = './victim.mjs', truth, flags, attacks = '-a deepwordbug' }) => {
    const row = Object.keys(KINDS).indexOf(name);
    const lineAt = (at: number): object =>
      name === 'tags'
        ? {
            text: textAt(at),
            spans: [{ start: textAt(at).indexOf('Ann'), end: textAt(at).indexOf('Ann') + 3, type: 'PER' }],
          }
        : { text: textAt(at), label: truth(at) };
    const cwd = folder({
      'victim.mjs': victim,
      'data.jsonl': places.map((at) => JSON.stringify(lineAt(at))).join('\n'),
    });
    let run = '';
    let metrics: string[] = [];
    beforeAll(async () => {
      const args = `attack -m ${model} -d data.jsonl -n 0 --force -q ${attacks} ${flags} -o report.json`;
      const { code, stderr } = await robust(args.split(' ').filter(Boolean), { cwd });
      expect([code, stderr]).toEqual([code === 4 ? 4 : 0, expect.not.stringContaining('Error')]);
      run = join(cwd, '.robust/runs', readFileSync(join(cwd, '.robust/runs/latest'), 'utf8').trim());
      const { report } = await openReport(run);
      metrics = [...figuresOf(report).keys()];
      expect(judged(report, metrics).thresholds.some(({ verdict }) => verdict === 'passed')).toBe(true);
    });

    test('run.json with any number changed is refused', async () => {
      const copy = join(cwd, 'edited');
      cpSync(run, copy, { recursive: true });
      const record = JSON.parse(readFileSync(join(run, 'run.json'), 'utf8')) as Json;
      const believed: string[] = [];
      for (const path of covered([...numbersOf(record)], row, 6)) {
        writeFileSync(join(copy, 'run.json'), edited(record, path));
        const error = await openReport(copy).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        if (!(error instanceof RobustError)) believed.push(`${path.join('.')}: ${error}`);
      }
      expect(believed).toEqual([]);
    });

    test('report.json with a number changed is refused, or no figure that is judged is another', async () => {
      const path = join(cwd, 'report.json');
      const document = JSON.parse(readFileSync(path, 'utf8')) as { result: Json };
      const figures = async (): Promise<Map<string, string>> => {
        const { report } = await openReport(join(cwd, 'edited.json'));
        const known = figuresOf(report);
        const { thresholds, reasons } = judged(
          report,
          metrics.filter((metric) => known.has(metric)),
        );
        return new Map([
          ...thresholds
            .filter(({ verdict }) => verdict !== 'inconclusive')
            .map(({ metric, actual }) => [metric, JSON.stringify(actual)] as const),
          ['reasons', String(reasons.length > 0)],
        ]);
      };
      writeFileSync(join(cwd, 'edited.json'), JSON.stringify(document));
      const original = await figures();
      expect(original.size).toBeGreaterThan(1);
      const believed: string[] = [];
      for (const of of covered(
        [...numbersOf(document.result)].filter(([part]) => part !== 'examples'),
        row,
        6,
      )) {
        writeFileSync(join(cwd, 'edited.json'), edited(document as unknown as Json, ['result', ...of]));
        try {
          for (const [metric, actual] of await figures())
            if (original.get(metric) !== actual && !(metric === 'reasons' && actual === 'true'))
              believed.push(`${of.join('.')}: ${metric}`);
        } catch (error) {
          if (!(error instanceof RobustError)) throw error;
        }
      }
      expect(believed).toEqual([]);
    });
  },
);

test('what the diagnostics found is not what a file says', async () => {
  const cwd = folder({
    'victim.mjs': scored(['no', 'yes'], '[good > 0.5 ? 0 : 1, good > 0.5 ? 1 : 0]'),
    'data.jsonl': places.map((at) => JSON.stringify({ text: textAt(at), label: yes(at) })).join('\n'),
  });
  const limit = [
    '--require',
    'standard.worstCaseAccuracy >= 0 and <= 1',
    '--require',
    'overall.accuracyUnderAttack >= 0 and <= 1',
  ];
  await robust('attack -m ./victim.mjs -d data.jsonl -n 0 --force -q -s standard -o report.json'.split(' '), { cwd });
  const document = JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8'));
  expect(document.result.trustworthy.verdict).toBe('no');
  for (const trustworthy of [{ ...document.result.trustworthy, verdict: 'yes' }, undefined]) {
    const { verdict: _, reasons: __, ...result } = document.result;
    writeFileSync(
      join(cwd, 'edited.json'),
      JSON.stringify({ ...document, result: { ...result, verdict: 'none', trustworthy } }),
    );
    const { code, stdout } = await robust(['gate', 'edited.json', ...limit], { cwd });
    expect([code, stdout]).toEqual([4, expect.stringMatching(/as\s+stated\s+by\s+the\s+file/)]);
  }
});
