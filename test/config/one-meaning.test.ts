/** A setting has one meaning: its flag, its variable and its key, in a configuration here or one folder up, resolve to the same value. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Config } from '@oclif/core';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { settingsOfFlags } from '../../src/commands/_shared/flags.js';
import AttackCommand from '../../src/commands/attack.js';
import EvaluateCommand from '../../src/commands/evaluate.js';
import GateCommand from '../../src/commands/gate.js';
import { OPTION_FLAGS, optionRows } from '../../src/config/options.js';
import { configPath } from '../../src/config/schema.js';
import { flagOf, type Setting, type Settings, variableOf } from '../../src/config/setting.js';
import { configurable } from '../../src/config/settings/index.js';
import { packageRoot } from '../../src/core/package-root.js';
import { z } from '../../src/plugin.js';

const table: Settings = configurable;
const settings = Object.entries(table).filter(([, { configured }]) => configured);

/** A command that takes the setting. */
const commands = [AttackCommand, EvaluateCommand, GateCommand].map((command) => ({
  command,
  keys: Object.keys(settingsOfFlags({ ...command.baseFlags, ...command.flags })),
}));
const commandWith = (key: string) => commands.find(({ keys }) => keys.includes(key))!.command;

/** Free texts that a schema may want in a form of its own. */
const TEXTS = ['one', '0.7', '50/s', 'first,second', 'cpu'];

interface Sample {
  /** As configurations write it. */
  readonly value: unknown;
  /** As the command line and variables write it: none for a flag that is on. */
  readonly words: readonly string[];
}

/** A value that the setting takes, other than its default; `up` leads from the working directory to the configuration's. */
function sampleOf({ schema, path, blanks, of }: Setting): (up: string) => Sample {
  const base = { input: './thing.tsv', output: 'thing.md', module: './thing.mjs:vectors=./thing.tsv' };
  const takes = (value: unknown): boolean => schema.safeParse(value).success;
  if (path !== undefined) {
    const text = base[path];
    const moved = (up: string): string =>
      up === '' ? text : text.replaceAll('./', up).replace(/^thing/, `${up}thing`);
    return (up) => ({ value: takes(text) ? text : [text], words: [moved(up)] });
  }
  const kind = z.toJSONSchema(schema, { io: 'input' }) as { type?: string };
  if (kind.type === 'boolean') return () => ({ value: true, words: of === undefined ? [] : ['true'] });
  if (kind.type === 'object') return () => ({ value: { one: 'two' }, words: ['one=two'] });
  const options = (kind as { enum?: string[] }).enum ?? [];
  const list = blanks ? ['first one', 'second'] : ['one', 'two'];
  const candidates = [...options.toReversed(), 7, 0.25, ...TEXTS, list];
  const value = candidates.find(takes);
  if (value === undefined) throw new Error('no sample fits');
  return () => ({ value, words: [value].flat().map(String) });
}

let oclif: Config;
let home: string;
const here = process.cwd();
beforeAll(async () => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  oclif = await Config.load({ root: packageRoot });
  home = mkdtempSync(join(tmpdir(), 'robust-meaning-'));
  mkdirSync(join(home, 'work'));
  mkdirSync(join(home, 'plain'));
  mkdirSync(join(home, 'plain', 'work'));
  for (const at of [home, join(home, 'plain')]) {
    writeFileSync(join(at, 'thing.tsv'), 'text\tlabel\n');
    writeFileSync(join(at, 'thing.mjs'), '');
  }
});
afterEach(() => process.chdir(here));

/** The value of a setting, as a use case takes it. */
async function resolved(key: string, argv: readonly string[], cwd: string) {
  process.chdir(cwd);
  const command = commandWith(key);
  class Parsing extends (command as typeof AttackCommand) {
    override async run(): Promise<void> {}
    async value() {
      await this.parse(command as typeof AttackCommand);
      return this.values({ [key]: table[key]! })[key];
    }
  }
  return table[key]!.schema.parse(await new Parsing([...argv], oclif).value());
}

describe.each(['here', 'one folder up'])('a configuration %s', (where) => {
  const up = where === 'here' ? '' : '../';

  test.each(settings)('%s', async (key, setting) => {
    const { value, words } = sampleOf(setting)(up);
    // Flags and variables are read where no configuration is: outside of `home` there is none but this test's own.
    const plain = join(home, 'plain', up === '' ? '' : 'work');
    const row = optionRows(table).find((each) => each.key === key);
    const flag = row?.owner ?? flagOf(key, setting);
    const texts = row === undefined ? words : words.map((word) => `${row.option}=${word}`);
    const argv = texts.length === 0 ? [`--${flag}`] : texts.flatMap((text) => [`--${flag}`, text]);
    const byFlag = await resolved(key, argv, plain);
    expect(byFlag).toBeDefined();

    const variable = variableOf(flag);
    process.env[variable] = texts.length === 0 ? 'true' : texts.join(setting.blanks ? '\n' : ' ');
    try {
      expect(await resolved(key, [], plain)).toEqual(byFlag);
    } finally {
      delete process.env[variable];
    }

    const [outer, inner] = configPath(key, setting);
    const file = join(home, 'robust.config.json');
    writeFileSync(file, JSON.stringify({ [outer]: inner === undefined ? value : { [inner]: value } }));
    const cwd = join(home, up === '' ? '' : 'work');
    expect(await resolved(key, ['--config', `${up}robust.config.json`], cwd)).toEqual(byFlag);
  });
});

test('a setting whose texts are free declares a path, or stands here because its texts name no file', () => {
  const free = settings.filter(([, { schema, path }]) => {
    const probe = '/some/free text';
    return path === undefined && [probe, [probe], { [probe]: probe }].some((each) => schema.safeParse(each).success);
  });
  expect(free.map(([key]) => key).sort()).toEqual([
    'answers',
    'attackColumn',
    'baselineModel',
    'headers',
    'idColumn',
    'labelColumn',
    'labelMap',
    'labels',
    'positive',
    'protect',
    'suites',
    'textColumn',
  ]);
});

test('a key is its flag, in the plural where the flag may be repeated', () => {
  for (const [key, setting] of settings.filter(([, { of }]) => of === undefined)) {
    const camel = flagOf(key, setting).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    expect([camel, `${camel}s`]).toContain(key);
  }
  for (const [key, { of }] of settings) if (of !== undefined) expect(of in OPTION_FLAGS || of in table, key).toBe(true);
});

test('two settings never share a flag', () => {
  const names = settings.map(([key, setting]) => flagOf(key, setting));
  expect(new Set(names).size).toBe(names.length);
});
