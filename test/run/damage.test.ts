/** Damaged or edited files are refused with a code: no verdict, no crash. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { jsonOf } from '../../reports/json.js';
import { RobustError } from '../../src/core/errors.js';
import { baselineOf, baselineText, compareBaseline, parseBaseline } from '../../src/gate/index.js';
import type { EvasionPlugin } from '../../src/results/attack-plugin.js';
import { attack, createRun, openRun, type RunFolder, readReport, readReportFile } from '../../src/run/index.js';
import { sealed } from '../../src/run/record.js';
import { tries } from '../cover.js';
import { refusal } from '../refusal.js';
import { bytesOf, listOf, mangle, planned, planOf, runsIn, sentences } from './toys.js';

const plan = planOf({ dataset: sentences(12) });

async function finishedRun(changes: Parameters<typeof planOf>[0] = {}): Promise<RunFolder> {
  const folder = await createRun(runsIn(), { ...plan, ...changes });
  await attack({ ...plan, ...changes }, folder);
  return folder;
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** The paths to all values of a document. */
function pathsOf(value: Json, path: readonly string[] = []): string[][] {
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return [[...path], ...inner.flatMap(([key, each]) => pathsOf(each, [...path, key]))];
}

const GONE = Symbol('gone');

function changed(document: Json, path: readonly string[], to: Json | typeof GONE): Json {
  if (path.length === 0) return to === GONE ? null : to;
  const copy = structuredClone(document);
  const last = path.at(-1) as string;
  const holder = path.slice(0, -1).reduce((at, key) => (at as { [key: string]: Json })[key] as Json, copy) as {
    [key: string]: Json;
  };
  if (to !== GONE) holder[last] = to;
  else if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else delete holder[last];
  return copy;
}

const anything = fc.constantFrom<Json | typeof GONE>(
  GONE,
  null,
  -1,
  99,
  1.5,
  '',
  'x',
  true,
  [],
  [null],
  {},
  { a: null },
);

/** Every value of a document in turn replaced by something else: what reads it works, or throws an error with a code. */
async function survives(text: string, read: (text: string) => Promise<unknown>): Promise<void> {
  const document = JSON.parse(text) as Json;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...pathsOf(document)), anything, async (path, to) => {
      try {
        await read(JSON.stringify(changed(document, path, to)));
      } catch (error) {
        if (!(error instanceof RobustError)) throw error;
      }
    }),
    { numRuns: tries(400) },
  );
}

describe('results.jsonl', () => {
  let folder: RunFolder;
  let lines: string[];
  beforeAll(async () => {
    folder = await finishedRun({ attacks: plan.attacks.slice(0, 1) });
    lines = bytesOf(folder).split('\n').slice(0, -1);
  });
  const edited = (change: (line: Record<string, unknown>) => object) => (all: string[]) =>
    all.with(3, JSON.stringify(change(JSON.parse(all[3] as string))));

  /** Damages that show whatever the hash. */
  const damages: [string, (all: string[]) => string[]][] = [
    ['a line twice, another gone', (all) => all.with(5, all[4] as string)],
    ['a line lost', (all) => all.toSpliced(4, 1)],
    ['a line more', (all) => [...all, all[3] as string]],
    ['two lines exchanged', (all) => [all[1] as string, all[0] as string, ...all.slice(2)]],
    ['a foreign attack', edited((line) => ({ ...line, attack: 'other' }))],
    ['from: 99', edited((line) => ({ ...line, from: 99 }))],
    ['label: 2', edited((line) => ({ ...line, label: 2 }))],
    ['index: 12', edited((line) => ({ ...line, index: 12 }))],
    ['queries: null', edited((line) => ({ ...line, queries: null }))],
    ['queries: -1', edited((line) => ({ ...line, queries: { asked: -1, computed: 1 } }))],
    ['a status that is none', edited((line) => ({ ...line, status: 'passed' }))],
    ['a score above 1', edited((line) => ({ ...line, scoreAfter: 2 }))],
    ['no text', edited(({ text: _, ...line }) => line)],
    ['null', (all) => all.with(3, 'null')],
    ['a list', (all) => all.with(3, '[]')],
    ['a tail without a line feed', (all) => [...all.slice(0, -1), `${all.at(-1)}\n{"id`]],
  ];

  /** `hashed`: with the hashes of what is there, as whoever edits files can write them. */
  const damage = (change: (all: string[]) => string[], hashed: boolean): void => {
    const text = change(lines).join('\n');
    writeFileSync(folder.journal, text.includes('\n{"id') && text.endsWith('{"id') ? text : `${text}\n`);
    const resultsSha256 = createHash('sha256').update(readFileSync(folder.journal)).digest('hex');
    const record = hashed ? sealed({ ...folder.record, resultsSha256 }) : folder.record;
    writeFileSync(join(folder.path, 'run.json'), JSON.stringify(record));
  };

  test.each(damages)('with %s is refused, whatever its hashes', async (_, change) => {
    for (const hashed of [false, true]) {
      damage(change, hashed);
      const damaged = await openRun('', folder.path);
      await refusal(readReport(damaged), 'RUN_DAMAGED');
      const { partial = [], examples } = await readReport(damaged, { allowPartial: true });
      expect(partial.length).toBeGreaterThan(0);
      expect((await listOf(examples)).length).toBeLessThanOrEqual(12);
    }
  });

  test('that is not there, or a folder, is refused', async () => {
    const gone = await finishedRun();
    rmSync(gone.journal);
    await refusal(readReport(gone), 'RUN_DAMAGED');
    mkdirSync(gone.journal);
    await refusal(readReport(gone, { allowPartial: true }), 'RUN_DAMAGED');
  });

  test('with an id that another attack knows otherwise is refused', async () => {
    const both = await finishedRun();
    writeFileSync(both.journal, bytesOf(both).replace(/"row 3"(?=[^\n]*"mangle:tries=2")/, '"row 33"'));
    await refusal(readReport(both), 'RUN_DAMAGED');
  });

  test('with a status turned, which only the hash can show, is refused', async () => {
    const line = lines.findIndex((each) => each.includes('"succeeded"'));
    damage((all) => all.with(line, (all[line] as string).replace('"succeeded"', '"failed"')), false);
    await refusal(readReport(await openRun('', folder.path)), 'RUN_DAMAGED');
  });

  test('any line with any value changed is an outcome still or an error with a code', async () => {
    await survives(lines[3] as string, async (text) => {
      damage((all) => all.with(3, text), true);
      await readReport(await openRun('', folder.path));
    });
  });

  test('a run with a budget ends before its last pair, and its first are all there', async () => {
    const runBudget = 30;
    const short = await finishedRun({ attacks: [planned(mangle as EvasionPlugin)], runBudget });
    const kept = bytesOf(short).split('\n').slice(0, -1);
    expect(kept.length).toBeLessThan(12);
    await readReport(short);
    short.update({ outcomes: kept.length - 1 });
    writeFileSync(short.journal, `${kept.toSpliced(1, 1).join('\n')}\n`);
    await refusal(readReport(await openRun('', short.path)));
  });
});

describe('run.json', () => {
  test.each([-1, 0])('with a query budget of %i reads as a run without one', async (queryBudget) => {
    const folder = await finishedRun();
    const fingerprint = { ...folder.record.fingerprint, queryBudget };
    folder.update({ fingerprint });
    const [attack] = (await readReport(await openRun('', folder.path))).attacks;
    expect(attack).toMatchObject({ curves: { queries: { points: { length: expect.any(Number) } } } });
  });

  test('with any value changed works or is an error with a code', async () => {
    const folder = await finishedRun();
    const path = join(folder.path, 'run.json');
    await survives(readFileSync(path, 'utf8'), async (text) => {
      writeFileSync(path, text);
      await readReport(await openRun('', folder.path));
    });
  });

  test.each(['resultsSha256', 'recordSha256'] as const)('of a finished run without %s is RUN_DAMAGED', async (hash) => {
    const folder = await finishedRun();
    const { [hash]: _, ...record } = folder.record;
    const path = join(folder.path, 'run.json');
    writeFileSync(path, JSON.stringify(record));
    await refusal(openRun('', folder.path), 'RUN_DAMAGED');
    writeFileSync(path, JSON.stringify({ ...record, status: 'interrupted' }));
    expect((await openRun('', folder.path)).record.status).toBe('interrupted');
  });

  test('that forgot an attack, with its outcomes and their hash, is RUN_DAMAGED', async () => {
    const folder = await finishedRun();
    folder.update({ attacks: folder.record.attacks.slice(0, 1), outcomes: 12 });
    writeFileSync(
      folder.journal,
      bytesOf(folder)
        .split(/(?<=\n)/)
        .slice(0, 12)
        .join(''),
    );
    await expect(openRun('', folder.path)).rejects.toMatchObject({ code: 'RUN_DAMAGED', exit: 3 });
  });

  test.each(['', '{', 'null', '[]', '1', '{"schemaVersion":1}'])('that is %j is RUN_DAMAGED', async (text) => {
    const folder = await finishedRun();
    writeFileSync(join(folder.path, 'run.json'), text);
    await expect(openRun('', folder.path)).rejects.toMatchObject({ code: 'RUN_DAMAGED', exit: 3 });
  });
});

const home = mkdtempSync(join(tmpdir(), 'robust-damage-'));

async function reportText(): Promise<string> {
  const pieces: string[] = [];
  for await (const piece of jsonOf('attack').render(await readReport(await finishedRun()))) pieces.push(piece);
  return pieces.join('');
}

describe('report.json', () => {
  const path = join(home, 'report.json');
  const read = async (text: string) => {
    writeFileSync(path, text);
    const report = await readReportFile(path);
    await listOf(report.examples);
    await baselineOf(report);
  };

  test('with any value changed works or is an error with a code', async () => {
    await survives(await reportText(), read);
  });

  test.each([
    ['a count raised', /"succeeded":(\d+)/, (n: string) => `"succeeded":${Number(n) + 1}`],
    ['a success called a failure', /"status":"succeeded"/, () => '"status":"failed"'],
    ['a rate made good', /"attackSuccessRate":\{"value":[\d.]+/, () => '"attackSuccessRate":{"value":0'],
    ['a rate of nothing', /"clean":\{"accuracy":\{"value":[\d.]+/, () => '"clean":{"accuracy":{"value":null'],
  ])('with %s is refused', async (_, pattern, to) => {
    const text = await reportText();
    const broken = text.replace(pattern, (__, n: string) => to(n));
    expect(broken).not.toBe(text);
    await expect(read(broken)).rejects.toMatchObject({ code: 'REPORT_DAMAGED', exit: 3 });
  });
});

describe('a baseline', () => {
  test('with any value changed works or is an error with a code', async () => {
    const own = await baselineOf(await readReport(await finishedRun()));
    await survives(baselineText(own), async (text) => {
      const allowed = { file: 'b.json', maxIncrease: 0.03, maxErrorRate: 0.02, minExamples: 1 };
      compareBaseline(parseBaseline(text, 'b.json'), own, allowed);
    });
    for (const attacks of [[null], [{ name: 'a', outcomes: ['1'] }], [1], ['x']]) {
      const text = JSON.stringify({ ...own, attacks });
      expect(() => parseBaseline(text, 'b.json')).toThrow(
        expect.objectContaining({ code: 'BASELINE_DAMAGED', exit: 3 }),
      );
    }
  });
});
