/** @file From `--suite` and `--attack` to the attacks of a run. */
import { attacks, suiteNamed, suiteOf, suites } from '../../../attacks/index.js';
import { isPreset } from '../../constraints/presets.js';
import { RobustError } from '../../core/errors.js';
import { NO_TIME_LIMIT, type TimeLimit } from '../../core/patience.js';
import { labelOf, optionFacts, parseOptions, splitSpec } from '../../core/plugin-options.js';
import type { Constraint } from '../../core/search.js';
import { didYouMean } from '../../core/suggest.js';
import type { EvasionPlugin } from '../../results/attack-plugin.js';
import type { PlannedAttack } from '../../run/plan.js';
import { codeHash } from '../plugins/load-plugin.js';
import { pluginNamed } from '../plugins/registry.js';
import { CUSTOM, partNamed, plannedRecipe, recipeIn, type WrittenRecipe } from './parts.js';
import { transfer } from './transfer-attack.js';

/** Options of all attacks of a run, or the parts of an attack. */
export interface SharedOptions {
  /** The name of a set, for the attacks that have sets to choose from, and constraints by name, which hold for all. */
  readonly constraints?: readonly string[] | undefined;
  /** Names no attack: it changes who guesses words, and the constraints say so. */
  readonly mlm?: string | undefined;
  /** With a search, or the default one, it is an attack. */
  readonly transformation?: string | undefined;
  readonly search?: string | undefined;
}

/** For each shared option, the attacks that have it, and a command with one of them. */
const TAKERS = {
  constraints: ['swaps words, got none that has sets to choose from', '--suite synonyms --constraint textattack'],
  mlm: ['fills gaps by a language model, got none', '--suite masked --language en:mlm=./bert'],
} as const;

/** The set that is named among constraints. Throws RobustError for several. */
function presetIn(constraints: readonly string[] = []): string | undefined {
  const [preset, second] = constraints.filter(isPreset);
  if (second === undefined) return preset;
  throw new RobustError(`--constraint: expected one set of constraints, got ${preset} and ${second}`, {
    code: 'CONSTRAINT_INVALID',
    hint: 'A set may be combined with named constraints: --constraint strict --constraint max-words=3',
  });
}

/** The constraints by name, which hold for all attacks of the run. Throws as `partNamed` does. */
export async function namedConstraints(
  constraints: readonly string[] = [],
  patience: TimeLimit = NO_TIME_LIMIT,
): Promise<Constraint[]> {
  const named = constraints.filter((name) => !isPreset(name));
  const found = await Promise.all(named.map((spec) => partNamed('constraint', spec, { patience })));
  return found.map(({ plugin, options }) => plugin.create(options));
}

/**
 * The attacks of the suites, then those named, each once: an attack that is named again with the same options runs once; then the one of
 * the parts that are named. Throws RobustError for an unknown name or a file without an attack, and for options an attack does
 * not take, and for shared options that none of them takes. `patience`: the time limit of the user's attacks.
 */
export async function chooseAttacks(
  suiteNames: readonly string[],
  specs: readonly string[],
  { constraints, mlm, transformation, search }: SharedOptions = {},
  patience: TimeLimit = NO_TIME_LIMIT,
): Promise<PlannedAttack[]> {
  const shared = new SharedValues({ constraints: presetIn(constraints), mlm });
  const chosen = new Map<string, PlannedAttack>();
  for (const { spec, suite, named } of namedAttacks(suiteNames, specs)) {
    const { name, given: written } = splitSpec(spec);
    const plugin = await attackNamed(name, patience);
    const code = await codeHash([name]);
    const known = optionFacts(plugin).map((option) => option.name);
    const given = new Map([...shared.settingsFor('constraints', known), ...written]);
    const options = parseOptions(plugin, new Map([...shared.settingsFor('mlm', known), ...given]));
    const label = labelOf(plugin.name, given);
    const earlier = chosen.get(label);
    // Code of the user's is another object each time it is loaded.
    const same = earlier?.plugin === plugin || (code !== undefined && earlier?.code === code);
    if (earlier !== undefined && !same) throw nameTaken(`${name}: its attack`, plugin.name);
    const planned = earlier ?? { plugin, options, suite, named, label, ...(code !== undefined && { patience, code }) };
    chosen.set(label, { ...planned, named: planned.named === true || named });
  }
  const bounded = constraints?.some((name) => !isPreset(name)) ?? false;
  for (const [recipe, spec] of recipesOf(specs, transformation, search)) {
    const { name } = recipe;
    if (chosen.has(name) || [...attacks, ...suites].some((each) => each.name === name))
      throw nameTaken('the recipe', name);
    const planned = await plannedRecipe(recipe, bounded, { mlm, patience });
    if (planned.options.mlm !== undefined) shared.settingsFor('mlm', ['mlm']);
    chosen.set(name, { ...planned, suite: null, named: true, label: name, spec });
  }
  shared.checkTaken();
  if (bounded && [...chosen.values()].every(({ plugin }) => plugin.level === 'embedding'))
    throw new RobustError('--constraint: expected an attack on texts, got attacks on embeddings alone', {
      code: 'CONSTRAINT_INVALID',
      hint: 'For example: --suite typos --constraint max-words=2',
    });
  return [...chosen.values()];
}

interface NamedAttack {
  readonly spec: string;
  readonly suite: string | null;
  readonly named: boolean;
}

/** The attacks of the suites, then those named except recipes. Throws RobustError for an unknown suite. */
function namedAttacks(suiteNames: readonly string[], specs: readonly string[]): NamedAttack[] {
  const ofSuites = suiteNames.flatMap((name) => {
    const suite = suiteNamed(name) ?? suiteNotFound(name);
    return suite.attacks.map((spec) => ({ spec, suite: suiteOf(suite, spec), named: false }));
  });
  // By its own name in thresholds, whatever the file is called.
  const suiteOfOne = (spec: string): string | null => (splitSpec(spec).name === transfer.name ? transfer.name : null);
  const plain = specs.filter((spec) => recipeIn(spec) === undefined);
  return [...ofSuites, ...plain.map((spec) => ({ spec, suite: suiteOfOne(spec), named: true }))];
}

type SharedName = keyof typeof TAKERS;

/** Values of options that are given for all attacks; at least one attack must take each. */
class SharedValues {
  readonly #values: Readonly<Record<SharedName, string | undefined>>;
  readonly #untaken: Set<SharedName>;

  constructor(values: Readonly<Record<SharedName, string | undefined>>) {
    this.#values = values;
    this.#untaken = new Set((Object.keys(TAKERS) as SharedName[]).filter((name) => values[name] !== undefined));
  }

  /** The option for an attack that has these. */
  settingsFor(name: SharedName, known: readonly string[]): [string, string][] {
    const value = this.#values[name];
    if (value === undefined || !known.includes(name)) return [];
    this.#untaken.delete(name);
    return [[name, value]];
  }

  /** Throws RobustError for an option that no attack has. */
  checkTaken(): void {
    const [name] = this.#untaken;
    if (name === undefined) return;
    const [what, example] = TAKERS[name];
    throw new RobustError(
      `--${name === 'mlm' ? 'language ...:mlm=FOLDER' : 'constraint'}: expected an attack that ${what}`,
      { code: 'ATTACK_UNSUPPORTED', hint: `For example: ${example}` },
    );
  }
}

/** The recipes among the attacks, and the one that flags make, each with its entry in a list of attacks. Throws RobustError. */
function recipesOf(
  specs: readonly string[],
  transformation: string | undefined,
  search: string | undefined,
): (readonly [WrittenRecipe, string | null])[] {
  if (search !== undefined && transformation === undefined)
    throw new RobustError(`--search: expected a transformation beside it, got ${search} alone`, {
      code: 'SEARCH_INVALID',
      hint: `An attack by name has a search of its own. For example: --transformation swap-synonyms --search ${search}`,
    });
  const written = specs.flatMap((spec) => {
    const recipe = recipeIn(spec);
    return recipe === undefined ? [] : [[recipe, spec] as const];
  });
  return transformation === undefined ? written : [...written, [{ name: CUSTOM, transformation, search }, null]];
}

const nameTaken = (whose: string, name: string): RobustError =>
  new RobustError(`${whose} is called "${name}", as another one is`, {
    code: 'NAME_TAKEN',
    hint: 'Give it a name of its own.',
  });

/** Suites and attacks are easily taken for each other. */
async function attackNamed(name: string, patience: TimeLimit): Promise<EvasionPlugin> {
  if (name === transfer.name) return transfer;
  // `negation` is both.
  const isAttack = attacks.some((attack) => attack.name === name);
  if (isAttack || suites.every((suite) => suite.name !== name)) return pluginNamed('attack', name, patience);
  throw new RobustError(`--attack: expected the name of an attack, got "${name}"`, {
    code: 'ATTACK_NOT_FOUND',
    hint: `"${name}" is a suite: --suite ${name}.`,
  });
}

function suiteNotFound(name: string): never {
  const known = suites.map((each) => each.name);
  const hint = attacks.some((each) => each.name === name)
    ? `"${name}" is an attack: --attack ${name}.`
    : `${didYouMean(name, known)} See robust list suites.`;
  throw new RobustError(`--suite: expected the name of a suite, got "${name}"`, { code: 'SUITE_NOT_FOUND', hint });
}
