/** A measure of a stranger's attack, declared in one file, is known to everything that folds, reads, judges and prints. */
import { mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { scene } from '../scenes.js';
import { folder, robust, toy } from './cli.js';

/** Turns nothing, and counts the words it shouted. */
const SHOUT = `import { note, rateMeasure, wordsOf, z } from 'robust-text/plugin';

const shouted = {
  ...rateMeasure({
    name: 'shouted',
    label: 'Texts shouted',
    about: 'texts that were asked in capitals',
    evidence: { key: 'shout', schema: z.int().min(0), cell: (words) => words },
    holds: (words) => words > 0,
  }),
  remark: ({ n }) => \`shouted at \${n} texts\`,
  sections: (found) => [
    { id: 'shouting', title: 'How loud it was', blocks: [note(found.map(({ attack, value }) => \`\${attack}: \${value.n} texts\`).join())] },
  ],
};

export default {
  kind: 'evasion', name: 'shout', level: 'sentence', needs: 'labels', summary: 'Asks in capitals.', options: z.strictObject({}),
  measures: [shouted],
  create: () => ({
    constraints: ['case only'],
    async run({ text }, target) {
      const [probabilities] = await target.classify([text.toUpperCase()]);
      const words = wordsOf(text).length;
      return { succeeded: false, probabilities, words, changed: 0, shout: words };
    },
  }),
};
`;
const DATA = `text\tlabel\n${Array.from({ length: 12 }, (_, at) => `A ${at % 2 ? 'good' : 'dull'} film, number ${at}, of the ${scene(at)}.\t${at % 2 ? 'positive' : 'negative'}\n`).join('')}`;

const cwd = folder({ 'shout.mjs': SHOUT, 'dev.tsv': DATA });
const read = (name: string): string => readFileSync(join(cwd, name), 'utf8');
const victim = ['-m', toy, '-d', 'dev.tsv', '-q'];

test('on the screen and in every file', async () => {
  const files = ['md', 'html', 'json', 'csv', 'xml', 'sarif', 'prom'].flatMap((ending) => ['-o', `r.${ending}`]);
  const { code, stdout } = await robust(['attack', ...victim, '-a', './shout.mjs', '--wide', ...files], { cwd });
  expect(code).toBe(0);
  for (const text of [stdout, read('r.md'), read('r.html')]) {
    expect(text).toContain('Texts shouted');
    expect(text).toContain('How loud it was');
    expect(text).toMatch(/shouted at \d+ texts/);
  }
  const { result } = JSON.parse(read('r.json'));
  const [{ shouted, failed }] = result.attacks;
  expect(shouted).toMatchObject({ value: 1, n: failed });
  expect(result.examples.filter((each: { shout?: number }) => each.shout !== undefined)).toHaveLength(failed);
  const rows: { shout: string; status: string }[] = parse(read('r.csv'), { columns: true });
  expect(rows.filter(({ shout }) => shout === '9')).toHaveLength(failed);
  expect(read('r.prom')).toMatch(/^robust_shouted_ratio\{[^}]*attack="shout"\} 1$/m);
  expect(read('r.xml')).toMatch(/Texts shouted 100\.0 %/);
  expect(JSON.parse(read('r.sarif')).runs[0].results[0].properties.shouted).toEqual(shouted);
});

test('a threshold judges it, and the comment on a pull request says so', async () => {
  const gate = ['gate', ...victim, '-a', './shout.mjs', '--min-examples', '1', '--comment', 'comment.md'];
  const failed = await robust([...gate, '--require', 'shout.shouted<=0.1'], { cwd });
  expect(failed.code).toBe(1);
  expect(read('comment.md')).toContain('shout.shouted');
  expect(read('comment.md')).toContain('Texts shouted');
  expect((await robust([...gate, '--require', 'shout.shouted>=0.2'], { cwd })).code).toBe(0);
  const unknown = await robust([...gate, '--require', 'shout.whispered<=0.1'], { cwd });
  expect(unknown.code).toBe(2);
});

test('shards put together have it, too', async () => {
  const shard = (of: string) => robust(['attack', ...victim, '-a', './shout.mjs', '--shard', of, '--json'], { cwd });
  const runs = [await shard('1/2'), await shard('2/2')].map(({ stdout }) => JSON.parse(stdout).result.run as string);
  const merged = await robust(['report', '--json', '--merge', ...runs.map((run) => join('.robust', 'runs', run))], {
    cwd,
  });
  const [{ shouted, failed }] = JSON.parse(merged.stdout).result.attacks;
  expect(shouted).toMatchObject({ value: 1, n: failed });
});

test('a report is read again without the attack: it names the lost figures and loses no others', async () => {
  expect((await robust(['report', 'latest'], { cwd })).stdout).toContain('Texts shouted');
  mkdirSync(join(cwd, 'elsewhere'), { recursive: true });
  renameSync(join(cwd, 'shout.mjs'), join(cwd, 'elsewhere', 'shout.mjs'));
  try {
    const { code, stdout } = await robust(['report', 'latest'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/Warning +shout is not available: its shouted cannot\s+be shown/);
    expect(stdout).toContain('Success rate');
    expect(stdout).not.toContain('Texts shouted');
    // The document keeps figures without a reader, and nobody counts them again.
    const judged = await robust(
      ['gate', 'r.json', '--min-examples', '1', '--require', 'shout.shouted<=0.1', '--json'],
      { cwd },
    );
    expect(judged.code).toBe(4);
    expect(judged.stdout).toContain('as stated by the file');
  } finally {
    renameSync(join(cwd, 'elsewhere', 'shout.mjs'), join(cwd, 'shout.mjs'));
  }
});

test('a name that a figure has already is refused', async () => {
  const { code, stdout } = await robust(['attack', ...victim, '-a', './taken.mjs', '--json'], {
    cwd: folder({ 'taken.mjs': SHOUT.replace("name: 'shouted'", "name: 'failed'"), 'dev.tsv': DATA }),
  });
  expect(JSON.parse(stdout).error).toMatchObject({ code: 'NAME_TAKEN' });
  expect(code).toBeGreaterThan(0);
});
