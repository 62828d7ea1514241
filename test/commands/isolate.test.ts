/** --isolate: a model whose process dies costs the run nothing that was done, and never looks like anything but a crash. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { canSeeProcesses, until, workersOf } from '../model/processes.js';
import { folder, robustProcess } from './cli.js';

const attack = ['attack', '-m', 'bert-mini', '-a', 'deepwordbug', '-n', '60', '--workers', '1'];
const begun = 'bert-mini on reviews';

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

describe.skipIf(!canSeeProcesses).concurrent('--isolate (needs /proc)', () => {
  test.each(['SIGSEGV', 'SIGABRT', 'SIGKILL'] as const)(
    '%s during an attack, and going on afterwards',
    async (signal) => {
      const cwd = folder();
      const crashed = await robustProcess([...attack, '--isolate', '--json'], {
        cwd,
        at: [
          [begun, (child) => void until(() => journal(cwd).length > 0).then(() => kill(child.pid as number, signal))],
        ],
      });
      expect(crashed).toMatchObject({ code: 3, signal: null });
      const { ok, error } = JSON.parse(crashed.stdout);
      expect({ ok, error }).toMatchObject({
        ok: false,
        error: { code: 'MODEL_CRASHED', exit: 3, message: expect.stringContaining(`ended by ${signal} after`) },
      });
      expect(error.hint).toMatch(/robust attack --resume \S+ --isolate$/);
      const kept = journal(cwd).trim().split('\n');
      expect(kept.length).toBeGreaterThan(0);
      for (const line of kept) expect(JSON.parse(line).status).not.toBe('errored');

      const again = /robust (attack --resume \S+ --isolate)$/.exec(error.hint)?.[1]?.split(' ') as string[];
      expect((await robustProcess(again, { cwd })).code).toBe(0);
      const undisturbed = folder();
      expect((await robustProcess(attack, { cwd: undisturbed })).code).toBe(0);
      expect(journal(cwd)).toBe(journal(undisturbed));
    },
  );

  test('while the model is loaded, by each command that asks one', async () => {
    const commands = [
      ['evaluate', '-m', 'bert-mini', '--isolate'],
      ['explain', '-m', 'bert-mini', '--isolate', 'A good film.'],
      ['backdoor', 'scan', '-m', 'bert-mini'],
    ];
    for (const command of commands) {
      const ended = await robustProcess([...command, '--json'], {
        node: ['--import', `data:text/javascript,${encodeURIComponent(KILLS_ITS_CHILDREN)}`],
      });
      expect({ command, code: ended.code, signal: ended.signal }).toEqual({ command, code: 3, signal: null });
      expect(JSON.parse(ended.stdout).error).toMatchObject({ code: 'MODEL_CRASHED' });
    }
  });

  test('Ctrl-C ends the processes too', async () => {
    const cwd = folder();
    let own: number[] = [];
    const { code } = await robustProcess([...attack, '--isolate'], {
      cwd,
      at: [
        [
          begun,
          (child) => {
            own = workersOf(child.pid as number);
            child.kill('SIGINT');
          },
        ],
      ],
    });
    expect(code).toBe(130);
    expect(own.length).toBeGreaterThan(0);
    await until(() => own.every((pid) => !readdirSync('/proc').includes(String(pid))));
  });
});

/** Has every child process that is forked die of a segmentation fault as soon as it is there. */
const KILLS_ITS_CHILDREN = `
  import { ChildProcess } from 'node:child_process';
  const { spawn } = ChildProcess.prototype;
  ChildProcess.prototype.spawn = function (...args) {
    const result = spawn.apply(this, args);
    if (this.pid) process.kill(this.pid, 'SIGSEGV');
    return result;
  };`;
