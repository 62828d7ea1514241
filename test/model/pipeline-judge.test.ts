/** The judge of a pipeline: an endpoint that the user names, and that the file of a pipeline cannot choose. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { attack } from '../../src/app/attack.js';
import { type RunningServer, serve } from '../../src/app/serve.js';
import { loadModel } from '../../src/model/load.js';

let home: string;
let server: RunningServer;
let judge: string;
/** Texts that the judge received. */
let received: number;
const before = process.cwd();
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'robust-judge-'));
  process.chdir(home);
  server = await serve({
    model: 'bert-mini',
    port: 0,
    workers: 1,
    onRequest({ texts }) {
      received += texts;
    },
  });
  judge = server.protocols[0]!.model!;
});
afterAll(async () => {
  process.chdir(before);
  await server.close();
});

const JUDGE = { name: 'judge', judge: true, positive: 'negative' };
const WORDS = { name: 'words', rules: { words: ['awful'] } };

function written(content: object, name = 'guard.yaml'): string {
  writeFileSync(join(home, name), JSON.stringify(content));
  return `pipeline:${name}`;
}

const flagged = (rows: readonly Float32Array[]): boolean[] => rows.map((row) => row[1]! >= 0.5);

test('a judge answers for its stage', async () => {
  const model = await loadModel(written({ stages: [JUDGE] }), { remote: { judge } });
  expect(flagged(await model.classify(['A terrible, boring film.', 'A wonderful film.']))).toEqual([true, false]);
  expect(await model.stages!.flaggedBy('A terrible, boring film.')).toEqual(['judge']);
  await model.close();
});

test('a judge without an address from the user is refused', async () => {
  for (const remote of [undefined, {}])
    await expect(loadModel(written({ stages: [JUDGE] }), { ...(remote && { remote }) })).rejects.toMatchObject({
      code: 'PIPELINE_INVALID',
    });
});

test.each(['./guard.mjs', 'bert-mini', 'hf:org/name', 'pipeline:guard.yaml'])(
  '%s is no address of a judge',
  async (name) => {
    writeFileSync(join(home, 'guard.mjs'), 'throw new Error("it ran")');
    await expect(loadModel(written({ stages: [JUDGE] }), { remote: { judge: name } })).rejects.toMatchObject({
      code: 'PIPELINE_INVALID',
    });
  },
);

test('the file of a pipeline cannot name an address', async () => {
  for (const stage of [{ judge }, { model: judge }, { ...JUDGE, address: judge }])
    await expect(loadModel(written({ stages: [stage] }), { remote: { judge } })).rejects.toMatchObject({
      code: expect.stringMatching(/^PIPELINE_(INVALID|MODEL)$/),
    });
});

test('in a cascade only texts that the stages before leave open reach it', async () => {
  const model = await loadModel(written({ stages: [WORDS, JUDGE], combine: 'cascade' }), { remote: { judge } });
  received = 0;
  await model.classify(['an awful film']);
  expect(received).toBe(0);
  expect(flagged(await model.classify(['A terrible, boring film.']))).toEqual([true]);
  expect(received).toBe(1);
  await model.close();
});

test('an attack names it where it is deceived, and its run names the address', async () => {
  const rows = ['A terrible, boring film.', 'Dull and awful.'].map((text) => `${text}\tflagged`);
  writeFileSync(join(home, 'films.tsv'), `text\tlabel\n${[...rows, 'A fine film.\tpassed'].join('\n')}\n`);
  const report = await attack({
    model: written({ stages: [WORDS, JUDGE] }),
    judge,
    data: 'films.tsv',
    positive: ['flagged'],
    attacks: ['deepwordbug'],
    numExamples: 0,
  });
  const [entry] = report.attacks as unknown as { stageChanges: { leaked: { stages: string }[] } }[];
  expect(entry!.stageChanges.leaked.map(({ stages }) => stages)).toContain('judge');
  expect(report.command).toContain(`judge=${judge}`);
});

test('a served pipeline says which stages flag a text', async () => {
  const served = await serve({ model: written({ stages: [WORDS, JUDGE] }), judge, port: 0 });
  const response = await fetch(served.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ texts: ['An awful, terrible film.', 'A wonderful film.'] }),
  });
  const { answers } = (await response.json()) as { answers: { flaggedBy: string[] }[] };
  expect(answers.map(({ flaggedBy }) => flaggedBy)).toEqual([['words', 'judge'], []]);
  await served.close();
});
