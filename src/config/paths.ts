/** @file Paths in a configuration are relative to the file that holds them. */
import { existsSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { isObject } from '../core/json.js';
import { configPath } from './schema.js';
import type { Setting } from './setting.js';
import { configurable } from './settings/index.js';

/** A configuration in `home` as it is written, with every path that its settings declare made relative to `folder`. */
export function rebasePaths(written: unknown, home: string, folder: string): unknown {
  if (home === folder || !isObject(written)) return written;
  const rebased: Record<string, unknown> = { ...written };
  for (const [key, setting] of Object.entries<Setting>(configurable)) {
    if (setting.path === undefined) continue;
    const rebase = REBASE[setting.path]({ home, folder });
    const [outer, inner = setting.head ?? 'value'] = configPath(key, setting);
    const value = rebased[outer];
    if (isObject(value)) rebased[outer] = { ...value, [inner]: eachText(value[inner], rebase) };
    else if (setting.of === undefined) rebased[outer] = eachText(value, rebase);
  }
  return rebased;
}

type Rebase = (written: string) => string;

/** Applies `rebase` to every text of a value: one, a list, or the options of a plugin. */
function eachText(value: unknown, rebase: Rebase): unknown {
  if (typeof value === 'string') return rebase(value);
  if (Array.isArray(value)) return value.map((each) => eachText(each, rebase));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, eachText(each, rebase)]));
}

interface Move {
  readonly home: string;
  readonly folder: string;
}

const movePath = (path: string, { home, folder }: Move): string => relative(folder, resolve(home, path));

/** With a dot at its start, so that it is not taken for a name. */
const moveInput = (path: string, move: Move): string => {
  const near = movePath(path, move);
  return isDotted(near) || isAbsolute(near) ? near : `./${near}`;
};

const isDotted = (written: string): boolean => /^\.{1,2}[\\/]/.test(written);
const looksLikePath = (written: string): boolean => /[\\/.]/.test(written);
/** A pattern for several files; an address or a name of the Hub has a colon. */
const isPattern = (written: string): boolean => /[*?[{]/.test(written) && !/:|\s|\{\{/.test(written);

/** A name with options, `./attack.mjs:vectors=./glove.txt`: its name by `isPath`, its options wherever they hold a path. */
function moveSpec(written: string, move: Move, isPath: (name: string) => boolean): string {
  const there = (name: string): boolean => existsSync(join(move.home, name));
  const [name = '', ...options] = written.split(/:(?=[A-Za-z][\w-]*=)/);
  const movedName = isDotted(name) || isPath(name) ? moveInput(name, move) : name;
  const movedOptions = options.map((option) => {
    const at = option.indexOf('=') + 1;
    const value = option.slice(at);
    const isFile = isDotted(value) || (looksLikePath(value) && there(value));
    return isFile ? option.slice(0, at) + moveInput(value, move) : option;
  });
  return [movedName, ...movedOptions].join(':');
}

const REBASE: Readonly<Record<NonNullable<Setting['path']>, (move: Move) => Rebase>> = {
  output: (move) => (written) => movePath(written, move),
  // If no file has that name, it is a bundled model or data set, or one of the Hub.
  input: (move) => (written) => {
    // Of a program each word that is a file there.
    if (/^cmd:/i.test(written))
      return written.replaceAll(/(?<=[\s:'"])[^\s:'"]+/g, (word) =>
        !isAbsolute(word) && existsSync(join(move.home, word)) ? moveInput(word, move) : word,
      );
    const [prefix = ''] = /^https?:(?!\/\/)/i.exec(written) ?? [];
    const name = written.slice(prefix.length);
    const isPath = (path: string): boolean =>
      prefix !== '' || isPattern(path) || (path !== '' && existsSync(join(move.home, path)));
    return prefix + moveSpec(name, move, isPath);
  },
  // A file named like a plugin does not hide the plugin.
  module: (move) => (written) =>
    moveSpec(written, move, (name) => looksLikePath(name) && existsSync(join(move.home, name))),
};
