/** Help on one screen and in full, and what it costs. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { COMMANDS, firstClause, MAIN_FLAGS } from '../../src/config/short-help.js';
import { packageRoot } from '../../src/core/package-root.js';
import { covered } from '../cover.js';
import { folder, robust, robustProcess } from './cli.js';

describe.concurrent('help', () => {
  test('names every command', async () => {
    const { code, stdout } = await robust(['--help'], { env: { NO_COLOR: '1' } });
    const commands = readdirSync(join(packageRoot, 'src', 'commands'), { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name.replace(/\.ts$/, ''));
    expect(code).toBe(0);
    for (const command of commands) expect(stdout).toMatch(new RegExp(`^  ${command} +[A-Z]`, 'm'));
  });

  test.for(covered(['attack', 'augment', 'evaluate', 'list', 'report', 'doctor'], 0, 3))(
    'of %s',
    async (name, { expect }) => {
      const { code, stdout, stderr } = await robustProcess([name, '--help'], { env: { NO_COLOR: '1' } });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      await expect(stdout).toMatchFileSnapshot(`snapshots/help, ${name}.txt`);
    },
  );

  test('follows COLUMNS', async () => {
    const { stdout } = await robustProcess(['attack', '--help'], { env: { COLUMNS: '60' } });
    expect((await robustProcess(['attack', '--help=all'], {})).stdout).toContain('ENDPOINT FLAGS');
    expect(stdout.split('\n').filter((line) => line.length > 60 && line.includes('--'))).toEqual([]);
    expect((await robustProcess(['attack', '--help'], { env: { COLUMNS: '160' } })).stdout).not.toBe(stdout);
  });
});

// By the class that package.json names: oclif itself asks for the width once per process.
describe('help at a width', async () => {
  const { Config } = (await import(
    join(packageRoot, 'dist/bundle/commands/_shared/oclif.js')
  )) as typeof import('../../src/commands/_shared/oclif.js');
  const config = await Config.load(packageRoot);
  const { helpClass } = config.pjson.oclif;
  const { default: Help } = (await import(
    join(packageRoot, `${helpClass}.js`)
  )) as typeof import('../../src/commands/_shared/help.js');
  const subjects = ['', ...config.topics.map(({ name }) => name), ...config.commandIDs];

  /** The lines that `robust SUBJECT --help` prints, with `more` after the flag. */
  async function help(subject: string, maxWidth: number, ...more: string[]): Promise<string[]> {
    const lines: string[] = [];
    const printed = vi.spyOn(console, 'log').mockImplementation((text) => void lines.push(...text.split('\n')));
    await new Help(config, { ...config.pjson.oclif.helpOptions, maxWidth, stripAnsi: true })
      .showHelp([...subject.split(/[: ]/).filter(Boolean), '--help', ...more])
      .finally(() => printed.mockRestore());
    return lines;
  }

  /** The flags of the lists: below a heading of flags, at the start of an entry. */
  function flagsIn(lines: readonly string[]): string[] {
    let listed = false;
    return lines.flatMap((line) => {
      if (/^\S/.test(line)) listed = /FLAGS$/.test(line);
      const entry =
        /^ {2}(?:-\w, )?--(?:\[no-\])?([a-z][\w-]*)|^ {6}--(?:\[no-\])?([a-z][\w-]*)\S*(?: \S+)? {2,}\S/.exec(line);
      return listed && entry ? [(entry[1] ?? entry[2]) as string] : [];
    });
  }

  test('lists every command, in the order of use', () => {
    const top = new Set(
      [...config.topics.map(({ name }) => name), ...config.commandIDs].map((id) => id.split(/[: ]/)[0]),
    );
    expect([...COMMANDS].sort()).toEqual([...top].sort());
  });

  test.each(subjects)('one screen of 80 columns, and all flags once behind --help all: %s', async (subject) => {
    const short = await help(subject, 80);
    expect(short.join('\n').trimEnd().split('\n').length).toBeLessThanOrEqual(40);
    const command = config.findCommand(subject.replaceAll(' ', ':'));
    // The help of `help` is that of robust.
    if (command === undefined || subject === 'help') return;
    const names = Object.entries(command.flags).flatMap(([name, { hidden }]) => (hidden ? [] : [name]));
    const shown = flagsIn(short);
    expect(new Set(shown).size).toBe(shown.length);
    expect(shown.length).toBeLessThanOrEqual(15);
    expect(flagsIn(await help(subject, 80, 'all')).sort()).toEqual(names.sort());
    if (shown.length < names.length) expect(short.join('\n')).toContain(`${names.length} flags: robust `);
    const main = MAIN_FLAGS[subject.replaceAll(':', ' ')] ?? [];
    expect(main.filter((name) => !names.includes(name))).toEqual([]);
  });

  test('the first clause of a flag and its default', () => {
    expect(firstClause('random seed', 42)).toBe('random seed [default: 42]');
    expect(firstClause('a goal; untargeted or targeted [default: untargeted; evade for a detector]')).toBe(
      'a goal [default: untargeted]',
    );
    expect(firstClause('columns; options:\ntext: the text [default: x]')).toBe('columns');
    expect(firstClause('overwrite', false)).toBe('overwrite');
  });

  test.for([60, 80, 120])('no line is wider than %i columns', async (maxWidth) => {
    for (const subject of subjects) {
      const lines = [...(await help(subject, maxWidth)), ...(await help(subject, maxWidth, 'all'))];
      expect(lines.length, subject).toBeGreaterThan(3);
      // One word may be wider than a narrow screen: a model's name, an address.
      const wide = lines.filter((line) => line.length > maxWidth && !/^\s*(?:-\S+ )?\S+$/.test(line));
      expect(wide, subject).toEqual([]);
    }
  });
});

describe.concurrent('loads no engine, registry or data', () => {
  const hook = pathToFileURL(join(import.meta.dirname, 'list-modules.mjs')).href;

  const made = JSON.parse(readFileSync(join(packageRoot, 'dist', 'bundle.json'), 'utf8')) as Record<string, string[]>;

  test.each(
    covered(
      [
        ['--help', 0, /\/zod\//],
        ['-h', 0, /\/zod\//],
        ['list -h', 0, /\/zod\//],
        ['-v', 0, /\/zod\//],
        ['attack --help', 0, /\/zod\//],
        // The table of settings, of which flags are made, is one of zod's.
        ['attack --no-such-flag', 2, undefined],
        ['--version', 0, /\/zod\//],
      ] as const,
      0,
      3,
    ),
  )('%s', async (args, exit, besides) => {
    const file = join(folder(), 'loaded');
    const { code } = await robustProcess(args.split(' '), { env: { LOADED: file }, node: ['--import', hook] });
    const loaded = readFileSync(file, 'utf8').split('\n');
    expect(code).toBe(exit);
    expect(loaded.filter((module) => module.includes('oclif'))).toEqual([
      expect.stringMatching(/\/dist\/bundle\/commands\/_shared\/oclif\.js$/),
    ]);
    if (exit === 0) expect(loaded.filter((module) => module.startsWith('file:')).length).toBeLessThan(25);
    // The files that were put into those of the bundle.
    const parts = loaded.flatMap((module) => made[module.split('/dist/bundle/')[1] ?? ''] ?? []);
    expect(parts.length).toBeGreaterThan(100);
    const heavy =
      /onnxruntime|@tensorflow|cli-table3|\bdist\/(attacks|datasets)\/|\bdist\/src\/(model|run|gradient|language)\//;
    expect([...loaded, ...parts].filter((module) => heavy.test(module) || besides?.test(module))).toEqual([]);
  });
});
