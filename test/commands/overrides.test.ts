/** Environment variables that decide settings are listed with every result: a gate cannot pass by a hidden variable. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fileFormats } from '../../reports/index.js';
import { environment, valuesFrom } from '../../src/commands/_shared/environment.js';
import { flagsOf, optionParsers } from '../../src/commands/_shared/flags.js';
import { optionRows } from '../../src/config/options.js';
import { overridesOf } from '../../src/config/overrides.js';
import { jsonType } from '../../src/config/parse-text.js';
import { flagOf, type Settings, variableOf } from '../../src/config/setting.js';
import { configurable, gateExitCodeSetting, gateSettings } from '../../src/config/settings/index.js';
import { folder, robust, toy } from './cli.js';

const word = (at: number): string => String.fromCharCode(97 + (at % 20), 97 + Math.floor(at / 20)).repeat(3);
const rows = Array.from({ length: 40 }, (_, at) => `A ${at % 2 ? 'good' : 'dull'} film, ${word(at)}.\t${at % 2}`);
const data = `text\tlabel\n${rows.join('\n')}\n`;
const config = `model: ${JSON.stringify(toy)}\ndata: data.tsv\nattacks: [deepwordbug]\nseed: 3\nminExamples: 35\nrequire: [deepwordbug.attackSuccessRate <= 0.1]\n`;
const home = () => folder({ 'data.tsv': data, 'robust.config.yaml': config, 'lax.yaml': config.replace('0.1', '0.9') });

describe('a gate that variables turn green', () => {
  const env = {
    ROBUST_CONFIG: 'lax.yaml',
    ROBUST_MIN_EXAMPLES: '1',
    ROBUST_GATE_EXIT_CODE: '7',
    ROBUST_REQUIRE: 'deepwordbug.attackSuccessRate<=0.95',
    ROBUST_SEED: '4',
  };
  const said = [
    'ROBUST_CONFIG="lax.yaml"',
    'ROBUST_MIN_EXAMPLES="1" (overrides lax.yaml:5:1)',
    'ROBUST_GATE_EXIT_CODE="7"',
    'ROBUST_REQUIRE="deepwordbug.attackSuccessRate<=0.95"',
    'ROBUST_SEED="4" (overrides lax.yaml:4:1)',
  ];

  test('lists them on stderr, beside the verdict, in the JSON, in the record and in every format', async () => {
    const cwd = home();
    const files = fileFormats.map(({ extension }) => `r.${extension}`);
    const without = await robust(['gate'], { cwd });
    expect({ code: without.code, stderr: without.stderr }).toEqual({
      code: 1,
      stderr: expect.not.stringContaining('environment variable'),
    });
    const { code, stdout, stderr } = await robust(['gate', ...files.flatMap((file) => ['-o', file])], { cwd, env });
    expect(code).toBe(0);
    const unwrapped = stdout.replace(/\s+/g, ' ');
    for (const each of said) {
      expect(stderr).toContain(each);
      expect(unwrapped.slice(unwrapped.indexOf('Gate passed'))).toContain(each);
    }
    for (const file of files) {
      const text = readFileSync(join(cwd, file), 'utf8').replaceAll('\\_', '_');
      for (const name of Object.keys(env)) expect(text, file).toContain(name);
    }
    const latest = readFileSync(join(cwd, '.robust', 'runs', 'latest'), 'utf8').trim();
    const record = JSON.parse(readFileSync(join(cwd, '.robust', 'runs', latest, 'run.json'), 'utf8'));
    const of = (list: readonly { readonly variable: string }[]) => list.map(({ variable }) => variable).sort();
    expect(of(record.made.overrides)).toEqual(Object.keys(env).sort());

    // A run that is judged later keeps the variables it was made with, and this gate's are added.
    const later = await robust(['gate', 'latest', '--json'], { cwd, env: { ROBUST_MIN_EXAMPLES: '2' } });
    const { overrides } = JSON.parse(later.stdout).result.provenance;
    expect(overrides).toContainEqual({
      variable: 'ROBUST_MIN_EXAMPLES',
      value: '2',
      instead: 'robust.config.yaml:5:1',
    });
    expect(overrides).toContainEqual({ variable: 'ROBUST_SEED', value: '4', instead: 'lax.yaml:4:1' });
  });

  test('lists them although a variable asks for quiet', async () => {
    const { stderr } = await robust(['gate'], { cwd: home(), env: { ...env, ROBUST_QUIET: '1' } });
    expect(stderr).toContain('ROBUST_GATE_EXIT_CODE');
  });
});

test('a command without a report lists them, too', async () => {
  const args = ['evaluate', '-m', toy, '-d', 'data.tsv', '--json'];
  const { stdout, stderr } = await robust(args, { cwd: home(), env: { ROBUST_NUM_EXAMPLES: '12' } });
  expect(stderr).toContain('ROBUST_NUM_EXAMPLES="12"');
  expect(JSON.parse(stdout).result.provenance).toEqual({
    overrides: [{ variable: 'ROBUST_NUM_EXAMPLES', value: '12', instead: null }],
  });
});

test('what the command line decides is no override', async () => {
  const args = ['evaluate', '-m', toy, '-d', 'data.tsv', '-n', '12', '--json'];
  const { stdout } = await robust(args, { cwd: home(), env: { ROBUST_NUM_EXAMPLES: '13', ROBUST_BETA_UNKNOWN: '1' } });
  expect(JSON.parse(stdout).result.provenance).toBeUndefined();
});

const settings: Settings = { ...configurable, ...gateSettings, ...gateExitCodeSetting };

/** The listed overrides, if the variable of a setting has this value: that of the flag that has it as an option. */
async function overrides(key: string, value: string) {
  const row = optionRows(settings).find((each) => each.key === key);
  const flag = row?.owner ?? flagOf(key, settings[key] as Settings[string]);
  const source = environment({ [variableOf(flag)]: row ? `${row.option}=${value}` : value }, row ? [row] : []);
  const flags = row ? optionParsers([row]) : flagsOf({ [key]: settings[key] as Settings[string] });
  return { flag, listed: overridesOf([...(await valuesFrom(flags, source)).values()]) };
}

test.each(Object.keys(settings))('the variable of %s is listed', async (key) => {
  const options = jsonType(settings[key] as Settings[string]).enum ?? [];
  for (const value of ['1', '0.5', 'true', 'a=b', 'x,y', '50/s', 'cpu', ...options]) {
    const { flag, listed } = (await overrides(key, value).catch(() => undefined)) ?? {};
    if (listed === undefined) continue;
    expect(listed).toMatchObject([{ variable: variableOf(flag as string) }]);
    return;
  }
  expect.unreachable('no value fits');
});

test.each([
  ['headers', 'authorization: Bearer sk-secret'],
  ['model', 'http://user:sk-secret@host/?api_key=sk-secret'],
])('a secret in the variable of %s is never shown', async (key, value) => {
  const [override] = (await overrides(key, value)).listed;
  expect(override?.value).toContain('***');
  expect(override?.value).not.toContain('sk-secret');
});
