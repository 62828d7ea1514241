/** Help in full, and what it costs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { folder, robust } from './cli.js';

describe.concurrent('help', () => {
  test.each([
    ['robust', []],
    ['attack', ['attack']],
    ['evaluate', ['evaluate']],
    ['list', ['list']],
    ['report', ['report']],
    ['doctor', ['doctor']],
  ])('of %s', async (name, command) => {
    const { code, stdout, stderr } = await robust([...command, '--help'], { env: { NO_COLOR: '1' } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    await expect(stdout.replace(/^ {2}robust-text\/.*$/m, '  robust-text/VERSION')).toMatchFileSnapshot(
      `snapshots/help, ${name}.txt`,
    );
  });

  test('follows COLUMNS', async () => {
    const { stdout } = await robust(['attack', '--help'], { env: { COLUMNS: '60' } });
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
    expect((await robust(['attack', '--help'], { env: { COLUMNS: '160' } })).stdout).not.toBe(stdout);
  });
});

describe.concurrent('loads no engine, registry or data', () => {
  const hook = pathToFileURL(join(import.meta.dirname, 'list-modules.mjs')).href;

  test.each([
    ['--help', 0],
    ['attack --help', 0],
    ['attack --no-such-flag', 2],
    ['--version', 0],
  ])('%s', async (args, exit) => {
    const file = join(folder(), 'loaded');
    const { code } = await robust(args.split(' '), { env: { LOADED: file }, node: ['--import', hook] });
    const loaded = readFileSync(file, 'utf8').split('\n');
    expect(code).toBe(exit);
    expect(loaded.some((module) => module.includes('@oclif/core'))).toBe(true);
    const heavy =
      /onnxruntime|@tensorflow|\/zod\/|cli-table3|\/dist\/(attacks|datasets)\/|\/dist\/src\/(model|run|gradient|language)\//;
    expect(loaded.filter((module) => heavy.test(module))).toEqual([]);
  });
});
