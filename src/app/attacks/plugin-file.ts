/** @file A user's own attack, or a part of one, loaded by path. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { register } from 'node:module';
import { extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { PluginError } from '../../core/errors.js';
import { packageRoot } from '../../core/package-root.js';
import { NO_TIME_LIMIT, type TimeLimit, withinTime } from '../../core/patience.js';
import type { ComponentPlugin, EvasionPlugin, Parts } from '../../core/plugin.js';
import { splitSpec } from './attack-options.js';

/** Whether `-a` was given a path rather than a name. */
export const isPluginFile = (spec: string): boolean => /[\\/]/.test(spec) || /\.[cm]?[jt]s$/.test(spec);

/** The user's own file that an attack's or a part's name with its options begins with; undefined for a name of the registry. */
export function pluginFileIn(spec: string): string | undefined {
  const { name } = splitSpec(spec);
  // Of "targeted=a/b" the path is a value.
  return isPluginFile(name.split('=')[0] as string) ? name : undefined;
}

/**
 * SHA-256, hex, over the user's own files among these names, in their order; undefined where none is one. What such a file imports
 * is not looked at. Throws what the file system throws.
 */
export function codeHash(specs: readonly (string | undefined)[]): string | undefined {
  const files = specs.flatMap((spec) => (spec === undefined ? [] : (pluginFileIn(spec) ?? [])));
  if (files.length === 0) return undefined;
  const hashes = files.map((file) => createHash('sha256').update(readFileSync(file)).digest('hex'));
  return hashes.length === 1 ? hashes[0] : createHash('sha256').update(hashes.join('\n')).digest('hex');
}

const article = (what: string): string => `${what === 'attack' ? 'an' : 'a'} ${what}`;

const HINT =
  'Its default export must be an attack, or the part of one that is named: see CONTRIBUTING.md, "Add an attack".';

/** What must be there for the engine to run it; what its functions return is checked where they are called. */
const partShape = z.object({
  name: z.string().regex(/^[a-z][a-z0-9-]*$/, 'expected kebab-case'),
  summary: z.string(),
  options: z.instanceof(z.ZodType, { error: 'expected a zod schema: import { z } from "robust-text/plugin"' }),
  create: z.custom((value) => typeof value === 'function', 'expected a function'),
});

const attackShape = partShape.extend({
  kind: z.literal('evasion'),
  level: z.enum(['character', 'word', 'sentence', 'embedding']),
  needs: z.enum(['labels', 'scores', 'gradients']),
});

/** What a file exports by default. The file is code: it runs. Throws PluginError, also where it takes longer than `patience` allows. */
export async function defaultExport(
  path: string,
  {
    what,
    hint,
    patience = NO_TIME_LIMIT,
  }: { readonly what: string; readonly hint: string; readonly patience?: TimeLimit },
): Promise<unknown> {
  const file = resolve(path);
  if (!existsSync(file)) {
    throw new PluginError(`expected ${what}'s file at ${path}, got nothing`, { code: 'PLUGIN_NOT_FOUND', hint });
  }
  const late = (): PluginError =>
    new PluginError(`${path} could not be loaded within ${patience.seconds} s`, { code: 'PLUGIN_TIMEOUT', hint });
  return (await withinTime(patience, path, () => imported(file, path), late)).default;
}

/** Loads an attack. Throws PluginError. */
export const loadPlugin = (path: string, patience: TimeLimit = NO_TIME_LIMIT): Promise<EvasionPlugin> =>
  loaded(path, patience, attackShape, 'attack');

/** Loads a part of an attack; the edits of an attack that has some by name are a transformation. Throws as `loadPlugin` does. */
export const loadPart = <K extends keyof Parts>(
  kind: K,
  path: string,
  patience: TimeLimit,
): Promise<ComponentPlugin<K>> => loaded(path, patience, partShape.extend({ kind: z.literal(kind) }), kind);

async function loaded<P extends Pick<EvasionPlugin, 'options'>>(
  path: string,
  patience: TimeLimit,
  shape: z.ZodType,
  what: 'attack' | keyof Parts,
): Promise<P> {
  const exported = (await defaultExport(path, { what: article(what), hint: HINT, patience })) as
    | { kind?: unknown; transformation?: unknown }
    | undefined;
  const found = what === 'transformation' && exported?.kind === 'evasion' ? exported.transformation : exported;
  const checked = shape.safeParse(found);
  if (!checked.success) {
    const wrong = checked.error.issues.map((issue) => `${issue.path.join('.') || 'default export'}: ${issue.message}`);
    throw new PluginError(`${path} is not ${article(what)}: ${wrong.join('; ')}`, { code: 'PLUGIN_SHAPE', hint: HINT });
  }
  // Checked just now; the copy zod makes would lose what the object inherits.
  const plugin = found as P;
  if (!plugin.options.safeParse({}).success) {
    throw new PluginError(`${path} is not ${article(what)}: options: expected {} to be valid`, {
      code: 'PLUGIN_SHAPE',
      hint: 'Give each option a default.',
    });
  }
  return plugin;
}

/**
 * Lets a plugin say `import { compose } from 'robust-text/plugin'` wherever it lies and however robust was installed, and gives it the
 * very modules that run it.
 */
function offerPluginApi(): void {
  const plugin = pathToFileURL(join(packageRoot, 'dist', 'src', 'plugin.js')).href;
  const hook = `export const resolve = (name, context, next) =>
    name === 'robust-text/plugin' ? { url: ${JSON.stringify(plugin)}, shortCircuit: true } : next(name, context);`;
  register(`data:text/javascript,${encodeURIComponent(hook)}`);
}

let pluginApiOffered = false;

async function imported(file: string, path: string): Promise<{ default?: unknown }> {
  if (!pluginApiOffered) offerPluginApi();
  pluginApiOffered = true;
  try {
    return (await import(pathToFileURL(file).href)) as { default?: unknown };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new PluginError(`${path} could not be loaded: ${reason}`, {
      code: 'PLUGIN_BROKEN',
      hint: extname(file) === '.ts' ? 'Compile it to JavaScript first.' : 'Run with --verbose to see where.',
      cause,
    });
  }
}
