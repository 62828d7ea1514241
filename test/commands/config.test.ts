/** Configuration from outside: what wins, what is shown, what init writes. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { settingsOfFlags } from '../../src/commands/_shared/flags.js';
import AttackCommand from '../../src/commands/attack.js';
import EvaluateCommand from '../../src/commands/evaluate.js';
import GateCommand from '../../src/commands/gate.js';
import { configPath, configSchema } from '../../src/config/schema.js';
import { scene } from '../scenes.js';
import { folder, robust, toy } from './cli.js';

const data = 'text\tlabel\nA good film.\tpositive\nA dull film.\tnegative\nSuch a good day\t1\nNo, thanks.\t0\n';

/** Settings that belong to one call. */
const OF_A_CALL = [
  ...['resume', 'shard', 'allowPartial', 'require', 'transfer', 'comment', 'commentName'],
  ...['surrogate', 'dryRun', 'queue', 'listen', 'store', 'allowCode'],
];

test.each(
  Object.entries(settingsOfFlags({ ...AttackCommand.flags, ...EvaluateCommand.flags, ...GateCommand.flags })).filter(
    ([key]) => !OF_A_CALL.includes(key),
  ),
)('%s has its key', (key, setting) => expect(Object.keys(configSchema.shape)).toContain(configPath(key, setting)[0]));

interface Shown {
  key: string;
  value: unknown;
  origin: string;
}

/** `config show` as key -> [value, origin]. */
async function shown(config: string, env: Record<string, string> = {}) {
  const cwd = folder({ 'robust.config.yaml': config });
  const { code, stdout, stderr } = await robust(['config', 'show', '--json'], { cwd, env });
  const faults = stderr.replace(/^Set by environment variables: .*\n/, '');
  expect({ code, faults }).toEqual({ code: 0, faults: '' });
  const settings: Shown[] = JSON.parse(stdout).result.settings;
  return Object.fromEntries(settings.map(({ key, value, origin }) => [key, [value, origin]]));
}

describe.concurrent('config', () => {
  test('environment > configuration > default', async () => {
    const config = 'seed: 1\nnumExamples: 1\nmodel: a\nlabelMap: { x: y }\nrequire:\n  - clean.accuracy >= 0.9\n';
    const settings = await shown(config, { ROBUST_SEED: '2', ROBUST_NUM_EXAMPLES: '2:offset=3' });
    expect(settings).toMatchObject({
      seed: [2, 'ROBUST_SEED'],
      'numExamples.offset': [3, 'ROBUST_NUM_EXAMPLES'],
      numExamples: [2, 'ROBUST_NUM_EXAMPLES'],
      model: ['a', 'robust.config.yaml:3:1'],
      data: ['reviews', 'default'],
      labelMap: [[['x', 'y']], 'robust.config.yaml:4:1'],
      'require.clean.accuracy': ['clean.accuracy >= 0.9', 'robust.config.yaml:6:5'],
    });
  });

  test('suites and attacks are one choice', async () => {
    const config = 'suites: [typos]\nattacks: [leet]\n';
    const both = await shown(config);
    expect(both).toMatchObject({ suites: [['typos'], expect.anything()], attacks: [['leet'], expect.anything()] });
    const variable = await shown(config, { ROBUST_SUITE: 'chars' });
    expect(variable).toMatchObject({ suites: [['chars'], 'ROBUST_SUITE'] });
    expect(variable).not.toHaveProperty('attacks');
  });

  test('a flag overrides them all, and its whole choice', async () => {
    const config = `model: ${JSON.stringify(toy)}\ndata: data.tsv\nseed: 1\nnumExamples: 1\nsuites: [typos]\n`;
    const cwd = folder({ 'data.tsv': data, 'robust.config.yaml': config });
    const env = { ROBUST_SEED: '2', ROBUST_SUITE: 'chars' };
    const { stdout } = await robust(['attack', '--seed', '3', '-a', 'deepwordbug', '--json'], { cwd, env });
    const { settings } = JSON.parse(stdout).result.provenance;
    expect(settings).toMatchObject({ seed: { value: 3, origin: 'flag' }, attack: { origin: 'flag' } });
    expect(settings).not.toHaveProperty('suite');
  });

  test('attack does what it says, and writes its outputs', async () => {
    const config = `model: ${JSON.stringify(toy)}\ndata: data.tsv\nattacks: [deepwordbug]\nnumExamples: 2\noutputs: [r.json]\n`;
    const cwd = folder({ 'data.tsv': data, 'robust.config.yaml': config });
    const { code, stdout } = await robust(['attack', '--json'], { cwd });
    expect(code).toBe(0);
    const { result } = JSON.parse(stdout);
    expect(result.data.examples).toBe(2);
    expect(result.attacks.map(({ name }: { name: string }) => name)).toEqual(['deepwordbug']);
    expect(readFileSync(join(cwd, 'r.json'), 'utf8')).toBe(stdout);
  });

  test.each([
    ['attack', 'attacks: [no-such-attack]\n', 2, 'ATTACK_NOT_FOUND'],
    ['attack', 'attacks: [./nowhere.mjs]\n', 2, 'PLUGIN_NOT_FOUND'],
    ['attack', 'numExamples: -1\n', 2, 'CONFIG_INVALID'],
    ['evaluate', 'model: 3\n', 2, 'CONFIG_INVALID'],
    ['attack -c nowhere.yaml', '', 2, 'CONFIG_NOT_FOUND'],
  ])('%s with %j', async (command, config, exit, code) => {
    const cwd = folder({ 'robust.config.yaml': config });
    const ended = await robust([...command.split(' '), '--json'], { cwd });
    expect({ exit: ended.code, code: JSON.parse(ended.stdout).error.code }).toEqual({ exit, code });
  });
});

describe('in CI a configuration that was found', () => {
  const loud =
    "console.error('CODE RAN'); export default { labels: ['a', 'b'], classify: async (t) => t.map(() => [0.1, 0.9]) };";
  const found: readonly (readonly [key: string, config: string])[] = [
    ['model', 'model: ./v.mjs'],
    ['model', 'model: "cmd:node v.mjs"'],
    ['model', 'model: cmd:v.yaml'],
    ['attacks', 'attacks: ["bae:mlm=cmd:node v.mjs"]'],
    ['data', 'data: "./v.mjs:seed=3"'],
    ['language', 'language: ./v.mjs'],
    ['defend', 'defend: [./v.mjs]'],
    ['goal', 'goal: ./v.mjs'],
    ['constraints', 'constraints: [./v.mjs]'],
    ['attacks', 'attacks: [robust-attack-x]'],
    ['attacks', 'attacks: ["bae:mlm=./v.mjs"]'],
    ['reporters', 'reporters: [./package]'],
  ];
  test.each(found)('names no code by %s: %s', async (key, config) => {
    const cwd = folder({ 'robust.config.yaml': `${config}\n`, 'v.mjs': loud, 'v.yaml': 'command: [node, v.mjs]\n' });
    const { code, stderr } = await robust(['attack', '-n', '2'], { cwd, env: { CI: 'true' } });
    expect(stderr).toContain(`${key}: expected no code from a configuration that was found in CI`);
    expect(stderr).not.toContain('CODE RAN');
    expect(code).toBe(2);
  });

  test('is no code itself', async () => {
    const cwd = folder({ 'robust.config.mjs': `${loud}` });
    const { code, stderr } = await robust(['gate'], { cwd, env: { CI: '1' } });
    expect([code, stderr]).toEqual([2, expect.not.stringContaining('CODE RAN')]);
  });

  test.each([
    ['by --allow-code', ['--allow-code'], { CI: 'true' }],
    ['where it is named', ['--config', 'robust.config.yaml'], { CI: 'true' }],
    ['by a variable', [], { CI: 'true', ROBUST_ALLOW_CODE: '1' }],
    ['outside of CI', [], {}],
  ])('names code %s', async (_, flags, env) => {
    const cwd = folder({ 'robust.config.yaml': 'model: ./v.mjs\n', 'v.mjs': loud });
    const { stderr } = await robust(['config', 'show', ...flags], { cwd, env: env as Record<string, string> });
    expect(stderr).not.toContain('expected no code');
  });

  test('may name models, data and attacks that are none', async () => {
    const cwd = folder({
      'robust.config.yaml':
        'model: bert-mini\ndata: ./dev.tsv\nattacks: ["deepwordbug:max-edits=3"]\nprotect: [node.js]\n',
    });
    const { code, stderr } = await robust(['config', 'show'], { cwd, env: { CI: 'true' } });
    expect(code, stderr).toBe(0);
  });
});

test('config show takes no flag of the gate', async () => {
  const { code, stderr } = await robust(['config', 'show', '--seed', '3'], { cwd: folder() });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--seed') });
});

describe.concurrent('a command names its configuration', () => {
  const config = `model: ${JSON.stringify(toy)}\ndata: data.tsv\nnumExamples: 3\nsuites: [chars]\nrequire: [clean.accuracy >= 0.1]\n`;
  const cwd = folder({ 'data.tsv': data, 'robust.config.yaml': config });
  test.each([
    [['evaluate'], {}, 'Configuration robust.config.yaml: model, data, numExamples'],
    // Flags and variables win.
    [['evaluate', '-n', '2', '-d', 'data.tsv'], {}, 'Configuration robust.config.yaml: model'],
    [['evaluate', '-n', '2'], { ROBUST_DATA: 'data.tsv' }, 'Configuration robust.config.yaml: model'],
    [['attack', '-a', 'deepwordbug'], {}, 'Configuration robust.config.yaml: model, data, numExamples'],
    [['gate', '-a', 'deepwordbug'], {}, 'Configuration robust.config.yaml: model, data, numExamples, require'],
    [['evaluate', '--json'], {}, 'Configuration robust.config.yaml: model, data, numExamples'],
  ])('%j with %j: %s', async (args, env, line) => {
    const { stderr } = await robust(args, { cwd, env });
    expect(stderr.split('\n')).toContain(line);
  });

  test('but not with --quiet, and not where there is none', async () => {
    expect((await robust(['evaluate', '-q'], { cwd })).stderr).toBe('');
    const bare = folder({ 'data.tsv': data });
    expect((await robust(['evaluate', '-m', toy, '-d', 'data.tsv'], { cwd: bare })).stderr).not.toContain(
      'Configuration',
    );
  });

  test('a resumed run takes its settings from its record', async () => {
    await robust(['attack', '-a', 'deepwordbug', '-q'], { cwd });
    const { stderr } = await robust(['attack', '--resume', 'latest'], { cwd });
    expect(stderr).toContain('Configuration robust.config.yaml: none of its settings');
  });
});

describe.concurrent('init', () => {
  test('writes a configuration that is valid, once', async () => {
    const cwd = folder();
    expect((await robust(['init', '-m', './my model'], { cwd })).code).toBe(0);
    const text = readFileSync(join(cwd, 'robust.config.yaml'), 'utf8');
    // No address at a registry before the package is there.
    expect(text).toMatch(/^# yaml-language-server: \$schema=file:\S+robust\.config\.schema\.json\n# What to attack/);
    expect(text).not.toContain('level: warn');
    const { stdout } = await robust(['config', 'show', '--json'], { cwd });
    expect(JSON.parse(stdout).result.settings).toContainEqual(
      expect.objectContaining({ key: 'model', value: './my model' }),
    );
    const again = await robust(['init', '--json'], { cwd });
    expect({ exit: again.code, code: JSON.parse(again.stdout).error.code }).toEqual({ exit: 2, code: 'OUTPUT_TAKEN' });
    expect(readFileSync(join(cwd, 'robust.config.yaml'), 'utf8')).toBe(text);
    expect((await robust(['init', '--force'], { cwd })).code).toBe(0);
  });

  test('says what a defended or restricted run makes of the requirements', async () => {
    const word = (at: number): string => String.fromCharCode(97 + (at % 20), 97 + Math.floor(at / 20)).repeat(3);
    const rows = Array.from({ length: 80 }, (_, at) => `A ${at % 2 ? 'good' : 'dull'} film, ${word(at)}.\t${at % 2}`);
    const cwd = folder({ 'data.tsv': `text\tlabel\n${rows.join('\n')}\n` });
    const attack = ['attack', '-m', toy, '-d', 'data.tsv', '-a', 'deepwordbug', '-n', '0', '-q'];
    await robust([...attack, '--defend', 'unicode', '--query-budget', '30'], { cwd });
    const { code, stdout, stderr } = await robust(['init', '--from', 'latest', '--json'], { cwd });
    expect(code).toBe(0);
    const { warnings } = JSON.parse(stdout);
    expect(warnings).toEqual([
      expect.stringMatching(/attacked the model behind unicode.*do not apply to the model alone.*without --defend/),
      expect.stringMatching(/was restricted by queryBudget: 30/),
    ]);
    expect(stderr).toContain('Warning: run');
    const text = readFileSync(join(cwd, 'robust.config.yaml'), 'utf8');
    expect(text.match(/^# Note: /gm)).toHaveLength(2);
    expect(configSchema.parse(parse(text))).toMatchObject({ defend: ['unicode'], queryBudget: 30 });
  });

  test('takes thresholds from what a run measured, and refuses a run that says too little', async () => {
    const rows = Array.from(
      { length: 80 },
      (_, at) => `The ${scene(at)}: a ${at % 2 ? 'good' : 'dull'} film, number ${at}.\t${at % 2}`,
    );
    const cwd = folder({ 'data.tsv': `text\tlabel\n${rows.join('\n')}\n` });
    const attack = ['attack', '-m', toy, '-d', 'data.tsv', '-a', 'deepwordbug', '--seed', '7', '-q'];
    await robust([...attack, '-n', '10'], { cwd });
    const little = await robust(['init', '--from', 'latest', '--json'], { cwd });
    expect({ exit: little.code, code: JSON.parse(little.stdout).error.code }).toEqual({
      exit: 3,
      code: 'EXAMPLES_TOO_FEW',
    });
    expect(existsSync(join(cwd, 'robust.config.yaml'))).toBe(false);

    await robust([...attack, '-n', '0'], { cwd });
    const { code, stdout } = await robust(['init', '--from', 'latest', '--json'], { cwd });
    const { run, thresholds } = JSON.parse(stdout).result;
    expect(code).toBe(0);
    // The bounds of Wilson's interval of 80 of 80 and 40 of 80, rounded outwards.
    expect(thresholds).toMatchObject([
      { metric: 'clean.accuracy', limit: '>= 95.4 %', measured: { value: 1, n: 80 } },
      { metric: 'overall.accuracyUnderAttack', limit: '>= 39.2 %', measured: { value: 0.5, n: 80 } },
    ]);
    const text = readFileSync(join(cwd, 'robust.config.yaml'), 'utf8');
    expect(text).toContain(`run "${run}", seed 7`);
    expect(configSchema.parse(parse(text))).toMatchObject({ model: toy, data: 'data.tsv', numExamples: 0, seed: 7 });
    expect((await robust(['gate', '-q'], { cwd })).code).toBe(0);
    expect((await robust(['init', '--from', 'latest', '--force', '-m', toy], { cwd })).code).toBe(2);
  });

  test("of data and a model of one's own: tries 20 texts, and a red gate names the choices", async () => {
    const rows = Array.from(
      { length: 80 },
      (_, at) =>
        `${at},"The ${scene(at)}: a ${at % 2 ? 'good' : 'dull'} film, number ${at}.",${at % 2 ? 'liked' : 'panned'}`,
    );
    const cwd = folder({ 'my data.csv': `nr,said,verdict\n${rows.join('\n')}\n` });
    const args = ['init', '-m', toy, '-d', 'my data.csv', '--yes', '--ci', 'gitlab'];
    const unmapped = await robust(args, { cwd });
    expect({ code: unmapped.code, stderr: unmapped.stderr }).toEqual({
      code: 3,
      stderr: expect.stringContaining('--label-map'),
    });
    const map = ['--label-map', 'panned=negative', '--label-map', 'liked=positive'];
    const { code, stdout } = await robust([...args, ...map], { cwd });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/accurate; .* when an attacker may use any/),
    });
    const text = readFileSync(join(cwd, 'robust.config.yaml'), 'utf8');
    expect(text).toMatch(/^# yaml-language-server: \$schema=/);
    expect(configSchema.parse(parse(text))).toMatchObject({
      ...{
        model: toy,
        data: 'my data.csv',
        columns: { text: 'said', label: 'verdict' },
        labelMap: { panned: 'negative', liked: 'positive' },
        suites: ['typos'],
        numExamples: 200,
      },
      require: ['clean.accuracy >= 80 %', 'overall.accuracyUnderAttack >= 30 %'],
    });
    expect(readFileSync(join(cwd, '.gitlab-ci.yml'), 'utf8')).toMatch(/robust gate/);
    const gate = await robust(['gate', '-q', '--require', 'overall.accuracyUnderAttack >= 70 %'], { cwd });
    expect(gate.code).toBe(1);
    expect(gate.stdout.replace(/\s+/g, ' ')).toMatch(
      /The choices: harden the model, raise the limit knowingly, or require only "no worse than today" \(robust baseline save\)\./,
    );
  });

  // /proc takes no files, not even from root.
  test.skipIf(!existsSync('/proc/self'))('a folder that is read-only', async () => {
    const { code, stderr } = await robust(['init'], { cwd: '/proc' });
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringMatching(/could not write the configuration to robust\.config\.yaml/),
    });
  });
});
