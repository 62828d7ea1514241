/** A setting has one meaning: its flag, its variable and a configuration, here or one folder up, resolve to the same value in every command that takes it. */
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Config, type Interfaces } from '@oclif/core';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { configPath } from '../../src/commands/_shared/configured.js';
import { type SettingRow, settingRow, valuesOf } from '../../src/commands/_shared/flags.js';
import { flagOf, type Setting, type Settings, variableOf } from '../../src/config/setting.js';
import { configurable } from '../../src/config/settings/index.js';
import { packageRoot, z } from '../../src/plugin.js';

type Flags = Interfaces.FlagInput;

interface CommandClass {
  new (argv: string[], config: Config): { parse(command: CommandClass): Promise<{ flags: Record<string, unknown> }> };
  readonly flags: Flags;
  readonly baseFlags: Flags;
  readonly args?: Readonly<Record<string, { readonly required?: boolean }>>;
}

const folder = join(packageRoot, 'src', 'commands');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.startsWith('_shared'))
  .sort();
const commands = (
  await Promise.all(
    files.map(async (file) => {
      const { default: command } = (await import(join(folder, file))) as { default: CommandClass };
      return { name: file.replace(/(\/index)?\.ts$/, ''), command };
    }),
  )
).filter(({ command }) => command.flags?.config !== undefined);

/** Free texts that a schema may want in a form of its own. */
const TEXTS = ['one', '0.7', '50/s', 'first,second', 'cpu'];

interface Sample {
  /** As configurations write it. */
  readonly value: unknown;
  /** As the command line and variables write it: none for a flag that is on. */
  readonly words: readonly string[];
}

/** A value that the setting takes, other than its default; `up` leads from the working directory to the configuration's. */
function sampleOf({ schema, path, blanks }: Setting): (up: string) => Sample {
  const base = { input: './thing.tsv', output: 'thing.md', module: './thing.mjs:vectors=./thing.tsv' };
  const takes = (value: unknown): boolean => schema.safeParse(value).success;
  if (path !== undefined) {
    const text = base[path];
    const moved = (up: string): string =>
      up === '' ? text : text.replaceAll('./', up).replace(/^thing/, `${up}thing`);
    return (up) => ({ value: takes(text) ? text : [text], words: [moved(up)] });
  }
  const kind = z.toJSONSchema(schema, { io: 'input' }) as { type?: string };
  if (kind.type === 'boolean') return () => ({ value: true, words: [] });
  if (kind.type === 'object') return () => ({ value: { one: 'two' }, words: ['one=two'] });
  const options = (kind as { enum?: string[] }).enum ?? [];
  const list = blanks ? ['first one', 'second'] : ['one', 'two'];
  const candidates = [...options.toReversed(), 7, 0.25, ...TEXTS, list];
  const value = candidates.find(takes);
  if (value === undefined) throw new Error('no sample fits');
  return () => ({ value, words: [value].flat().map(String) });
}

const configured = commands.flatMap(({ name, command }) =>
  Object.entries({ ...command.baseFlags, ...command.flags }).flatMap(([flag, made]) => {
    const row = settingRow(made);
    return row?.setting.configured === undefined ? [] : [{ name, command, flag, ...row }];
  }),
);

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

/** A command's value of a setting; `other`: its required flags and arguments. */
async function resolved(command: CommandClass, flag: string, argv: readonly string[], cwd: string) {
  process.chdir(cwd);
  const other = Object.entries(command.flags).flatMap(([name, { required }]) => (required ? [`--${name}`, 'x'] : []));
  const words = Object.values(command.args ?? {}).flatMap(({ required }) => (required ? ['x'] : []));
  const { flags } = await new command([...words, ...argv, ...other], oclif).parse(command);
  const row = settingRow({ ...command.baseFlags, ...command.flags }[flag] as Flags[string]) as SettingRow;
  // As a use case takes it.
  return row.setting.schema.parse(valuesOf({ [row.key]: row.setting }, flags)[row.key]);
}

test(`there are ${configured.length} settings of commands`, () => expect(configured.length).toBeGreaterThan(300));

describe.each(['here', 'one folder up'])('a configuration %s', (where) => {
  const up = where === 'here' ? '' : '../';

  test.each(configured)('$name --$flag', async ({ command, flag, key, setting }) => {
    const { value, words } = sampleOf(setting)(up);
    // Flags and variables are read where no configuration is: outside of `home` there is none but this test's own.
    const plain = join(home, 'plain', up === '' ? '' : 'work');
    const argv = words.length === 0 ? [`--${flag}`] : words.flatMap((word) => [`--${flag}`, word]);
    const byFlag = await resolved(command, flag, argv, plain);
    expect(byFlag).toBeDefined();

    const variable = variableOf(flag);
    process.env[variable] = words.length === 0 ? 'true' : words.join(setting.blanks ? '\n' : ' ');
    try {
      expect(await resolved(command, flag, [], plain)).toEqual(byFlag);
    } finally {
      delete process.env[variable];
    }

    const [outer, inner] = configPath({ key, setting });
    const file = join(home, 'robust.config.json');
    writeFileSync(file, JSON.stringify({ [outer]: inner === undefined ? value : { [inner]: value } }));
    const cwd = join(home, up === '' ? '' : 'work');
    expect(await resolved(command, flag, ['--config', `${up}robust.config.json`], cwd)).toEqual(byFlag);
  });
});

test('a setting whose texts are free declares a path, or stands here because its texts name no file', () => {
  const free = Object.entries(configurable as Settings).filter(([, { schema, path, configured: held }]) => {
    const probe = '/some/free text';
    return (
      held !== undefined &&
      path === undefined &&
      [probe, [probe], { [probe]: probe }].some((each) => schema.safeParse(each).success)
    );
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
    'target',
    'textColumn',
  ]);
});

test('two settings of one command never share a flag or a key', () => {
  for (const { name, command } of commands) {
    const rows = Object.entries({ ...command.baseFlags, ...command.flags }).map(([, made]) => settingRow(made));
    const names = rows.flatMap((row) => (row ? [flagOf(row.key, row.setting)] : []));
    expect(new Set(names).size, name).toBe(names.length);
  }
});
