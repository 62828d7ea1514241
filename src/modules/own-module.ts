/** @file Loads the user's code: a file, a package by name, or a package's folder. */
import { existsSync, statSync } from 'node:fs';
import { createRequire, register } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { messageOf, RobustError } from '../core/errors.js';
import { compiledFile, packageRoot } from '../core/package-root.js';
import { NO_TIME_LIMIT, type TimeLimit, withinTime } from '../core/patience.js';
import { noteUserFile } from '../core/user-code.js';
import { readFileSync } from '../files/read.js';

/** `robust-attack-vowels`, `@scope/robust-reader`. No other package is ever loaded, whatever typo a name contains. */
const PACKAGE = /^(?:@[a-z0-9~][\w.~-]*\/)?robust-[a-z0-9][\w.~-]*$/;

/** Names of plugin packages anywhere in a text: the name itself, its options, a recipe written as JSON. */
export const packagesIn = (text: string): string[] =>
  text.split(/[\s:=,"'{}[\]]+/).filter((word) => isPackageName(word));

/** The purpose of a temporary folder with a module for a value that a program gave. */
export const VALUES = 'values';

/** Extensions of code files. */
const CODE = /\.[cm]?[jt]s$/;

export const isPackageName = (spec: string): boolean => PACKAGE.test(spec) && !CODE.test(spec);

/** Whether the folder at that path is a package. */
const isPackageFolder = (path: string): boolean => existsSync(join(path, 'package.json'));

/**
 * Whether a name, which may also be that of a data file or a model, means code: by its extension, or as a package if no file has that name.
 * A folder never means code: models and data of strangers are folders and must not run.
 */
export const isCode = (spec: string): boolean => CODE.test(spec) || (isPackageName(spec) && !existsSync(spec));

/** Whether a name is a path or a package, rather than the name of a built-in plugin. */
export const isModuleSpec = (spec: string): boolean => isPackageName(spec) || /[\\/]/.test(spec) || CODE.test(spec);

/** Describes the expected module in error messages. */
export interface ModuleUse {
  /** "an attack" */
  readonly what: string;
  readonly hint: string;
  readonly patience?: TimeLimit | undefined;
}

/** The file at a path or of a package. Throws RobustError (PLUGIN_NOT_FOUND). */
export async function moduleFile(spec: string, { what, hint }: Pick<ModuleUse, 'what' | 'hint'>): Promise<string> {
  if (isPackageName(spec)) return packageFile(spec, what);
  const file = resolve(spec);
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isFile()) return file;
  if (found?.isDirectory()) return entryOf(file, spec, what);
  const given = file.includes(`robust-${VALUES}-`)
    ? 'It was a value in a program, which no run keeps: run again instead of resuming.'
    : hint;
  throw notFound(`expected ${what}'s file or package at ${spec}, got nothing`, given);
}

const notFound = (message: string, hint: string): RobustError =>
  new RobustError(message, { code: 'PLUGIN_NOT_FOUND', hint });

/** Entry module of a package's folder, resolved as in Node: by `exports`, else by `main`, else index.js. */
function entryOf(folder: string, spec: string, what: string): string {
  const manifest = join(folder, 'package.json');
  if (!isPackageFolder(folder))
    throw notFound(`expected ${what}'s file or package at ${spec}, got a folder without package.json`, NAME_THE_FILE);
  let read: unknown;
  try {
    read = JSON.parse(readFileSync(manifest, 'utf8'));
  } catch (cause) {
    throw notFound(`${join(spec, 'package.json')} cannot be read: ${messageOf(cause)}`, NAME_THE_FILE);
  }
  const { exports, main } = Object(read) as { exports?: unknown; main?: unknown };
  const named = exports === undefined ? main : entryOfExports(exports);
  const file = typeof named === 'string' ? resolve(folder, named) : undefined;
  if (file !== undefined && statSync(file, { throwIfNoEntry: false })?.isFile()) return file;
  try {
    if (exports === undefined) return createRequire(manifest).resolve(folder);
  } catch {}
  throw file === undefined
    ? notFound(
        `expected ${join(spec, 'package.json')} to name ${what}'s module by exports or main, got neither`,
        NAME_THE_FILE,
      )
    : notFound(
        `expected ${what}'s module at ${join(spec, String(named))}, which its package.json names, got nothing`,
        'Where the package is built, build it first.',
      );
}

const NAME_THE_FILE = 'Name the file in it.';

/** The target of `exports` for an import of the package itself. */
function entryOfExports(exports: unknown): unknown {
  if (Array.isArray(exports)) return exports.map(entryOfExports).find((each) => each !== undefined);
  if (typeof exports !== 'object' || exports === null) return exports ?? undefined;
  for (const [key, value] of Object.entries(exports)) {
    const found = ['.', 'node', 'import', 'module-sync', 'default'].includes(key) ? entryOfExports(value) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Resolves from the working folder, otherwise from robust's installation, next to which global packages are installed. */
async function packageFile(name: string, what: string): Promise<string> {
  const { createJiti } = await import('jiti');
  for (const from of [join(process.cwd(), 'package.json'), join(packageRoot, 'package.json')]) {
    const parentURL = pathToFileURL(from);
    const url = createJiti(parentURL.href).esmResolve(name, { parentURL, try: true });
    if (url?.startsWith('file:')) return fileURLToPath(url);
  }
  throw notFound(
    `expected ${what}'s package ${name}, found none that is installed`,
    isPackageFolder(name) ? `The folder of that name is ./${name}` : `npm install --save-dev ${name}`,
  );
}

/** The default export of a module. This runs its code. Throws RobustError, also if it takes longer than `patience` allows. */
export async function defaultExport(spec: string, use: ModuleUse): Promise<unknown> {
  const { hint, patience = NO_TIME_LIMIT } = use;
  const file = await moduleFile(spec, use);
  const late = (): RobustError =>
    new RobustError(`${spec} could not be loaded within ${patience.seconds} s`, { code: 'PLUGIN_UNREACHABLE', hint });
  return withinTime(patience, spec, () => importModule(file, spec), late);
}

/** The default export of a file, which the user calls `spec`. Throws the file's errors. */
export async function importDefault(file: string, spec: string): Promise<unknown> {
  noteUserFile(file, spec);
  if (/\.[cm]?ts$/.test(file)) return importTypeScript(file);
  if (!kitOffered) offerKit();
  kitOffered = true;
  return ((await import(pathToFileURL(file).href)) as { default?: unknown }).default;
}

async function importModule(file: string, spec: string): Promise<unknown> {
  try {
    return await importDefault(file, spec);
  } catch (cause) {
    const reason = messageOf(cause);
    throw new RobustError(`${spec} could not be loaded: ${reason}`, {
      code: 'PLUGIN_DAMAGED',
      hint: 'Run with --verbose to see where.',
      cause,
    });
  }
}

/** Entry points that a plugin may import, wherever it lies and however robust was installed. */
const KIT = ['plugin', 'testing'];
const kitFile = (name: string): string => compiledFile(`${name}.js`);

/** The same loader on every Node version: the built-in one of newer versions supports less of TypeScript. */
async function importTypeScript(file: string): Promise<unknown> {
  const { createJiti } = await import('jiti');
  // The running modules themselves: copies would have different classes.
  const virtualModules = Object.fromEntries(
    await Promise.all(
      KIT.map(async (name) => [`robust-text/${name}`, (await import(pathToFileURL(kitFile(name)).href)) as unknown]),
    ),
  );
  return createJiti(pathToFileURL(file).href, { virtualModules, fsCache: false }).import(file, { default: true });
}

let kitOffered = false;

/** Lets modules import 'robust-text/plugin', and gives them the running modules. */
function offerKit(): void {
  const kit = Object.fromEntries(KIT.map((name) => [`robust-text/${name}`, pathToFileURL(kitFile(name)).href]));
  const hook = `const kit = ${JSON.stringify(kit)};
    export const resolve = (name, context, next) =>
      Object.hasOwn(kit, name) ? { url: kit[name], shortCircuit: true } : next(name, context);`;
  register(`data:text/javascript,${encodeURIComponent(hook)}`);
}
