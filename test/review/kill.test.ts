/** A reader's process is killed (kill -9) again and again: every acknowledged answer is in the journal, and the next process goes on. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';
import { random } from '../../src/core/random.js';
import { ReviewFolder } from '../../src/review/folder.js';
import { readJournal } from '../../src/review/journal.js';
import { folderOf, HASH, planned } from './toys.js';

/** Answers all that is left, and writes the id of each answer once it is stored. The answer follows from the id. */
const READER = `
  import { writeSync } from 'node:fs';
  import { ReviewFolder } from ${JSON.stringify(pathToFileURL(join(packageRoot, 'dist', 'src', 'review', 'index.js')).href)};
  const session = ReviewFolder.open(process.cwd(), '${HASH}').session('anna');
  for (let item = session.next(); item !== undefined; item = session.next()) {
    session.answer(item.id, item.id.charCodeAt(0) % 2, { note: item.texts[0] });
    writeSync(1, item.id + '\\n');
  }
`;

/** The ids that a reader acknowledged before it ended, or before it was killed after `most` of them. */
const readUntil = (cwd: string, most: number) =>
  new Promise<{ readonly ids: readonly string[]; readonly signal: NodeJS.Signals | null }>((resolve, reject) => {
    let [out, errors] = ['', ''];
    const child = spawn(process.execPath, ['--input-type=module', '-e', READER], { cwd });
    child.stdout.on('data', (bytes: Buffer) => {
      out += bytes;
      if (out.split('\n').length > most) child.kill('SIGKILL');
    });
    child.stderr.on('data', (bytes: Buffer) => {
      errors += bytes;
    });
    child.on('close', (code, signal) =>
      code === 0 || signal === 'SIGKILL'
        ? resolve({ ids: out.split('\n').slice(0, -1), signal })
        : reject(new Error(errors)),
    );
  });

test('no acknowledged answer is lost, and none is asked for twice', async () => {
  const cwd = folderOf();
  const { path, plan } = ReviewFolder.create(cwd, await planned({ texts: 300 }));
  const total = plan.items.length;
  const chance = random(42, 'kills');
  const acknowledged: string[] = [];
  const stored = () => readJournal(join(path, 'anna.jsonl')).readings;
  let kills = 0;
  for (let isOpen = true; isOpen; ) {
    // The last process is left alone.
    const { ids, signal } = await readUntil(cwd, kills < 5 ? 1 + chance.int(30) : total);
    kills += Number(signal === 'SIGKILL');
    isOpen = signal === 'SIGKILL';
    acknowledged.push(...ids);
    const readings = stored();
    for (const id of acknowledged) expect(readings.get(id)?.answer).toBe(id.charCodeAt(0) % 2);
  }
  expect(kills).toBeGreaterThan(0);
  expect(new Set(acknowledged).size).toBe(acknowledged.length);
  expect(stored().size).toBe(total);
});
