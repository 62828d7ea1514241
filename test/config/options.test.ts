/** Options of flags: `--arch bert:layers=4`. Each is a setting, may come from a variable, and is printed as it was written. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Config, type Interfaces } from '@oclif/core';
import { describe, expect, test, vi } from 'vitest';
import { commandLine } from '../../src/app/command-line.js';
import { environment } from '../../src/commands/_shared/environment.js';
import { settingsOfFlags } from '../../src/commands/_shared/flags.js';
import { formerNotes, moveFormerOptions } from '../../src/config/former-flags.js';
import { expandOptions, OPTION_FLAGS, optionRows } from '../../src/config/options.js';
import type { Settings } from '../../src/config/setting.js';
import { attackSettings, trainSettings } from '../../src/config/settings/index.js';
import { packageRoot } from '../../src/plugin.js';

const rows = optionRows(trainSettings);
const expand = (line: string): string => expandOptions(line.split(' '), rows).join(' ');

describe('a command line', () => {
  test.each([
    ['--arch bert:layers=4:dim=256', '--arch=bert --layers=4 --dim=256'],
    ['--arch=layers=4', '--layers=4'],
    ['--threshold fpr=0.01:calibration=C:/a.tsv', '--threshold=fpr=0.01 --calibration=C:/a.tsv'],
    ['--optimizer clip=2 --seed 4', '--clip=2 --seed 4'],
    ['--columns text=a:label=b -d x.tsv', '--text-column=a --label-column=b -d x.tsv'],
    ['--seed 4 -- --arch bert:layers=4', '--seed 4 -- --arch bert:layers=4'],
    ['--arch', '--arch'],
    ['--runtime threads=3:timeout=5', '--threads=3 --timeout=5'],
  ])('%s', (line, expected) => expect(expand(line)).toBe(expected));

  test('a value with colons or options of its own keeps what is no option of the flag', () => {
    const options = optionRows(attackSettings);
    expect(expandOptions(['--protect', 'a:b=c', '--protect', 'placeholders=edit'], options)).toEqual([
      '--protect=a:b=c',
      '--placeholders=edit',
    ]);
    expect(expandOptions(['--language', './klingon.mjs:vectors=v.txt:mlm=./bert'], options)).toEqual([
      '--language=./klingon.mjs:vectors=v.txt',
      '--mlm=./bert',
    ]);
    expect(commandLine('attack', { protect: ['a b'], placeholders: 'edit' })).toBe(
      "robust attack --protect 'a b' --protect placeholders=edit",
    );
  });

  test.each([
    ['--arch bert:layer=4', /^unknown option layer of --arch; known: layers, dim, /, 'Did you mean "layers"?'],
    ['--loss balanced', /^--loss: expected option=value, got "balanced"; options: class-weights, /, undefined],
  ])('%s is refused', (line, message, hint) => {
    const expected = { message: expect.stringMatching(message), hint, code: 'USAGE' };
    expect(() => expand(line)).toThrow(expect.objectContaining(expected) as Error);
  });
});

test('a variable holds options as the flag does', () => {
  const source = environment({ ROBUST_ARCH: 'bert:layers=3', ROBUST_OPTIMIZER: 'clip=2' }, {}, rows);
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

describe('a former flag', () => {
  test.each([
    ['--layers 4 --dim=2', ['--layers, --dim: read for one more version; write --arch layers=4:dim=2 instead']],
    ['--arch bert:layers=4', []],
  ])('%s', (line, notes) => expect(formerNotes(line.split(' '), rows, trainSettings)).toEqual(notes));

  test('that another replaces', () => {
    expect(formerNotes(['--target', 'x'], [], attackSettings)).toEqual([
      '--target: read for one more version; write --goal targeted:label=x instead',
    ]);
    expect(commandLine('attack', { target: 'x' })).toBe('robust attack --goal targeted:label=x');
  });

  const move = (line: string, env = {}): string => moveFormerOptions(line.split(' '), env, () => true).argv.join(' ');
  test('is an option of the values that take it', () => {
    expect(move('--epsilon 0.3 --adversarial fgsm --adversarial=a2t')).toBe(
      '--adversarial fgsm:epsilon=0.3 --adversarial=a2t',
    );
    expect(move('--adversarial augment:typos --augment-once')).toBe('--adversarial augment:typos:once=true');
    expect(move('--adversarial=augment:typos', { ROBUST_AUGMENT_QUERIES: '9' })).toBe(
      '--adversarial=augment:typos:queries=9',
    );
    expect(() => move('--adversarial a2t --epsilon 0.3')).toThrow(
      '--epsilon: expected --adversarial fgsm, which has it',
    );
  });
});

test('a printed command has no former flag, and none of the defaults of options', () => {
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

/** Flags that each command shows; fewer is better. */
// `--prompt` and `--answers` are two of attack and gate.
const MOST = { train: 40, attack: 53, gate: 59 };

test.each(Object.entries(MOST))('%s has at most %i flags', async (name, most) => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const command = (await Config.load({ root: packageRoot })).findCommand(name, { must: true });
  expect(Object.values(command.flags).filter(({ hidden }) => !hidden).length).toBeLessThanOrEqual(most);
});
