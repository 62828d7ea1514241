/** Attacks of parts by name, on the command line, in a configuration and from the library. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { wording } from '../refusal.js';
import { folder, robust, toy } from './cli.js';

const data =
  'text\tlabel\nA good film about friends.\tpositive\nA dull film about old friends.\tnegative\nSuch a good day\t1\n';
const home = (files: Record<string, string> = {}) => folder({ 'data.tsv': data, ...files });
const victim = ['attack', '-m', toy, '-d', 'data.tsv'];
const result = (stdout: string) => JSON.parse(stdout).result;

const recordOf = (cwd: string, run: string) =>
  JSON.parse(readFileSync(join(cwd, '.robust', 'runs', run, 'run.json'), 'utf8'));

const journals = (cwd: string): string[] =>
  readdirSync(join(cwd, '.robust', 'runs'))
    .filter((name) => name !== 'latest')
    .map((name) => readFileSync(join(cwd, '.robust', 'runs', name, 'results.jsonl'), 'utf8'));

describe.concurrent('attacks of parts', () => {
  test('flags make one, its record names every part, its replay gives the same bytes', async () => {
    const cwd = home();
    const flags = ['--transformation', 'deepwordbug', '--search', 'beam=2', '--constraint', 'max-words=1'];
    const made = await robust([...victim, ...flags, '--goal', 'targeted:label=positive', '--wide'], { cwd });
    expect(made.code).toBe(0);
    expect(made.stdout).toContain('custom: at most 1 word edited');
    const replay = /^Replay +robust (.*)$/m.exec(made.stdout)?.[1]?.split(' ') ?? [];
    expect(replay.join(' ')).toContain(`${flags.join(' ')} --goal targeted:label=positive`);
    expect((await robust(replay, { cwd })).code).toBe(0);
    const [first, second, ...others] = journals(cwd);
    expect(others).toEqual([]);
    expect(second).toBe(first);
    const [outcome] = (first as string).split('\n').map((line) => line !== '' && JSON.parse(line));
    expect(outcome).toMatchObject({ attack: 'custom' });
    const run = readdirSync(join(cwd, '.robust', 'runs')).filter((name) => name !== 'latest')[0] as string;
    expect(recordOf(cwd, run).fingerprint).toMatchObject({
      goal: 'targeted at label 1',
      constraints: ['at most 1 word edited'],
      attacks: [
        {
          name: 'custom',
          options: {
            transformation: { name: 'deepwordbug', options: {} },
            search: { name: 'beam', options: { width: 2 } },
          },
        },
      ],
    });
    const other = await robust(['attack', '--resume', run, '--search', 'beam=3', '--json'], { cwd });
    expect(other.code).toBe(2);
    expect(JSON.parse(other.stdout).error.code).toBe('RESUME_MISMATCH');
  });

  test('a configuration names several, with parts as text or written out; flags overrule them', async () => {
    const cwd = home({
      'robust.config.yaml': [
        `model: ${toy}`,
        'data: data.tsv',
        'attacks:',
        '  - pruthi',
        '  - name: mine',
        '    transformation: deepwordbug',
        '    search: { name: beam, options: { width: 2 } }',
        '    constraints: [{ name: words-alike, options: { least: 0 } }, max-words=1]',
        '    goal: untargeted',
        'constraints: [max-edits=4]',
      ].join('\n'),
    });
    const { code, stdout } = await robust(['attack', '--json'], { cwd });
    expect(code).toBe(0);
    const { attacks, run } = result(stdout);
    expect(attacks.map(({ name }: { name: string }) => name)).toEqual(['pruthi', 'mine']);
    expect(attacks[1].constraints).toEqual([
      'words at least 0 alike (WordNet)',
      'at most 1 word edited',
      'at most 4 character edits',
    ]);
    expect(recordOf(cwd, run).command).toContain('"name":"mine"');
    const resumed = await robust(['attack', '--resume', '--json'], { cwd });
    expect(result(resumed.stdout).attacks).toEqual(attacks);
    const named = await robust(['attack', '--transformation', 'leet', '--json'], { cwd });
    expect(result(named.stdout).attacks.map(({ name }: { name: string }) => name)).toEqual(['custom']);
  });

  test('a constraint holds for every attack of the run, those on whole texts too', async () => {
    const cwd = home();
    const { code, stdout } = await robust([...victim, '-s', 'sentences', '--constraint', 'max-edits=3', '--json'], {
      cwd,
    });
    expect(code).toBe(0);
    for (const { constraints } of result(stdout).attacks) expect(constraints).toContain('at most 3 character edits');
    for (const { status, attack } of result(stdout).examples) {
      if (attack === 'appended-sentence') expect(status).not.toBe('succeeded');
    }
  });

  test('a part may be a file, and so may the attack whose edits are wanted', async () => {
    const cwd = home({
      'short.mjs': `import { constraint, z } from 'robust-text/plugin';
export default constraint({ name: 'short', summary: 'Texts stay short.', main: 'most', options: { most: z.int().default(40).describe('letters') },
  create: ({ most }) => ({ name: \`at most \${most} letters\`, accepts: (drafts) => drafts.map(({ text }) => text.length <= most) }) });`,
      'mine.mjs': `import { searchAttack, swapWords } from 'robust-text/plugin';
export default searchAttack({ name: 'mine', level: 'word', summary: 'Shouts.', edits: () => swapWords('in capitals', (word) => [word.toUpperCase()]), constraints: () => [] });`,
    });
    const parts = ['--transformation', './mine.mjs', '--constraint', './short.mjs:most=90'];
    const { code, stdout } = await robust([...victim, ...parts, '--json'], { cwd });
    expect(code).toBe(0);
    expect(result(stdout).attacks[0].constraints).toEqual(['at most 90 letters']);
  });
});

test('a recipe whose search follows scores runs on a victim with labels only', async () => {
  const hard = `export default { labels: ['n', 'p'], classify: async (texts) => texts.map((text) => Float32Array.of(Number(!/good|such/i.test(text)), Number(/good|such/i.test(text)))) };`;
  const cwd = home({ 'hard.mjs': hard });
  const leet =
    'attack -m ./hard.mjs -d data.tsv --label-map positive=p --label-map negative=n --transformation leet'.split(' ');
  const { attacks } = result((await robust([...leet, '--json'], { cwd })).stdout);
  expect(attacks[0].succeeded).toBeGreaterThan(0);
  expect((await robust([...leet, '--search', 'decision-boundary'], { cwd })).code).toBe(0);
});

/** Arguments, exit code, error code. */
const BAD: readonly (readonly [string, number, string])[] = [
  ['--search beam', 2, 'SEARCH_INVALID'],
  ['-s typos --search beam', 2, 'SEARCH_INVALID'],
  ['--transformation swap-synonym', 2, 'TRANSFORMATION_NOT_FOUND'],
  ['--transformation swap-neighbours', 2, 'OPTION_INVALID'],
  ['--transformation leet --constraint max-word=3', 2, 'CONSTRAINT_NOT_FOUND'],
  ['--transformation leet --constraint max-words=none', 2, 'OPTION_INVALID'],
  ['--transformation leet --constraint textattack', 2, 'ATTACK_UNSUPPORTED'],
  ['-a pwws --constraint textattack --constraint strict', 2, 'CONSTRAINT_INVALID'],
  ['-a pwws --goal targeted', 2, 'LABEL_NOT_FOUND'],
  ['-a pwws --goal targeted:label=spam', 2, 'LABEL_NOT_FOUND'],
  ['--transformation truncation --search beam', 2, 'SEARCH_INVALID'],
  ['--transformation hotflip', 2, 'GRADIENTS_UNSUPPORTED'],
  ['--transformation leet --search greedy:ranking=gradient', 2, 'GRADIENTS_UNSUPPORTED'],
  ['-a {"name":"leet","transformation":"leet"}', 2, 'NAME_TAKEN'],
  ['-a {"name":"mine","search":"beam"}', 2, 'RECIPE_INVALID'],
  ['-a {"name":"mine","transformation":"leet","goal":"targeted=spam"}', 2, 'LABEL_NOT_FOUND'],
];

test.each(BAD)('a clear error: attack %s', async (args, code, error) => {
  const ended = await robust([...victim, ...args.split(' '), '--json'], { cwd: home() });
  const { error: got } = JSON.parse(ended.stdout);
  expect([ended.code, got.code]).toEqual([code, error]);
  expect(wording(got)).toMatchSnapshot();
});
