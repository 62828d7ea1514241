/** @file Where the configuration is looked for: in the working folder and above it, as far as the user's own project reaches. */
import { existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { must, RobustError } from '../core/errors.js';

const ENDINGS = ['.ts', '.mts', '.mjs', '.js', '.cjs', '.json', '.yaml', '.yml'];
const NAMES = ENDINGS.map((ending) => `robust.config${ending}`);

/** The user's home and ids; tests pass others. */
export interface Surroundings {
  /** Folders above it are not searched. */
  readonly home: string;
  /** User ids whose files are read; undefined where files have no such owner, as on Windows. */
  readonly users: readonly number[] | undefined;
}

/** Files of root are read too: root can change this user's files anyway. */
const surroundings = (): Surroundings => ({
  home: homedir(),
  users: process.geteuid === undefined ? undefined : [process.geteuid(), 0],
});

/**
 * The nearest configuration in `folder` or above it; or undefined. The search ends at the root of a repository (a folder with `.git`), at
 * the home folder, and below a folder of another user. Throws RobustError where the configuration in `folder` itself belongs to another
 * user: without it the command would quietly do something else; and where the folder it is in has several.
 */
export function findConfig(folder: string, { home, users }: Surroundings = surroundings()): string | undefined {
  const isOwn = (path: string): boolean => users === undefined || users.includes(statSync(path).uid);
  const start = resolve(folder);
  for (let at = start; ; at = dirname(at)) {
    const files = NAMES.map((name) => join(at, name)).filter((path) =>
      statSync(path, { throwIfNoEntry: false })?.isFile(),
    );
    const [file] = files;
    if (file !== undefined && isOwn(at) && isOwn(file)) {
      if (files.length > 1) throw several(at, files, start);
      return file;
    }
    if (file !== undefined && at === start) throw notOwn(file);
    if (!isOwn(at) || existsSync(join(at, '.git')) || at === resolve(home) || dirname(at) === at) return undefined;
  }
}

const notOwn = (file: string): RobustError =>
  new RobustError(`expected a configuration of your own, got ${file}: the file or its folder belongs to another user`, {
    code: 'CONFIG_INVALID',
    hint: `If you trust it, name it: --config ${file}`,
  });

/** A forgotten configuration of another ending could decide unseen. */
const several = (folder: string, files: readonly string[], from: string): RobustError =>
  new RobustError(`expected one configuration in ${folder}, got ${files.map((file) => basename(file)).join(' and ')}`, {
    code: 'CONFIG_INVALID',
    hint: `Remove or rename all but one, or name the one that is meant: --config ${relative(from, must(files.at(-1)))}`,
  });
