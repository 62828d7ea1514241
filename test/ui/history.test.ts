/** Runs as the page lists and judges them, when their files change under it. */
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { attack } from '../../src/api.js';
import { RunHistory } from '../../src/app/pages/history.js';
import { toy } from '../commands/cli.js';

const before = process.cwd();
let folder: string;
let run: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'robust-history-'));
  process.chdir(folder);
  const word = (at: number): string => String.fromCharCode(97 + (at % 20), 97 + Math.floor(at / 20)).repeat(3);
  const rows = Array.from({ length: 70 }, (_, at) => `A ${at % 2 ? 'good' : 'dull'} film, ${word(at)}.\t${at % 2}`);
  writeFileSync('dev.tsv', `text\tlabel\n${rows.join('\n')}\n`);
  ({ run } = await attack({ model: toy, data: 'dev.tsv', attacks: ['deepwordbug'], numExamples: 0 }));
});

afterAll(() => {
  process.chdir(before);
});

test('a run whose outcomes were edited never passes, nor does a copy of it', async () => {
  const history = new RunHistory({ require: ['deepwordbug.attackSuccessRate >= 0 and <= 1'] });
  const verdicts = async () => (await history.listJudged())?.map(({ id, verdict }) => ({ id, verdict }));
  expect(await verdicts()).toEqual([{ id: run, verdict: 'passed' }]);
  expect(await history.rates(run)).toMatchObject({ clean: { n: 70 } });

  const copy = '20200101T000000Z-aaaaaa';
  cpSync(join('.robust', 'runs', run), join('.robust', 'runs', copy), { recursive: true });
  const journal = join('.robust', 'runs', copy, 'results.jsonl');
  writeFileSync(journal, readFileSync(journal, 'utf8').replaceAll('"succeeded"', '"failed"'));
  expect(await verdicts()).toEqual([
    { id: copy, verdict: 'inconclusive' },
    { id: run, verdict: 'passed' },
  ]);

  writeFileSync(join('.robust', 'runs', run, 'results.jsonl'), readFileSync(journal));
  expect((await verdicts())?.map(({ verdict }) => verdict)).toEqual(['inconclusive', 'inconclusive']);
});
