/** @file From `--suite` and `--attack` to the attacks of a run. */
import { attacks, suiteOf, suites } from '../../../attacks/index.js';
import { type Patience, UNHURRIED } from '../../core/patience.js';
import { didYouMean, type EvasionPlugin, PluginError, UsageError } from '../../index.js';
import type { PlannedAttack } from '../../run/plan.js';
import { labelOf, optionFacts, parsedOptions, splitSpec } from './attack-options.js';
import { isPluginFile, loadPlugin } from './plugin-file.js';
import { transfer } from './transfer-attack.js';

/** Options for all attacks that have them and are not given another. */
export interface SharedOptions {
  readonly constraints?: string | undefined;
  /** Names no attack: it changes who guesses words, and the constraints say so. */
  readonly mlm?: string | undefined;
}

/** What an attack that has the option does, and a command that has one such. */
const TAKERS: Readonly<Record<keyof SharedOptions, readonly [string, string]>> = {
  constraints: ['swaps words, got none that has sets to choose from', '--suite synonyms --constraints paper'],
  mlm: ['fills gaps by a language model, got none', '--suite masked --mlm ./bert'],
};

/**
 * The attacks of the suites, then those named, each once: an attack that is named again with the same options runs once.
 * Throws PluginError for an unknown name or an attack file that is none, UsageError for options an attack does not take, and
 * for shared options that none of them takes. `patience` is had with attacks of the user's own.
 */
export async function chooseAttacks(
  suiteNames: readonly string[],
  specs: readonly string[],
  shared: SharedOptions = {},
  patience: Patience = UNHURRIED,
): Promise<PlannedAttack[]> {
  const asked: { spec: string; suite: string | null; named: boolean }[] = [];
  for (const name of suiteNames) {
    const suite = suites.find((each) => each.name === name) ?? notFound('suite', name);
    asked.push(...suite.attacks.map((spec) => ({ spec, suite: suiteOf(suite, spec), named: false })));
  }
  // By its own name in thresholds, whatever the file is called.
  const suiteOfOne = (spec: string): string | null => (splitSpec(spec).name === transfer.name ? transfer.name : null);
  asked.push(...specs.map((spec) => ({ spec, suite: suiteOfOne(spec), named: true })));

  const chosen = new Map<string, PlannedAttack>();
  const untaken = new Set((['constraints', 'mlm'] as const).filter((name) => shared[name] !== undefined));
  for (const { spec, suite, named } of asked) {
    const { name, given: written } = splitSpec(spec);
    const plugin = await pluginNamed(name, patience);
    const own = isPluginFile(name) ? { patience } : {};
    const known = new Set(optionFacts(plugin).map((option) => option.name));
    const taken = (name: keyof SharedOptions): [string, string][] => {
      const value = shared[name];
      if (value === undefined || !known.has(name)) return [];
      untaken.delete(name);
      return [[name, value]];
    };
    const given = new Map([...taken('constraints'), ...written]);
    const options = parsedOptions(plugin, new Map([...taken('mlm'), ...given]));
    const label = labelOf(plugin.name, given);
    const earlier = chosen.get(label);
    if (earlier === undefined) chosen.set(label, { plugin, options, suite, named, label, ...own });
    else if (earlier.plugin === plugin) chosen.set(label, { ...earlier, named: earlier.named || named });
    else {
      throw new PluginError(`${name}: its attack is called "${plugin.name}", as another one of this run is`, {
        code: 'ATTACK_NAME_TAKEN',
        hint: 'Give it a name of its own.',
      });
    }
  }
  for (const name of untaken) {
    const [what, example] = TAKERS[name];
    throw new UsageError(`--${name}: expected an attack that ${what}`, {
      code: name.toUpperCase(),
      hint: `For example: ${example}`,
    });
  }
  return [...chosen.values()];
}

async function pluginNamed(name: string, patience: Patience): Promise<EvasionPlugin> {
  if (isPluginFile(name)) return loadPlugin(name, patience);
  if (name === transfer.name) return transfer as EvasionPlugin;
  return attacks.find((plugin) => plugin.name === name) ?? notFound('attack', name);
}

function notFound(what: 'attack' | 'suite', name: string): never {
  const known = (what === 'attack' ? attacks : suites).map((each) => each.name);
  // Suites and attacks are easily taken for each other.
  const other = (what === 'attack' ? suites : attacks).some((each) => each.name === name);
  const hint = other ? `"${name}" is ${what === 'attack' ? 'a suite: --suite' : 'an attack: --attack'} ${name}.` : '';
  throw new PluginError(`expected the name of ${what === 'attack' ? 'an attack' : 'a suite'}, got "${name}"`, {
    code: `${what.toUpperCase()}_NOT_FOUND`,
    hint: hint || `${didYouMean(name, known)} See robust list ${what}s.`,
  });
}
