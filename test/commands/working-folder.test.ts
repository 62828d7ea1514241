/** A working folder that vanishes, before a command or while it runs, ends the command with a message and leaves no doubt about the verdict. */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';
import { scene } from '../scenes.js';
import { folder, robustProcess } from './cli.js';

const data = Array.from({ length: 400 }, (_, at) => `The ${scene(at)}: a ${at % 2 ? 'good' : 'dull'} film\t${at % 2}`);

test.each(['evaluate -n 5', 'attack -n 3', 'gate latest', 'config show'])('before it begins: %s', (line) => {
  const cwd = folder();
  const run = `rm -r "${cwd}"; exec "${process.execPath}" "${join(packageRoot, 'bin', 'run.js')}" ${line}`;
  const { status, stderr } = spawnSync('sh', ['-c', run], { cwd, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: expect.stringMatching(/the working folder does not exist any more/),
  });
});

test('while it attacks', async () => {
  const cwd = folder({ 'data.tsv': `text\tlabel\n${data.join('\n')}\n` });
  const { code, stderr } = await robustProcess('attack -m bert-mini -d data.tsv -s typos -n 0'.split(' '), {
    cwd,
    // The run may write into a folder while it is removed: try again then.
    at: [['deepwordbug', () => rmSync(cwd, { recursive: true, force: true, maxRetries: 10, retryDelay: 10 })]],
  });
  expect({ code, stderr }).toEqual({
    code: 3,
    stderr: expect.stringMatching(/was removed or moved|could not write/),
  });
});
