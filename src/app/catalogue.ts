/** @file The names to choose from: `robust list`. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { attacks, poisoners, suites } from '../../attacks/index.js';
import { bundledDatasets } from '../../datasets/index.js';
import { fileFormats } from '../../reports/index.js';
import { besideEachOther, type Screen } from '../../reports/layout.js';
import { presetConstraints, presets } from '../constraints/presets.js';
import { defined } from '../core/defined.js';
import { UsageError } from '../core/errors.js';
import { CAPABILITY_MEANINGS } from '../core/negation.js';
import { packageRoot } from '../core/package-root.js';
import type { ComponentPlugin, EvasionPlugin } from '../core/plugin.js';
import { kebab, optionFacts } from '../core/plugin-options.js';
import { didYouMean } from '../core/suggest.js';
import { defences } from '../defence/index.js';
import { english } from '../language/english/index.js';
import { bundledModels } from '../model/opening/resolve.js';
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
      ...(plugin.legibility && { readers: plugin.legibility.readers }),
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
    facts: {
      ...sourceOf(plugin),
      options: optionFacts(plugin),
    },
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
  formats: fileFormats.map(({ name, extension }) => ({ name, summary: `-o file.${extension}` })),
  plugins: installed.map(({ name, summary, version }) => ({ name, summary, facts: { version } })),
});

const sourceOf = ({ paper }: { readonly paper?: { readonly title: string; readonly url: string } | undefined }) =>
  paper === undefined ? {} : { paper: `${paper.title}, ${paper.url}` };

/** A plugin of the user's own, by path or package, with the facts that a registry has of others. It is code: it runs. Throws PluginError. */
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

/** All of it, one kind of it, or the entries of one name. Throws UsageError for what is neither. */
export function chosen(all: Catalogue, what: string | undefined): Catalogue {
  if (what === undefined) return all;
  const kind = all[what === 'datasets' ? 'data' : what];
  if (kind !== undefined) return { [what === 'datasets' ? 'data' : what]: kind };
  const named = Object.entries(all).flatMap(([of, entries]) => {
    const found = entries.filter(({ name }) => name === what);
    return found.length > 0 ? [[of, found] as const] : [];
  });
  if (named.length > 0) return Object.fromEntries(named);
  const known = [...Object.keys(all), ...Object.values(all).flatMap((entries) => entries.map(({ name }) => name))];
  throw new UsageError(`nothing to list under "${what}"`, { code: 'UNKNOWN_NAME', hint: didYouMean(what, known) });
}

/** Lists with a line an entry; an entry alone with everything about it. */
export function catalogueText(found: Catalogue, { width, chalk }: Screen): string {
  const all = Object.values(found).flat();
  if (all.length === 0) return `${Object.keys(found).join(', ')}: none here\n`;
  const column = Math.max(...all.map(({ name }) => name.length)) + 4;
  // A kind by itself has room for a second line an entry.
  const alone = Object.keys(found).length === 1 && all.length > 1;
  const named = new Set(all.map(({ name }) => name)).size === 1;
  const line = ({ name, summary = '', facts: { level, needs, paper } = {} }: CatalogueEntry): string => {
    const first = `${besideEachOther(`  ${chalk.cyan(name)}`, summary, width, column).trimEnd()}\n`;
    if (!alone || level === undefined) return first;
    const source = /https:\S+$/.exec(String(paper))?.[0];
    const facts = [`${level} · needs ${needs}`, ...(source === undefined ? [] : [source])];
    const one = facts.join(' · ');
    const lines = column + one.length > width ? facts : [one];
    return `${first}${lines.map((each) => `${' '.repeat(column)}${chalk.dim(each)}\n`).join('')}`;
  };
  const filled = Object.entries(found).filter(([, entries]) => entries.length > 0);
  const lists = filled.map(([kind, entries]) => {
    // One entry of several there are was asked for by name.
    const facts = named && entries[0]?.facts !== undefined ? factsText(entries[0].facts, width) : '';
    return `${chalk.bold(kind)}\n${entries.map(line).join('')}${facts}`;
  });
  return lists.join('\n');
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
