/** Isolation: a model whose process dies costs the run nothing that was done, and never looks like anything but a crash. */
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { covered } from '../cover.js';
import { canSeeProcesses, until, workersOf } from '../model/processes.js';
import { folder, robustProcess } from './cli.js';
import { attack, begun, crashAndGoOn } from './crash.js';

describe.skipIf(!canSeeProcesses).concurrent('--runtime isolate=true (needs /proc)', () => {
  test('SIGSEGV during an attack, and going on afterwards', () => crashAndGoOn('SIGSEGV'));

  test('while the model is loaded, by each command that asks one', async () => {
    const commands = [
      ['evaluate', '-m', 'bert-mini', '--runtime', 'isolate=true'],
      ['explain', '-m', 'bert-mini', '--runtime', 'isolate=true', 'A good film.'],
      ['backdoor', 'scan', '-m', 'bert-mini'],
    ];
    for (const command of covered(commands, 0, 3)) {
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
    const { code } = await robustProcess([...attack, '--runtime', 'isolate=true'], {
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
