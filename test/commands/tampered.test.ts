/** Records that somebody edited: every figure that a judge reads is counted again from the outcomes, so that none is green. */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { covered } from '../cover.js';
import { folder, robust, toy } from './cli.js';

const words = ['brave', 'calm', 'dark', 'early', 'fine', 'gentle', 'happy', 'idle', 'jolly', 'kind'];
const texts = words.flatMap((word) =>
  ['film', 'story'].flatMap((noun) => [`a good ${word} ${noun}\tpositive`, `a dull ${word} ${noun}\tnegative`]),
);
const cwd = folder({ 'data.tsv': `text\tlabel\n${texts.join('\n')}\n` });
const run = (...args: string[]) => robust(args, { cwd });
const LIMITS = ['clean.accuracy >= 0 and <= 1', 'clean.macroF1 >= 0 and <= 1', 'typos.attackSuccessRate >= 0 and <= 1'];
const gate = (what: string) => run('gate', what, ...LIMITS.flatMap((limit) => ['--require', limit]));

type Json = { [key: string]: Json } | Json[] | number | string | null;
/** The figures of a record: each number beneath a path, but those that judge nothing. */
function* figures(value: Json, path: readonly string[] = []): Generator<readonly string[]> {
  if (typeof value === 'number') yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, own] of Object.entries(value)) {
    if (!/^(seconds|options|calibration|scores|texts|beta)$/.test(key)) yield* figures(own, [...path, key]);
  }
}
function* everyFigure(value: Json, path: readonly string[] = []): Generator<readonly string[]> {
  if (typeof value === 'number') yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, own] of Object.entries(value)) yield* everyFigure(own, [...path, key]);
}
/** The file with a figure changed a little: a rate stays one, a count a count. */
function tampered(document: Json, path: readonly string[]): string {
  const copy = structuredClone(document);
  const last = path.at(-1)!;
  const place = path.slice(0, -1).reduce((at, key) => (at as { [key: string]: Json })[key]!, copy) as Record<
    string,
    number
  >;
  const value = place[last]!;
  place[last] = Number.isInteger(value) && value > 1 ? value + 1 : value > 0.5 ? value - 0.03 : value + 0.03;
  return JSON.stringify(copy);
}
const read = (path: string): { [key: string]: Json } => JSON.parse(readFileSync(join(cwd, path), 'utf8'));

let folderOfRun = '';
beforeAll(async () => {
  const { stderr } = await run(
    'attack',
    '-m',
    toy,
    '-d',
    'data.tsv',
    '--suite',
    'typos',
    '-n',
    '0',
    '-o',
    'report.json',
  );
  expect(stderr).not.toContain('Error');
  folderOfRun = join('.robust/runs', readFileSync(join(cwd, '.robust/runs/latest'), 'utf8').trim());
});

test('as they are, both records pass', async () => {
  for (const what of [folderOfRun, 'report.json']) expect((await gate(what)).code).toBe(0);
});

test('no figure of report.json can be changed', async () => {
  const document = read('report.json');
  const { clean, attacks, suites, overall } = document.result as { [key: string]: Json };
  const paths = [...figures({ clean, attacks, suites, overall } as Json, [])];
  expect(paths.length).toBeGreaterThan(100);
  const green: string[] = [];
  for (const path of covered(paths, 0, 4)) {
    writeFileSync(join(cwd, 'edited.json'), tampered(document, ['result', ...path]));
    const { code } = await gate('edited.json');
    if (code === 0 || code === 70) green.push(`${path.join('.')}: ${code}`);
  }
  expect(green).toEqual([]);
});

test('no figure of run.json that outcomes show can be changed, whoever judges', async () => {
  cpSync(join(cwd, folderOfRun), join(cwd, 'edited'), { recursive: true });
  const record = read(join(folderOfRun, 'run.json'));
  const { accuracy, macroF1, microF1, perClass, confusion } = (
    record.clean as { [key: string]: { [key: string]: Json } }
  ).metrics as { [key: string]: Json };
  const green: string[] = [];
  const commands = [
    ['report', 'edited'],
    ['compare', 'edited', folderOfRun],
    ['baseline', 'save', 'edited'],
  ];
  for (const [row, path] of [...figures({ accuracy, macroF1, microF1, perClass, confusion } as Json, [])].entries()) {
    writeFileSync(join(cwd, 'edited/run.json'), tampered(record, ['clean', 'metrics', ...path]));
    for (const args of covered(commands, row, 3)) {
      const { code } = args[0] === 'report' ? await gate('edited') : await run(...args);
      if (code === 0 || code === 70) green.push(`${args[0]} ${path.join('.')}: ${code}`);
    }
  }
  expect(green).toEqual([]);
});

test('a report without outcomes says so, and passes no gate', async () => {
  const document = read('report.json') as { result: { [key: string]: Json } };
  writeFileSync(join(cwd, 'bare.json'), JSON.stringify({ ...document, result: { ...document.result, examples: [] } }));
  const { code, stdout } = await gate('bare.json');
  expect(code).toBe(4);
  expect(stdout).toMatch(/as\s+stated\s+by\s+the\s+file/);
});

test('a figure that its outcomes cannot show is judged by the folder of the run only', async () => {
  const limit = ['--require', 'clean.calibration.error <= 0.9'];
  expect((await run('gate', folderOfRun, ...limit)).code).toBe(0);
  const { code, stdout } = await run('gate', 'report.json', ...limit);
  expect(code).toBe(4);
  expect(stdout).toMatch(/as\s+stated\s+by\s+the\s+file/);
});

test('a second suite of a name is refused', async () => {
  const document = read('report.json') as { result: { [key: string]: Json } };
  const suites = document.result.suites as Json[];
  writeFileSync(
    join(cwd, 'twice.json'),
    JSON.stringify({ ...document, result: { ...document.result, suites: [...suites, ...suites] } }),
  );
  expect((await gate('twice.json')).code).toBe(3);
});

const AREAS = ['clean.auroc >= 0 and <= 1', 'clean.calibration.error >= 0 and <= 1'].flatMap((limit) => [
  '--require',
  limit,
]);

test('no figure that only the answers to the unedited texts show can be changed', async () => {
  const { stderr } = await run(
    'attack',
    '-m',
    toy,
    '-d',
    'data.tsv',
    '-s',
    'typos',
    '-n',
    '0',
    '--positive',
    'positive',
  );
  expect(stderr).not.toContain('Error');
  const detector = join('.robust/runs', readFileSync(join(cwd, '.robust/runs/latest'), 'utf8').trim());
  expect((await run('gate', detector, ...AREAS)).code).toBe(0);

  const edited = join(cwd, 'detector');
  cpSync(join(cwd, detector), edited, { recursive: true });
  const record = read(join(detector, 'run.json'));
  const { metrics } = record.clean as { [key: string]: { [key: string]: Json } };
  const { auroc, averagePrecision, calibration, curve } = metrics;
  const paths = [...everyFigure({ auroc, averagePrecision, calibration, curve } as Json)];
  expect(paths.map(([name]) => name)).toEqual(
    expect.arrayContaining(['auroc', 'averagePrecision', 'calibration', 'curve']),
  );
  const green: string[] = [];
  const judge = async (name: string): Promise<void> => {
    const { code } = await run('gate', 'detector', ...AREAS);
    if (code === 0 || code === 70) green.push(`${name}: ${code}`);
  };
  for (const path of covered(paths, 0, 3)) {
    writeFileSync(join(edited, 'run.json'), tampered(record, ['clean', 'metrics', ...path]));
    await judge(path.join('.'));
  }
  const { averagePrecision: _, ...fewer } = metrics;
  for (const [name, other] of Object.entries({ fewer, more: { ...metrics, scores: 'rounded' } })) {
    const clean = { ...(record.clean as object), metrics: other };
    writeFileSync(join(edited, 'run.json'), JSON.stringify({ ...record, clean }));
    await judge(name);
  }
  writeFileSync(join(edited, 'run.json'), JSON.stringify(record));
  const answers = readFileSync(join(edited, 'clean.bin'));
  for (const other of [
    answers.subarray(0, -1),
    answers.subarray(0, answers.length / 2),
    Buffer.concat([answers, answers]),
  ]) {
    writeFileSync(join(edited, 'clean.bin'), other);
    await judge(`clean.bin of ${other.length} bytes`);
  }
  expect(green).toEqual([]);
});

test('without the answers such a figure is stated, not shown', async () => {
  rmSync(join(cwd, 'detector/clean.bin'));
  const { code, stdout } = await run('gate', 'detector', ...AREAS);
  expect(code).toBe(4);
  expect(stdout).toMatch(/as stated by run\.json: the folder holds no answers/);
  expect((await run('gate', 'detector', '--require', LIMITS[0])).code).toBe(0);
});
