/** @file From `--suite` and `--attack` to the attacks of a run. */
import { attacks, suites } from '../../../attacks/index.js';
import { didYouMean, type EvasionPlugin, PluginError, UsageError } from '../../index.js';
import type { PlannedAttack } from '../../run/plan.js';
import { labelOf, optionFacts, parsedOptions, splitSpec } from './attack-options.js';
import { isPluginFile, loadPlugin } from './plugin-file.js';

/**
 * The attacks of the suites, then those named, each once: an attack that is named again with the same options runs once.
 * `constraints` is the option of that name of all attacks that have one and are not given another.
 * Throws PluginError for an unknown name or an attack file that is none, UsageError for options an attack does not take, and
 * for constraints that none of them knows.
 */
export async function chooseAttacks(
  suiteNames: readonly string[],
  specs: readonly string[],
  constraints?: string,
): Promise<PlannedAttack[]> {
  const asked: { spec: string; suite: string | null }[] = [];
  for (const name of suiteNames) {
    const suite = suites.find((each) => each.name === name) ?? notFound('suite', name);
    asked.push(...suite.attacks.map((spec) => ({ spec, suite: suite.name })));
  }
  asked.push(...specs.map((spec) => ({ spec, suite: null })));

  const chosen = new Map<string, PlannedAttack>();
  let bound = constraints === undefined;
  for (const { spec, suite } of asked) {
    const { name, given: own } = splitSpec(spec);
    const plugin = await pluginNamed(name);
    const constrained =
      constraints !== undefined && optionFacts(plugin).some((option) => option.name === 'constraints');
    bound ||= constrained;
    const given = constrained ? new Map([['constraints', constraints], ...own]) : own;
    const options = parsedOptions(plugin, given);
    const label = labelOf(plugin.name, given);
    const earlier = chosen.get(label);
    if (earlier === undefined) chosen.set(label, { plugin, options, suite, label });
    else if (earlier.plugin !== plugin) {
      throw new PluginError(`${name}: its attack is called "${plugin.name}", as another one of this run is`, {
        code: 'ATTACK_NAME_TAKEN',
        hint: 'Give it a name of its own.',
      });
    }
  }
  if (!bound) {
    throw new UsageError('--constraints: expected an attack that swaps words, got none that has sets to choose from', {
      code: 'CONSTRAINTS',
      hint: 'For example: --suite synonyms --constraints paper',
    });
  }
  return [...chosen.values()];
}

async function pluginNamed(name: string): Promise<EvasionPlugin> {
  if (isPluginFile(name)) return loadPlugin(name);
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
