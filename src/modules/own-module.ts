/** @file Code of the user's own: a file, or a package by its name, found and imported. */
import { existsSync, statSync } from 'node:fs';
import { register } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { PluginError } from '../core/errors.js';
import { compiledFile, packageRoot } from '../core/package-root.js';
import { NO_TIME_LIMIT, type TimeLimit, withinTime } from '../core/patience.js';

/** `robust-attack-vowels`, `@scope/robust-reader`: no other package is ever loaded, whatever a slip of the keyboard names. */
const PACKAGE = /^(?:@[a-z0-9~][\w.~-]*\/)?robust-[a-z0-9][\w.~-]*$/;

/** Of files that are code. */
const CODE = /\.[cm]?[jt]s$/;

export const isPackageName = (spec: string): boolean => PACKAGE.test(spec) && !CODE.test(spec);

/** Whether a name that may also be that of a data file or a model is code: by its ending, or as a package where no file has that name. */
export const isCode = (spec: string): boolean => CODE.test(spec) || (isPackageName(spec) && !existsSync(spec));

/** Whether a name that may also stand in a registry is a path or a package. */
export const isOwnModule = (spec: string): boolean => isPackageName(spec) || /[\\/]/.test(spec) || CODE.test(spec);

/** What people are told of a module that is not there, or is no such thing. */
export interface ModuleUse {
  /** "an attack" */
  readonly what: string;
  readonly hint: string;
  readonly patience?: TimeLimit | undefined;
}

/** The file that a path or the name of a package stands for. Throws PluginError (PLUGIN_NOT_FOUND). */
export async function moduleFile(spec: string, { what, hint }: Pick<ModuleUse, 'what' | 'hint'>): Promise<string> {
  if (isPackageName(spec)) return packageFile(spec, what);
  const file = resolve(spec);
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isFile()) return file;
  throw new PluginError(`expected ${what}'s file at ${spec}, got ${found === undefined ? 'nothing' : 'a folder'}`, {
    code: 'PLUGIN_NOT_FOUND',
    hint: found === undefined ? hint : 'Name the file in it.',
  });
}

/** From where one works, else from beside robust itself, where packages are that are installed for all. */
async function packageFile(name: string, what: string): Promise<string> {
  const { createJiti } = await import('jiti');
  for (const from of [join(process.cwd(), 'package.json'), join(packageRoot, 'package.json')]) {
    const parentURL = pathToFileURL(from);
    const url = createJiti(parentURL.href).esmResolve(name, { parentURL, try: true });
    if (url?.startsWith('file:')) return fileURLToPath(url);
  }
  throw new PluginError(`expected ${what}'s package ${name}, found none that is installed`, {
    code: 'PLUGIN_NOT_FOUND',
    hint: `npm install --save-dev ${name}`,
  });
}

/** What a module exports by default. It is code: it runs. Throws PluginError, also where it takes longer than `patience` allows. */
export async function defaultExport(spec: string, use: ModuleUse): Promise<unknown> {
  const { hint, patience = NO_TIME_LIMIT } = use;
  const file = await moduleFile(spec, use);
  const late = (): PluginError =>
    new PluginError(`${spec} could not be loaded within ${patience.seconds} s`, { code: 'PLUGIN_TIMEOUT', hint });
  return withinTime(patience, spec, () => imported(file, spec), late);
}

/** What a file exports by default. Throws what the file throws. */
export async function importDefault(file: string): Promise<unknown> {
  if (/\.[cm]?ts$/.test(file)) return importedTypeScript(file);
  if (!kitOffered) offerKit();
  kitOffered = true;
  return ((await import(pathToFileURL(file).href)) as { default?: unknown }).default;
}

async function imported(file: string, spec: string): Promise<unknown> {
  try {
    return await importDefault(file);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new PluginError(`${spec} could not be loaded: ${reason}`, {
      code: 'PLUGIN_BROKEN',
      hint: 'Run with --verbose to see where.',
      cause,
    });
  }
}

/** What a plugin may import of us, wherever it lies and however robust was installed. */
const KIT = ['plugin', 'testing'];
const kitFile = (name: string): string => compiledFile(`${name}.js`);

/** By one way on every Node: what newer ones do themselves knows fewer forms of TypeScript. */
async function importedTypeScript(file: string): Promise<unknown> {
  const { createJiti } = await import('jiti');
  // The very modules that run it: a copy would have other classes.
  const virtualModules = Object.fromEntries(
    await Promise.all(
      KIT.map(async (name) => [`robust-text/${name}`, (await import(pathToFileURL(kitFile(name)).href)) as unknown]),
    ),
  );
  return createJiti(pathToFileURL(file).href, { virtualModules, fsCache: false }).import(file, { default: true });
}

let kitOffered = false;

/** Lets a module say `import { compose } from 'robust-text/plugin'`, and gives it the very modules that run it. */
function offerKit(): void {
  const kit = Object.fromEntries(KIT.map((name) => [`robust-text/${name}`, pathToFileURL(kitFile(name)).href]));
  const hook = `const kit = ${JSON.stringify(kit)};
    export const resolve = (name, context, next) =>
      Object.hasOwn(kit, name) ? { url: kit[name], shortCircuit: true } : next(name, context);`;
  register(`data:text/javascript,${encodeURIComponent(hook)}`);
}
