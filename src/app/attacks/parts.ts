/** @file `--search beam:width=4`: the parts of attacks by name, from the registry or from a file of the user's. */
import { z } from 'zod';
import { RobustError } from '../../core/errors.js';
import { NO_TIME_LIMIT, type TimeLimit } from '../../core/patience.js';
import type { ComponentPlugin, Parts } from '../../core/plugin.js';
import { kebab, parseOptions, splitPart } from '../../core/plugin-options.js';
import { faultTexts, readBy } from '../../core/read-by.js';
import { type NamedPart, type NamedRecipe, recipeAttack } from '../../recipes/named-recipe.js';
import type { PlannedAttack } from '../../run/plan.js';
import { codeHash, ownModuleIn } from '../plugins/load-plugin.js';
import { partPlugin } from '../plugins/registry.js';

/**
 * The part of a kind that `NAME[:option=value]` or `NAME=value` names; `mlm` is for those that take a language model and name none.
 * Throws RobustError for an unknown name or a file that holds none, and for options it does not take.
 */
export async function partNamed<K extends keyof Parts>(
  kind: K,
  spec: string,
  { mlm, patience = NO_TIME_LIMIT }: { mlm?: string | undefined; patience?: TimeLimit } = {},
): Promise<NamedPart<K>> {
  const { head, given, ...written } = splitPart(spec);
  const file = ownModuleIn(spec);
  const [name, value] = file === head ? [file] : [written.name, written.main];
  const plugin = await partPlugin(kind, file ?? name, patience);
  const wanted = new Map(given);
  if (value !== undefined) {
    if (plugin.main === undefined)
      throw new RobustError(`${name}: expected ${name} or ${name}:option=value, got "${head}"`, {
        code: 'OPTION_INVALID',
        hint: `See robust list ${name}.`,
      });
    wanted.set(kebab(plugin.main), value);
  }
  if (mlm !== undefined && takesMlm(plugin) && !wanted.has('mlm')) wanted.set('mlm', mlm);
  return { plugin, options: parseOptions(plugin, wanted) };
}

const takesMlm = ({ options }: ComponentPlugin): boolean => options instanceof z.ZodObject && 'mlm' in options.shape;

/** A recipe as settings write it. */
export interface WrittenRecipe {
  readonly name: string;
  readonly transformation: string;
  readonly search?: string | undefined;
  readonly constraints?: readonly string[] | undefined;
  readonly goal?: string | undefined;
}

/** The name of a recipe of the command line, which has no place for one. */
export const CUSTOM = 'custom';

/** A recipe among the names of attacks, written as JSON; undefined for the name of an attack. Throws RobustError. */
export function recipeIn(spec: string): WrittenRecipe | undefined {
  if (!spec.startsWith('{')) return undefined;
  const refused = (reason: string, cause: unknown): RobustError =>
    new RobustError(`expected an attack's name, or a recipe as JSON, got ${spec}: ${reason}`, {
      code: 'RECIPE_INVALID',
      hint: 'For example: -a \'{"name":"mine","transformation":"swap-synonyms","search":"beam:width=4"}\'',
      cause,
    });
  let value: unknown;
  try {
    value = JSON.parse(spec);
  } catch (cause) {
    throw refused('it is not JSON', cause);
  }
  const read = readBy(written, value);
  if (read.success) return read.data;
  throw refused(faultTexts(read.faults), read.cause);
}

const written = z.strictObject({
  name: z.string(),
  transformation: z.string(),
  search: z.string().optional(),
  constraints: z.array(z.string()).optional(),
  goal: z.string().optional(),
});

/**
 * The attack of a recipe: greedy unless it says otherwise, or rewrites whole texts; with no constraint at all, `bounded` by none of the run's either, each word is edited
 * once. Throws as `partNamed` does.
 */
export async function plannedRecipe(
  recipe: WrittenRecipe,
  bounded: boolean,
  given: { mlm?: string | undefined; patience: TimeLimit },
): Promise<Pick<PlannedAttack, 'plugin' | 'options' | 'patience' | 'code'>> {
  const bounds = recipe.constraints ?? (bounded ? [] : ['no-repeat']);
  const transformation = await partNamed('transformation', recipe.transformation, given);
  const { whole = false } = transformation.plugin.create(transformation.options);
  const named: NamedRecipe = {
    name: recipe.name,
    transformation,
    searchChosen: recipe.search !== undefined,
    search: await partNamed('search', recipe.search ?? (whole ? 'in-order' : 'greedy'), given),
    constraints: await Promise.all(bounds.map((each) => partNamed('constraint', each, given))),
    ...(recipe.goal !== undefined && { goal: await partNamed('goal', recipe.goal, given) }),
  };
  if (whole && named.search.plugin.name !== 'in-order')
    throw new RobustError(
      `${transformation.plugin.name} rewrites whole texts, which ${named.search.plugin.name} cannot search`,
      { code: 'SEARCH_INVALID', hint: 'Leave --search out, or take --search in-order.' },
    );
  const code = await codeHash([recipe.transformation, recipe.search, recipe.goal, ...bounds]);
  return { ...recipeAttack(named), ...(code !== undefined && { patience: given.patience, code }) };
}
