/** Options of flags: `--arch bert:layers=4`. Each is a setting, may come from a variable, and is printed as it was written. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Config, type Interfaces } from '@oclif/core';
import { describe, expect, test } from 'vitest';
import { commandLine } from '../../src/app/command-line.js';
import { environment } from '../../src/commands/_shared/environment.js';
import { settingsOfFlags } from '../../src/commands/_shared/flags.js';
import { OPTION_FLAGS, optionRows, takeOptions } from '../../src/config/options.js';
import { flagOf, type Settings } from '../../src/config/setting.js';
import { attackSettings, trainSettings } from '../../src/config/settings/index.js';
import { packageRoot } from '../../src/core/package-root.js';

const rows = optionRows(trainSettings);

/** The rest of a command line, and its options by name. */
const taken = (argv: readonly string[], own = rows): unknown[] => {
  const { argv: rest, texts } = takeOptions(argv, own);
  return [rest.join(' '), Object.fromEntries([...texts].map(([name, { text }]) => [name, text]))];
};

describe('a command line', () => {
  test.each([
    ['--arch bert:layers=4:dim=256', '--arch=bert', { layers: '4', dim: '256' }],
    ['--arch=layers=4', '', { layers: '4' }],
    ['--threshold fpr=0.01:calibration=C:/a.tsv', '--threshold=fpr=0.01', { calibration: 'C:/a.tsv' }],
    ['--optimizer clip=2 --seed 4', '--seed 4', { clip: '2' }],
    ['--columns text=a:label=b -d x.tsv', '-d x.tsv', { 'text-column': 'a', 'label-column': 'b' }],
    ['--seed 4 -- --arch bert:layers=4', '--seed 4 -- --arch bert:layers=4', {}],
    ['--arch', '--arch', {}],
    ['--runtime threads=3:timeout=5', '', { threads: '3', timeout: '5' }],
  ])('%s', (line, rest, options) => expect(taken(line.split(' '))).toEqual([rest, options]));

  test('a letter stands for its flag', () => {
    const line = '-n 20:offset=5 -n=shuffle=true -n30'.split(' ');
    const options = { offset: '5', shuffle: 'true' };
    expect(taken(line, optionRows(attackSettings))).toEqual(['--num-examples=20 --num-examples=30', options]);
  });

  test('a value with colons or options of its own keeps what is no option of the flag', () => {
    const options = optionRows(attackSettings);
    expect(taken(['--protect', 'a:b=c', '--protect', 'placeholders=edit'], options)).toEqual([
      '--protect=a:b=c',
      { placeholders: 'edit' },
    ]);
    expect(taken(['--language', './klingon.mjs:vectors=v.txt:mlm=./bert'], options)).toEqual([
      '--language=./klingon.mjs:vectors=v.txt',
      { mlm: './bert' },
    ]);
    expect(commandLine('attack', { protect: ['a b'], placeholders: 'edit' })).toBe(
      "robust attack --protect 'a b' --protect placeholders=edit",
    );
  });

  test.each([
    ['--arch bert:layer=4', /^unknown option layer of --arch; known: layers, dim, /, 'Did you mean "layers"?'],
    ['--loss balanced', /^--loss: expected option=value, got "balanced"; options: class-weights, /, undefined],
  ])('%s is refused', (line, message, hint) => {
    const expected = {
      message: expect.stringMatching(message),
      hint,
      code: hint ? 'OPTION_NOT_FOUND' : 'FLAG_INVALID',
    };
    expect(() => taken(line.split(' '))).toThrow(expect.objectContaining(expected) as Error);
  });
});

test('a variable holds options as the flag does', () => {
  const source = environment({ ROBUST_ARCH: 'bert:layers=3', ROBUST_OPTIMIZER: 'clip=2' }, rows);
  const text = (name: string): string | undefined => source(name, {} as never)?.text;
  expect([text('arch'), text('layers'), text('clip'), text('dim'), text('optimizer')]).toEqual([
    'bert',
    'layers=3',
    'clip=2',
    undefined,
    undefined,
  ]);
  expect(source('layers', {} as never)?.origin).toBe('ROBUST_ARCH');
});

test('an option has no flag and no variable of its own', () => {
  const source = environment({ ROBUST_LAYERS: '3' }, rows);
  expect(source('layers', {} as never)).toBeUndefined();
});

test('a printed command has its options within their flags, and none of their defaults', () => {
  expect(
    commandLine('train', { data: ['a.tsv'], arch: 'bert', layers: 4, dim: 64, clip: 2, 'text-columns': ['a', 'b'] }),
  ).toBe('robust train --data a.tsv --arch bert:dim=64 --optimizer clip=2 --columns pair=a,b');
  expect(commandLine('backdoor plant', { rate: 0.1 })).toBe('robust backdoor plant --rate 0.1');
  expect(commandLine('attack', { rate: '5/s', dim: 64 })).toBe('robust attack --endpoint rate=5/s --dim 64');
});

const folder = join(packageRoot, 'src', 'commands');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.startsWith('_shared'),
);

test.each(files)('%s: every setting that a flag carries has that flag beside it', async (file) => {
  const { default: command } = (await import(join(folder, file))) as { default: { flags?: Interfaces.FlagInput } };
  const settings: Settings = settingsOfFlags(command.flags ?? {});
  const carried = new Set(optionRows(settings).map(({ setting }) => setting));
  const lone = Object.entries(settings).filter(([, setting]) => setting.of !== undefined && !carried.has(setting));
  expect(lone.map(([key]) => key)).toEqual([]);
  for (const { owner } of optionRows(settings))
    expect(owner in OPTION_FLAGS || owner in (command.flags ?? {})).toBe(true);
});

test('no flag is hidden, and no option is a flag of its command', async () => {
  const { commands } = await Config.load({ root: packageRoot });
  for (const { flags, id } of commands) {
    expect(
      Object.values(flags).filter(({ hidden }) => hidden),
      id,
    ).toEqual([]);
  }
  for (const file of files) {
    const { default: command } = (await import(join(folder, file))) as { default: { flags?: Interfaces.FlagInput } };
    const options = optionRows(settingsOfFlags(command.flags ?? {})).map(({ key, setting }) => flagOf(key, setting));
    expect(
      Object.keys(command.flags ?? {}).filter((name) => options.includes(name)),
      file,
    ).toEqual([]);
  }
});
