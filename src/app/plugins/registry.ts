/** @file The plugins of each kind that come with robust, and how a plugin is found: by its name there, or the user's own by path or package. */
import { attacks, poisoners } from '../../../attacks/index.js';
import { constraints } from '../../constraints/index.js';
import { isPreset, presets } from '../../constraints/presets.js';
import { must, RobustError } from '../../core/errors.js';
import { NO_TIME_LIMIT, type TimeLimit } from '../../core/patience.js';
import type { ComponentPlugin, Parts } from '../../core/plugin.js';
import { didYouMean } from '../../core/suggest.js';
import { defences } from '../../defence/index.js';
import { isModuleSpec } from '../../modules/own-module.js';
import { sharedTransformations } from '../../recipes/transformations.js';
import { goals } from '../../search/goals.js';
import { searches } from '../../search/searches.js';
import { PLUGIN_KINDS, type Plugins } from './kinds.js';
import { loadPlugin } from './load-plugin.js';

/** All that a recipe may name, by kind. The edits of an attack bear its name. */
export const parts: { readonly [K in keyof Parts]: readonly ComponentPlugin<K>[] } = {
  transformation: [...sharedTransformations, ...attacks.flatMap(({ transformation }) => transformation ?? [])],
  search: searches,
  constraint: constraints,
  goal: goals,
};
export const PARTS = Object.keys(parts) as (keyof Parts)[];

const registry = { attack: attacks, ...parts, poisoner: poisoners, defence: defences } satisfies {
  readonly [K in keyof Plugins]?: readonly Plugins[K][];
};

type RegisteredKind = keyof typeof registry;

/** The kind as `robust list` calls it. */
export const pluralOf = (kind: RegisteredKind): string => (kind === 'search' ? 'searches' : `${kind}s`);

/** The flag that names a plugin of the kind. */
const flagOf = (kind: RegisteredKind): string => must(PLUGIN_KINDS[kind].use.split(' ').at(-1));

/** A plugin of that kind. Throws RobustError for an unknown name and for a module that holds none. */
export async function pluginNamed<K extends RegisteredKind>(
  kind: K,
  name: string,
  patience: TimeLimit = NO_TIME_LIMIT,
): Promise<Plugins[K]> {
  if (isModuleSpec(name)) return loadPlugin(kind, name, patience);
  return (inRegistry(kind, name) as Plugins[K] | undefined) ?? notFound(kind, name);
}

/** As `pluginNamed`, for a part of an attack. */
export const partPlugin = pluginNamed as <K extends keyof Parts>(
  kind: K,
  name: string,
  patience?: TimeLimit,
) => Promise<ComponentPlugin<K>>;

const inRegistry = (kind: RegisteredKind, name: string) => registry[kind].find((each) => each.name === name);

function notFound(kind: RegisteredKind, name: string): never {
  const known = [...registry[kind].map((each) => each.name), ...(kind === 'constraint' ? presets : [])];
  throw new RobustError(`${flagOf(kind)}: expected the name of ${PLUGIN_KINDS[kind].what}, got "${name}"`, {
    // `backdoor plant` calls its poisoner an attack.
    code: `${(kind === 'poisoner' ? 'attack' : kind).toUpperCase()}_NOT_FOUND`,
    hint: `${elsewhere(kind, name) ?? didYouMean(name, known)} See robust list ${pluralOf(kind)}.`,
  });
}

/** Another kind of plugin with the name, for a hint. */
function elsewhere(kind: RegisteredKind, name: string): string | undefined {
  if (kind === 'constraint' && isPreset(name))
    return `"${name}" is a set of constraints, for attacks that have some to choose from: see robust list presets.`;
  const others = Object.keys(registry) as RegisteredKind[];
  const other = others.find((each) => each !== kind && inRegistry(each, name) !== undefined);
  return other && `"${name}" is ${PLUGIN_KINDS[other].what}: ${flagOf(other)} ${name}.`;
}
