/** Runs by somebody else: nothing that they name is run or queried until this user names it. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { reachingSettings } from '../../src/app/runs/recorded-settings.js';
import type { Settings } from '../../src/config/setting.js';
import * as tables from '../../src/config/settings/index.js';
import type { RobustError } from '../../src/core/errors.js';
import { isHubSpec } from '../../src/model/hub/spec.js';
import { describedEndpoint } from '../../src/model/opening/describe-endpoint.js';
import { resolve } from '../../src/model/opening/resolve.js';
import { type RunRecord, sealed } from '../../src/run/record.js';
import { tries } from '../cover.js';
import { folder, robust } from './cli.js';

const ATTACK = ['-n', '100', '-a', 'deepwordbug'];

/** A victim that notes each time it is loaded. */
const victim = (home: string): string => `import { appendFileSync } from 'node:fs';
appendFileSync(${JSON.stringify(join(home, 'loaded'))}, 'x');
export default { labels: ['negative', 'positive'], classify: async (texts) =>
  texts.map((t) => Float32Array.of(...(/good|great|best|fun|love|warm/i.test(t) ? [0.2, 0.8] : [0.8, 0.2]))) };
`;
const loads = (home: string): number =>
  existsSync(join(home, 'loaded')) ? readFileSync(join(home, 'loaded'), 'utf8').length : 0;

const idOf = (home: string): string => readFileSync(join(home, '.robust/runs/latest'), 'utf8').trim();
const recordOf = (home: string): string => join(home, '.robust/runs', idOf(home), 'run.json');
type Json = { settings: Record<string, unknown>; named?: { seal: string; files: Record<string, object> } };
const change = (home: string, by: (record: Json) => void): void => {
  const record = JSON.parse(readFileSync(recordOf(home), 'utf8')) as Json;
  by(record);
  // With its hash, which anybody can compute.
  writeFileSync(recordOf(home), JSON.stringify(sealed(record as unknown as RunRecord)));
};

/** A run on a victim of the user's own. */
async function ownRun(): Promise<string> {
  const home = folder();
  writeFileSync(join(home, 'victim.mjs'), victim(home));
  const { code, stderr } = await robust(['attack', '-m', './victim.mjs', ...ATTACK], { cwd: home });
  expect(code, stderr).toBe(0);
  return home;
}

describe('a run whose victim is code', () => {
  let home: string;
  beforeAll(async () => {
    home = await ownRun();
  });
  const resumed = () => robust(['attack', '--resume', 'latest'], { cwd: home });
  const refused = async (): Promise<void> => {
    const before = loads(home);
    const { code, stderr } = await robust(['attack', '--resume', 'latest'], { cwd: home });
    expect(code, stderr).toBe(2);
    expect(stderr).toContain('names code or an address, which you have not named');
    expect(stderr).toContain('--model ./victim.mjs');
    expect(loads(home)).toBe(before);
  };

  test('goes on for the user who made it', async () => {
    expect(Object.keys(JSON.parse(readFileSync(recordOf(home), 'utf8')).named.files)).toEqual(['./victim.mjs']);
    const before = loads(home);
    const ended = await robust(['attack', '--resume', 'latest'], { cwd: home });
    expect(ended.code, ended.stderr).toBe(0);
    expect(loads(home)).toBeGreaterThanOrEqual(before);
  });

  test('is refused where the file changed, until the user names it again', async () => {
    const text = readFileSync(join(home, 'victim.mjs'), 'utf8');
    writeFileSync(join(home, 'victim.mjs'), `${text}\n// changed\n`);
    await refused();
    writeFileSync(join(home, 'victim.mjs'), text);
    expect((await resumed()).stderr).not.toContain('names code');
  });

  test('is refused where its signature is missing or another’s, and taken over by naming it', async () => {
    change(home, (record) => {
      delete record.named;
    });
    await refused();
    change(home, (record) => {
      record.named = { seal: '0'.repeat(64), files: {} };
    });
    await refused();
    const words = ['attack', '--resume', 'latest', '--model', './victim.mjs'];
    expect((await robust(words, { cwd: home })).code).toBe(0);
    expect((await resumed()).stderr).not.toContain('names code');
  });

  test('is refused where its settings were changed, whatever they name', async () => {
    writeFileSync(join(home, 'other.mjs'), victim(home));
    const original = readFileSync(recordOf(home), 'utf8');
    const before = loads(home);
    for (const settings of [
      { model: './other.mjs' },
      { model: 'bert-mini', defend: ['./other.mjs'] },
      { model: 'bert-mini', language: './other.mjs' },
      { model: 'bert-mini', goal: './other.mjs' },
      { model: 'bert-mini', attack: [JSON.stringify({ name: 'x', transformation: './other.mjs' })] },
      { model: 'bert-mini', defend: ['spelling:texts=./other.mjs'] },
      { model: 'bert-mini', data: './other.mjs' },
      { model: 'bert-mini', calibration: './other.mjs' },
      { model: 'bert-mini', mlm: './other.mjs' },
      { model: 'kserve+http://127.0.0.1:9/v2/models/m' },
      { model: 'openai-moderation:omni-moderation-latest' },
      { model: `cmd:${process.execPath} other.mjs` },
      { model: 'cmd:other.yaml' },
      { model: 'bert-mini', attack: ['bae:mlm=cmd:sh x'] },
    ]) {
      change(home, (record) => {
        Object.assign(record.settings, settings);
      });
      const { code, stderr } = await robust(['attack', '--resume', 'latest'], { cwd: home });
      expect(code, stderr).toBe(2);
      expect(stderr).toContain('names code or an address');
      writeFileSync(recordOf(home), original);
    }
    expect(loads(home)).toBe(before);
  });

  test('the key is the user’s alone', async () => {
    const { statSync } = await import('node:fs');
    const path = join(homedir(), '.local', 'state', 'robust', 'run.key');
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o077).toBe(0);
  });
});

test('a training that somebody else recorded runs no code', async () => {
  const home = folder();
  writeFileSync(join(home, 'defence.mjs'), victim(home));
  for (const [name, command, settings] of [
    ['training', ['train'], { data: ['reviews'], defend: ['./defence.mjs'] }],
    ['training', ['train'], { data: ['./defence.mjs'] }],
    ['training', ['train'], { data: ['reviews'], adversarial: ['augment:./defence.mjs'] }],
    ['planting', ['backdoor', 'plant'], { data: 'reviews', attack: './defence.mjs' }],
    ['repair', ['backdoor', 'repair'], { data: 'reviews', model: './defence.mjs' }],
  ] as const) {
    const at = join(home, 'out', name);
    mkdirSync(at, { recursive: true });
    writeFileSync(join(at, 'run.json'), JSON.stringify({ schemaVersion: 1, settings }));
    const { code, stderr } = await robust([...command, '--resume', '-o', 'out'], { cwd: home });
    expect(code, stderr).toBe(2);
    expect(stderr).toContain('names code or an address');
  }
  expect(loads(home)).toBe(0);
});

/** Settings whose texts are compared, counted or sent, and never opened. */
const INERT = [
  ...'revision textColumn labelColumn idColumn labelMap textColumns attackColumn labels answers'.split(' '),
  ...['headers', 'rate', 'task', 'positive', 'threshold', 'positiveScore', 'windows', 'suites', 'target', 'method'],
  ...['protect', 'engine', 'precision', 'device', 'shard', 'arch', 'labels', 'part', 'metric', 'trigger', 'mode'],
  ...['storage', 'words'],
];

test('every recorded setting of text is declared as a path, or known to open nothing', () => {
  for (const [table, settings] of Object.entries(tables)) {
    if (!table.endsWith('Settings')) continue;
    for (const [key, { schema, recorded, path }] of Object.entries(settings as Settings)) {
      const takesText = ['a', ['a']].some((value) => schema.safeParse(value).success);
      if (recorded && takesText && path === undefined) expect(INERT, `${table}.${key}`).toContain(key);
    }
  }
});

/** Whether opening a model or a module of that name would run code, ask somebody or read a description: by opening it. */
async function opens(spec: string): Promise<boolean> {
  if (isHubSpec(spec)) return true;
  try {
    if ((await describedEndpoint(spec)) !== undefined || resolve(spec).kind === 'module') return true;
  } catch (error) {
    // Only what is no address and no code goes on to the files of a model.
    return (error as RobustError).code !== 'MODEL_NOT_FOUND' || /endpoint|address/.test(String(error));
  }
  return false;
}

test('whatever opening would reach, a record is known to name, whatever stands around it', async () => {
  const piece = fc.constantFrom(
    ...[
      'http:',
      'https:',
      'HTTP:',
      'x=y.yaml',
      ':',
      '=',
      '/',
      './',
      'kserve+http://h',
      'openai-chat:',
      'hf:',
      'cmd:',
      'CMD:sh ',
      'a b',
      '#',
    ],
    ...[':base=', 'bin/run.js', '.ts', 'robust-x', '@s/', ':seed=', 'é', ',', '-', 'hf-inference:a/b', 'HF:'],
  );
  const around = fc.constantFrom<(name: string) => string>(
    (name) => name,
    (name) => `./adapter:base=${name}`,
    (name) => `bae:mlm=${name}:max-edits=3`,
    (name) => JSON.stringify({ name: 'x', model: name }),
  );
  const spec = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(''));
  await fc.assert(
    fc.asyncProperty(spec, around, async (name, wrap) => {
      if (await opens(name)) expect(reachingSettings(tables.attackSettings, { model: wrap(name) })).not.toEqual({});
    }),
    { numRuns: tries(3000) },
  );
});

test.each([
  [{ model: 'bert-mini', data: './dev.tsv', attack: ['deepwordbug:max-edits=3'], shard: '1/3' }, []],
  [{ model: './my-model', mlm: './bert', calibration: 'texts/c.tsv', protect: ['and/or'], rate: '50/s' }, []],
  [{ model: 'C:\\models\\mine', data: 'D:/x.tsv' }, []],
  [{ model: './robust-demo/model', data: '/home/me/robust-texts/dev.tsv' }, []],
  [{ model: './x.mjs', data: './x.ts:delimiter=;' }, ['model', 'data']],
  [{ model: 'hf:org/name', data: 'hf:org/name:test' }, ['model', 'data']],
  [{ model: 'http:endpoint.yaml' }, ['model']],
  [{ model: 'http:x=y.yaml', data: 'HTTPS:a=b' }, ['model', 'data']],
  [{ attack: ['x:model=http:a=b.yaml', '{"model":"\\u0068ttp:x=y"}'] }, ['attack']],
  [{ model: 'openai-chat:gpt' }, ['model']],
  [{ model: 'cmd:victim', data: 'CMD:x y' }, ['model', 'data']],
  [{ attack: ['x:model=cmd:a', '{"model":"\\u0063md:a"}'] }, ['attack']],
  [{ model: 'robust-victim-x', attack: ['@scope/robust-x', './folder'] }, ['model', 'attack']],
  [{ defend: ['spelling', 'x:texts=./y.tsv'] }, ['defend']],
  [{ attack: ['{"name":"x","transformation":"\\u002e/x"}'] }, ['attack']],
  [{ attack: ['bae:mlm=hf:a/b'] }, ['attack']],
  [{ header: [`x: \${SECRET}`] }, ['header']],
])('settings that name more than data and built-in plugins: %j', (settings, flags) => {
  expect(Object.keys(reachingSettings(tables.attackSettings, settings))).toEqual(flags);
});
