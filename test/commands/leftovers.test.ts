/** A command leaves nothing behind but what it was asked for, in the temporary folder or in the home: done, failed or stopped. */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scene } from '../scenes.js';
import { folder, robustProcess } from './cli.js';

const rows = Array.from(
  { length: 12 },
  (_, at) => `The ${scene(at)}: a ${at % 2 ? 'good' : 'dull'} film\t${at % 2}`,
).join('\n');

/** Runs it with a home and a temporary folder of its own; what is in them after it. `interrupts`: that often Ctrl-C, once something is there. */
async function leavings(line: string, interrupts = 0): Promise<{ code: number | null; met: string[]; left: string[] }> {
  const cwd = folder({ 'data.tsv': `text\tlabel\n${rows}\n` });
  const [home, temporary] = ['home', 'temporary'].map((name) => join(cwd, name)) as [string, string];
  for (const each of [home, temporary]) mkdirSync(each);
  let met: string[] = [];
  let looking: NodeJS.Timeout | undefined;
  const { code, signal } = await robustProcess(line.split(' '), {
    cwd,
    // In CI onnxruntime sends nothing by itself.
    env: { HOME: home, USERPROFILE: home, TMPDIR: temporary, TEMP: temporary, TMP: temporary, CI: '' },
    watch: (child) => {
      looking = setInterval(() => {
        met = readdirSync(temporary);
        if (met.length === 0) return;
        clearInterval(looking);
        for (let time = 0; time < interrupts; time++) setTimeout(() => child.kill('SIGINT'), 200 * time);
      }, 5);
    },
  });
  clearInterval(looking);
  const left = [home, temporary].flatMap((each) => readdirSync(each, { recursive: true, encoding: 'utf8' }));
  return { code: signal === 'SIGINT' ? 130 : code, met, left };
}

test.for([
  [0, 'evaluate -m bert-mini -d data.tsv --runtime isolate=false'],
  [0, 'evaluate -m bert-mini -d data.tsv --runtime isolate=true'],
  [2, 'attack -m nowhere -d data.tsv'],
  [2, 'train -d nowhere.tsv -o out'],
] as const)('%i: %s', async ([code, line]) => {
  expect(await leavings(line)).toEqual({ code, met: [], left: [] });
});

test.for([
  [0, 0],
  [1, 130],
  [2, 130],
] as const)('after %i times Ctrl-C, of what it had made', async ([interrupts, code]) => {
  const found = await leavings('attack -m bert-mini -d data.tsv -s chars -s typos --dry-run', interrupts);
  expect(found).toEqual({ code, met: [expect.stringMatching(/^robust-estimate-/)], left: [] });
});
