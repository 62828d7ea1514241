/**
 * Every `robust ...` of the documents: its command and flags are there; those of the reference and the notes that need only what
 * comes with robust are run, on two examples; `npm test` runs a third of them. Those of the guides are run in guides.test.ts.
 */
import { Config, Flags, Parser } from '@oclif/core';
import { beforeAll, describe, expect, test } from 'vitest';
import { withLatest } from '../../src/app/command-line.js';
import { settingsOfFlags } from '../../src/commands/_shared/flags.js';
import { optionRows, takeOptions } from '../../src/config/options.js';
import { packageRoot } from '../../src/core/package-root.js';
import { covered } from '../cover.js';
import { documents } from '../documents.js';
import { folder, robust } from './cli.js';
import { commandsOf, type Documented } from './documented-commands.js';

// The pages of the commands have the examples of their help.
const files = ['README.md', 'CONTRIBUTING.md', ...documents];
const documented = [...new Map(files.flatMap(commandsOf).map((one) => [one.words.join(' '), one])).values()];

let config: Config;
beforeAll(async () => {
  config = await Config.load({ root: packageRoot });
});

/** The command and its arguments. */
function found(all: readonly string[]) {
  for (const length of [2, 1]) {
    const command = config.findCommand(all.slice(0, length).join(':'));
    if (command !== undefined) return { command, rest: all.slice(length) };
  }
  return undefined;
}

test(`the documents have more than a hundred commands: ${documented.length}`, () => {
  expect(documented.length).toBeGreaterThan(100);
});

test.each(documented)('$where: robust $words', async ({ words: all }) => {
  const { command, rest = [] } = found(all) ?? {};
  expect(command?.id).toBeDefined();
  const { flags, baseFlags, args, strict, enableJsonFlag } = await command!.load();
  const every = { ...baseFlags, ...flags, ...(enableJsonFlag && { json: Flags.boolean() }) };
  // The values of an ellipsis or a shell variable are unknown.
  const known = rest.filter((word) => !/^(?:\.\.\.|\$\w+)$/.test(word));
  // A command that is only named need not have what it demands.
  const optional = Object.fromEntries(
    Object.entries(every).map(([name, flag]) => [name, { ...flag, required: false }]),
  );
  const loose = Object.fromEntries(
    Object.entries(args ?? {}).map(([name, arg]) => [name, { ...arg, required: false }]),
  );
  const { argv } = takeOptions(
    /^(?:attack|verify)$/.test(command!.id) ? withLatest(known) : known,
    optionRows(settingsOfFlags(every)),
  );
  await Parser.parse([...argv], { flags: optional, args: loose, strict: strict ?? true } as never);
});

/** Whether it needs nothing but the package: no file, no address, no run of before. */
const RUN = /^(?:attack|evaluate|explain|compare|list|models)$/;
const ours = ({ where, words: all }: Documented): boolean =>
  /^(?:docs\/(?:reference|research)\/|CONTRIBUTING)/.test(where) &&
  RUN.test(all[0] as string) &&
  // The first command is not one of words alone.
  all.length > 1 &&
  !all.some((word) =>
    /^(?:\.{1,2}\/|[A-Z]+$|\[|<)|:\/\/|\$|\.(?:tsv|csv|jsonl?|mjs|parquet|gz|bin)$|^hf:|^\d{8}T|^--(?:resume|queue)|^all$/.test(
      word,
    ),
  ) &&
  // Models and data that come with robust.
  all.every(
    (word, at) => !/^(?:-m|--model)$/.test(all[at - 1] ?? '') || /^(?:distilbert|bert-mini|char-bilstm)$/.test(word),
  );

describe('on two examples, the smaller one of two bundled models', () => {
  const runnable = documented.filter(ours);
  test(`enough of them need nothing else: ${runnable.length}`, () => expect(runnable.length).toBeGreaterThan(15));

  test.each(covered(runnable, 0, 3))('$where: robust $words', async ({ words: all }) => {
    const [command] = all;
    const few = /^(?:attack|evaluate|compare)$/.test(command as string) ? ['-n', '2'] : [];
    const args = all
      .filter((word, at) => few.length === 0 || (word !== '-n' && all[at - 1] !== '-n'))
      .map((word) => (word === 'distilbert' ? 'bert-mini' : word));
    // One of them deletes all conversions, which others are opening.
    const { code, stdout, stderr } = await robust([...args, ...few], { cwd: folder(), env: { HF_HOME: folder() } });
    // Two examples say nothing of a model: that is inconclusive.
    expect({ code, stderr }).toEqual({
      code: expect.toSatisfy((each) => each === 0 || each === 4),
      stderr: expect.anything(),
    });
    expect(stdout).not.toBe('');
  });
});
