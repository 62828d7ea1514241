/** @file A model whose process dies in the middle of an attack. Shared by a test and by a slow one, of other signals. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { until, workersOf } from '../model/processes.js';
import { folder, robustProcess } from './cli.js';

export const attack = ['attack', '-m', 'bert-mini', '-a', 'deepwordbug', '-n', '60', '--runtime', 'workers=1'];
/** Output at the start of the attack. */
export const begun = 'bert-mini on reviews';

/** The lines of the journal of the only run. */
const journal = (cwd: string): string => {
  const runs = join(cwd, '.robust', 'runs');
  const [run] = readdirSync(runs).filter((name) => name !== 'latest');
  const file = join(runs, run ?? '', 'results.jsonl');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};

const kill = (parent: number, signal: NodeJS.Signals): void => {
  for (const pid of workersOf(parent)) process.kill(pid, signal);
};

/** The attack ends with MODEL_CRASHED and keeps its outcomes. Resumed as it says, it gives the journal of a run without a crash. */
export async function crashAndGoOn(signal: NodeJS.Signals): Promise<void> {
  const cwd = folder();
  const crashed = await robustProcess([...attack, '--runtime', 'isolate=true', '--json'], {
    cwd,
    at: [[begun, (child) => void until(() => journal(cwd).length > 0).then(() => kill(child.pid as number, signal))]],
  });
  expect(crashed).toMatchObject({ code: 3, signal: null });
  const { ok, error } = JSON.parse(crashed.stdout);
  expect({ ok, error }).toMatchObject({
    ok: false,
    error: { code: 'MODEL_CRASHED', exit: 3, message: expect.stringContaining(`ended by ${signal} after`) },
  });
  expect(error.hint).toMatch(/robust attack --resume \S+ --runtime isolate=true:workers=1$/);
  const kept = journal(cwd).trim().split('\n');
  expect(kept.length).toBeGreaterThan(0);
  for (const line of kept) expect(JSON.parse(line).status).not.toBe('errored');

  const again = /robust (attack --resume \S+ --runtime isolate=true:workers=1)$/
    .exec(error.hint)?.[1]
    ?.split(' ') as string[];
  expect((await robustProcess(again, { cwd })).code).toBe(0);
  const undisturbed = folder();
  expect((await robustProcess(attack, { cwd: undisturbed })).code).toBe(0);
  expect(journal(cwd)).toBe(journal(undisturbed));
}
