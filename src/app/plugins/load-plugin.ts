/** @file Plugins of the user's own, of every kind: loaded by path or by the name of a package, and checked. */
import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { RobustError } from '../../core/errors.js';
import type { TimeLimit } from '../../core/patience.js';
import { splitSpec } from '../../core/plugin-options.js';
import { type Fault, faultTexts, readBy } from '../../core/read-by.js';
import { guarded } from '../../core/user-code.js';
import { readFile } from '../../files/read.js';
import { defaultExport, isModuleSpec, isPackageName, moduleFile } from '../../modules/own-module.js';
import { PLUGIN_KINDS, type PluginKind, type Plugins, pluginKinds } from './kinds.js';

/** The path or package that a name with its options begins with; undefined for a name of the registry. */
export function ownModuleIn(spec: string): string | undefined {
  const { name } = splitSpec(spec);
  // In "targeted=a/b" the path is a value, as 3 is in "robust-constraint-mine=3".
  const [first] = name.split('=') as [string];
  if (isPackageName(first)) return first;
  return isModuleSpec(first) ? name : undefined;
}

/**
 * SHA-256, hex, over the user's own modules among these names, in their order; undefined where none is one. What such a file imports
 * is not looked at. Throws what the file system throws, and RobustError.
 */
export async function codeHash(specs: readonly (string | undefined)[]): Promise<string | undefined> {
  const own = specs.flatMap((spec) => (spec === undefined ? [] : (ownModuleIn(spec) ?? [])));
  if (own.length === 0) return undefined;
  const hashOf = async (name: string): Promise<string> => {
    const file = await moduleFile(name, { what: 'a plugin', hint: HINT });
    return createHash('sha256')
      .update(await readFile(file))
      .digest('hex');
  };
  const hashes = await Promise.all(own.map(hashOf));
  return hashes.length === 1 ? hashes[0] : createHash('sha256').update(hashes.join('\n')).digest('hex');
}

const HINT = 'robust new writes one to start from; docs/reference/plugins.md has the rules.';

/** Loads a plugin that must be of a kind; the edits of an attack that has some by name are a transformation. It is code: it runs. Throws RobustError. */
export const loadPlugin = async <K extends PluginKind>(
  kind: K,
  spec: string,
  patience?: TimeLimit,
): Promise<Plugins[K]> => (await checkedExport(kind, spec, patience)) as Plugins[K];

async function checkedExport(kind: PluginKind, spec: string, patience?: TimeLimit): Promise<unknown> {
  const { what, shape } = PLUGIN_KINDS[kind];
  const exported = await defaultExport(spec, { what, hint: HINT, patience });
  const edits =
    kind === 'transformation' && kindOf(exported) === 'attack' ? Object(exported).transformation : undefined;
  const found = edits ?? exported;
  const read = readBy(shape, found);
  if (!read.success) throw misshapen(spec, kind, found, read.faults);
  const { options } = found as { options?: z.ZodType };
  if (options !== undefined && !options.safeParse({}).success)
    throw new RobustError(`${spec} is not ${what}: options: expected {} to be valid`, {
      code: 'PLUGIN_DAMAGED',
      hint: 'Give each option a default.',
    });
  // Checked just now; the copy zod makes would lose what the object inherits.
  return guarded(found, spec);
}

/** Which kind of plugin a module exports, and the plugin. Throws RobustError for another module. */
export async function loadAnyPlugin(spec: string): Promise<{ kind: PluginKind; plugin: Plugins[PluginKind] }> {
  const exported = await defaultExport(spec, { what: 'a plugin', hint: HINT });
  const kind = kindOf(exported);
  if (kind !== undefined) return { kind, plugin: await loadPlugin(kind, spec) };
  throw new RobustError(
    `${spec} is no plugin: expected a default export whose kind is ${[...KINDS_IN_CODE.keys()].join(', ')}, a classifier or a language`,
    { code: 'PLUGIN_DAMAGED', hint: HINT },
  );
}

/** How code calls a kind, where that is another name. */
const KINDS_IN_CODE = new Map<string, PluginKind>([
  ['evasion', 'attack'],
  ['poison', 'poisoner'],
  ...pluginKinds
    .filter((kind) => !['attack', 'poisoner', 'language'].includes(kind))
    .map((kind) => [kind, kind] as const),
]);

function kindOf(exported: unknown): PluginKind | undefined {
  if (typeof exported !== 'object' || exported === null) return undefined;
  if ('kind' in exported) return KINDS_IN_CODE.get(String(exported.kind));
  if ('classify' in exported) return 'victim';
  return 'tokenize' in exported ? 'language' : undefined;
}

function misshapen(spec: string, kind: PluginKind, found: unknown, faults: readonly Fault[]): RobustError {
  const { what } = PLUGIN_KINDS[kind];
  const other = kindOf(found);
  if (other !== undefined && other !== kind) {
    return new RobustError(`${spec} is not ${what}: it is ${PLUGIN_KINDS[other].what}`, {
      code: 'PLUGIN_DAMAGED',
      hint: `For example: ${PLUGIN_KINDS[other].use} ${spec}`,
    });
  }
  const wrong = faultTexts(faults, 'default export');
  return new RobustError(`${spec} is not ${what}: ${wrong}`, { code: 'PLUGIN_DAMAGED', hint: HINT });
}
