/** @file The names to choose from: `robust list`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { attacks, poisoners, suites } from '../../attacks/index.js';
import { bundledDatasets } from '../../datasets/index.js';
import { fileFormats } from '../../reports/index.js';
import { besideEachOther, type Screen, wrapLines } from '../../reports/layout.js';
import { presetConstraints, presets } from '../constraints/presets.js';
import { defined } from '../core/defined.js';
import { RobustError } from '../core/errors.js';
import { CAPABILITY_MEANINGS } from '../core/negation.js';
import { packageRoot } from '../core/package-root.js';
import type { ComponentPlugin } from '../core/plugin.js';
import { kebab, optionFacts, splitSpec } from '../core/plugin-options.js';
import { didYouMean } from '../core/suggest.js';
import { defences } from '../defence/index.js';
import { readFileSync } from '../files/read.js';
import { english } from '../language/english/index.js';
import { bundledModels } from '../model/opening/resolve.js';
import type { EvasionPlugin } from '../results/attack-plugin.js';
import { adversarialMethods } from '../train/adversarial/methods/index.js';
import { SPACE_NAMES, SPACES } from '../verify/spaces.js';
import { languages } from './language.js';
import type { InstalledPlugin } from './plugins/installed.js';
import { PLUGIN_KINDS } from './plugins/kinds.js';
import { loadAnyPlugin } from './plugins/load-plugin.js';
import { PARTS, parts, pluralOf } from './plugins/registry.js';

export interface CatalogueEntry {
  readonly name: string;
  readonly summary?: string;
  /** Shown only of an entry listed by name, and in JSON. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** Kind -> what there is of it. */
export type Catalogue = Readonly<Record<string, readonly CatalogueEntry[]>>;

/** `installed`: installed packages of plugins. */
export const catalogue = (installed: readonly InstalledPlugin[] = []): Catalogue => ({
  attacks: attacks.map((plugin) => ({
    name: plugin.name,
    summary: plugin.summary,
    facts: {
      level: plugin.level,
      needs: plugin.needs,
      ...sourceOf(plugin),
      ...defined({ readers: plugin.readers }),
      constraints: plugin.create(plugin.options.parse({})).constraints,
      options: optionFacts(plugin),
    },
  })),
  poisoners: poisoners.map((plugin) => ({
    name: plugin.name,
    summary: plugin.summary,
    facts: {
      planting: plugin.create(plugin.options.parse({}), english).planting.kind,
      ...sourceOf(plugin),
      options: optionFacts(plugin),
    },
  })),
  defences: defences.map((plugin) => ({
    name: plugin.name,
    summary: plugin.summary,
    facts: { ...sourceOf(plugin), options: optionFacts(plugin) },
  })),
  suites: suites.map(({ name, summary, attacks: members }) => ({ name, summary, facts: { attacks: members } })),
  ...Object.fromEntries(PARTS.map((kind) => [pluralOf(kind), parts[kind].map((part) => component(part))])),
  presets: presets.map((preset) => ({
    name: preset,
    summary: [
      ...(preset === 'none' ? [] : ["the attack's own"]),
      ...presetConstraints(preset, []).map(({ name }) => name),
    ].join('; '),
  })),
  capabilities: Object.entries(CAPABILITY_MEANINGS).map(([name, summary]) => ({ name, summary })),
  models: bundledModels().map((name) => ({ name, summary: cardOf(name) })),
  data: bundledDatasets().map(({ name, summary, size }) => ({ name, summary, facts: { examples: size } })),
  languages: languages.map(({ code, name }) => ({ name: code, summary: name })),
  spaces: SPACE_NAMES.map((name) => ({ name, summary: SPACES[name].edit })),
  training: adversarialMethods.map(({ name, options }) => ({
    name,
    summary: `robust train --adversarial ${name}`,
    facts: { options: optionFacts({ name, options }) },
  })),
  formats: fileFormats.map(({ name, extension }) => ({ name, summary: `-o file.${extension}` })),
  plugins: installed.map(({ name, summary, version }) => ({ name, summary, facts: { version } })),
});

const sourceOf = ({ paper }: { readonly paper?: { readonly title: string; readonly url: string } | undefined }) =>
  paper === undefined ? {} : { paper: `${paper.title}, ${paper.url}` };

/** A plugin of the user's own, by path or package, with the facts that a registry has of others. It is code: it runs. Throws RobustError. */
export async function ownPlugin(spec: string): Promise<Catalogue> {
  const { kind, plugin } = await loadAnyPlugin(spec);
  const { name = spec, summary = '', ...facts } = plugin as Partial<EvasionPlugin>;
  return {
    [kind]: [
      {
        name,
        summary,
        facts: {
          use: `${PLUGIN_KINDS[kind].use} ${spec}`,
          ...defined({ level: facts.level, needs: facts.needs }),
          ...sourceOf(facts),
          ...(facts.options && { options: optionFacts({ name, options: facts.options }) }),
        },
      },
    ],
  };
}

/** A part of attacks, with its short form on the command line, if it has one. */
const component = (part: ComponentPlugin): CatalogueEntry => ({
  name: part.name,
  summary: part.summary,
  facts: {
    ...sourceOf(part),
    ...(part.main !== undefined && { short: `${part.name}=${kebab(part.main).toUpperCase()}` }),
    options: optionFacts(part),
  },
});

/** The first paragraph of a bundled model's card. */
function cardOf(model: string): string {
  const card = join(packageRoot, 'models', model, 'README.md');
  if (!existsSync(card)) return '';
  const [, summary = ''] = readFileSync(card, 'utf8').split(/\n{2,}/);
  return summary.replaceAll('\n', ' ');
}

/** All of it, one kind of it, or the entries of one name. Throws RobustError for what is neither. */
export function chosen(all: Catalogue, what: string | undefined): Catalogue {
  if (what === undefined) return all;
  const kind = all[what];
  if (kind !== undefined) return { [what]: kind };
  const named = Object.entries(all).flatMap(([of, entries]) => {
    const found = entries.filter(({ name }) => name === what);
    return found.length > 0 ? [[of, found] as const] : [];
  });
  if (named.length > 0) return Object.fromEntries(named);
  const known = [...Object.keys(all), ...Object.values(all).flatMap((entries) => entries.map(({ name }) => name))];
  throw new RobustError(`nothing to list under "${what}"`, {
    code: 'NAME_NOT_FOUND',
    hint: `${didYouMean(what, known)} See robust list.`,
  });
}

/** Lists with a line an entry, attacks by suite; an entry alone with everything about it. */
export function catalogueText(found: Catalogue, screen: Screen): string {
  const { width, chalk } = screen;
  const all = Object.values(found).flat();
  const [first] = all;
  if (first === undefined) return `${Object.keys(found).join(', ')}: none here\n`;
  const alone = all.every(({ name }) => name === first.name);
  const lists = Object.entries(found).flatMap(([kind, entries]) => {
    if (alone) return entries.map((entry) => [kind, describedEntry(entry, screen)] as const);
    const groups = kind === 'attacks' ? bySuite(entries) : [[kind, entries] as const];
    return groups.map(([title, members]) => [title, entryLines(members, screen)] as const);
  });
  return lists.map(([title, text]) => `${wrapLines(title, width, 0, chalk.bold)}\n${text}`).join('\n');
}

/** Each attack once, in the first of the suites that has it; `all` repeats the others. */
function bySuite(entries: readonly CatalogueEntry[]): [title: string, members: readonly CatalogueEntry[]][] {
  const left = new Map(entries.map((entry) => [entry.name, entry]));
  const groups = suites
    .filter(({ name }) => name !== 'all')
    .map(({ name, attacks: specs }): [string, CatalogueEntry[]] => {
      const members = specs.flatMap((spec) => {
        const member = left.get(splitSpec(spec).name);
        return member !== undefined && left.delete(member.name) ? [member] : [];
      });
      return [`attacks of the suite ${name}`, members];
    });
  return [...groups, ['attacks in no suite', [...left.values()]] as const]
    .filter(([, members]) => members.length > 0)
    .map(([title, members]) => [title, members]);
}

function entryLines(entries: readonly CatalogueEntry[], { width, chalk }: Screen): string {
  const column = Math.max(0, ...entries.map(({ name }) => name.length)) + 4;
  return entries
    .map(({ name, summary = '' }) => {
      const room = width - column;
      // An example is left out before anything else.
      const told = summary.length <= room ? summary : summary.replace(/: ".*$/, '.');
      const [shown = ''] = wrapLines(told, room - 2, 0).split('\n');
      const line = told.length <= room ? told : `${shown} …`;
      return `${`  ${chalk.cyan(name)}${' '.repeat(column - name.length - 2)}${line}`.trimEnd()}\n`;
    })
    .join('');
}

function describedEntry({ name, summary = '', facts }: CatalogueEntry, { width, chalk }: Screen): string {
  const line = besideEachOther(`  ${chalk.cyan(name)}`, summary, width, name.length + 4).trimEnd();
  return `${line}\n${facts === undefined ? '' : factsText(facts, width)}`;
}

function factsText(facts: Readonly<Record<string, unknown>>, width: number): string {
  const lines = Object.entries(facts).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((each, i) =>
      besideEachOther(i === 0 ? `  ${name}` : '', shown(each), width, 15),
    ),
  );
  return `\n${lines.join('\n')}\n`;
}

/** An option of an attack in one line, anything else as it is. */
function shown(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const { name, type, default: standard, description } = value as Partial<ReturnType<typeof optionFacts>[number]>;
  return `${name}=${JSON.stringify(standard)} (${type})${description === undefined ? '' : ` ${description}`}`;
}
