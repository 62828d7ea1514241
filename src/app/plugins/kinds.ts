/** @file The kinds of plugins, a row each: what a module must export to be one, and where it is named. */
import { z } from 'zod';
import type { DatasetPlugin } from '../../core/dataset.js';
import type { DefencePlugin } from '../../core/defence.js';
import { LANGUAGE_MEMBERS, type Language } from '../../core/language.js';
import type { ComponentPlugin, Parts, PoisonPlugin } from '../../core/plugin.js';
import type { VictimPlugin } from '../../core/victim-plugin.js';
import type { EvasionPlugin } from '../../results/attack-plugin.js';
import type { ReporterPlugin } from '../../results/report/report.js';

/** The type of each kind. */
export type Plugins = { readonly [K in keyof Parts]: ComponentPlugin<K> } & {
  readonly attack: EvasionPlugin;
  readonly poisoner: PoisonPlugin;
  readonly defence: DefencePlugin;
  readonly dataset: DatasetPlugin;
  readonly victim: VictimPlugin;
  readonly reporter: ReporterPlugin;
  readonly language: Language;
};

export type PluginKind = keyof Plugins;

interface KindRow {
  /** With its article. */
  readonly what: string;
  /** How it is named on the command line. */
  readonly use: string;
  /** The members that the engine needs; results of its functions are checked where they are called. */
  readonly shape: z.ZodType;
}

const aFunction = z.custom((value) => typeof value === 'function', 'expected a function');

const described = z.object({
  name: z.string('expected a name').regex(/^[a-z][a-z0-9-]*$/, 'expected kebab-case'),
  summary: z.string('expected one sentence'),
});

const options = z.instanceof(z.ZodType, { error: 'expected a zod schema: import { z } from "robust-text/plugin"' });

/** A plugin with a name, options and a function that uses them. */
const made = <K extends string>(kind: K) =>
  described.extend({ kind: z.literal(kind, `expected '${kind}'`), options, create: aFunction });

/** A part of a language with all its members: functions, or lists. */
const part = (members: readonly string[]) =>
  z.custom<object>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      members.every((name) => ['function', 'object'].includes(typeof (value as Record<string, unknown>)[name])),
    `expected an object with ${members.join(', ')}`,
  );

/** The parts that are lists of words or letters. */
const isList = (name: string): boolean => ['letters', 'everydayWords'].includes(name);

const language = z.strictObject({
  code: z.string().regex(/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/, 'expected a language tag such as "de"'),
  name: z.string().min(1),
  tokenize: aFunction,
  ...Object.fromEntries(
    Object.entries(LANGUAGE_MEMBERS).map(([name, members]) => [
      name,
      (isList(name) ? z.array(z.string()).min(1) : part(members)).optional(),
    ]),
  ),
});

/** A classifier as it is, or made of options. */
const victim = z.union([z.object({ labels: z.array(z.string()).min(2), classify: aFunction }), made('victim')], {
  error: "expected { labels, classify }, or { kind: 'victim', name, summary, options, create }",
});

export const PLUGIN_KINDS: { readonly [K in PluginKind]: KindRow } = {
  attack: {
    what: 'an attack',
    use: 'robust attack -a',
    shape: made('evasion').extend({
      level: z.enum(['character', 'word', 'sentence', 'embedding']),
      needs: z.enum(['labels', 'scores', 'gradients']),
    }),
  },
  transformation: { what: 'a transformation', use: 'robust attack --transformation', shape: made('transformation') },
  constraint: { what: 'a constraint', use: 'robust attack --constraint', shape: made('constraint') },
  search: { what: 'a search', use: 'robust attack --transformation swap-synonyms --search', shape: made('search') },
  goal: { what: 'a goal', use: 'robust attack --goal', shape: made('goal') },
  poisoner: {
    what: 'a poisoner',
    use: 'robust backdoor plant -m bert-mini -d reviews -o planted --attack',
    shape: made('poison'),
  },
  defence: { what: 'a defence', use: 'robust attack --defend', shape: made('defence') },
  dataset: { what: 'a data set reader', use: 'robust attack --data', shape: made('dataset') },
  victim: { what: 'a victim', use: 'robust attack --model', shape: victim },
  reporter: {
    what: 'a reporter',
    use: 'robust attack -a deepwordbug -o report.txt --reporter',
    shape: described.extend({
      kind: z.literal('reporter', "expected 'reporter'"),
      extension: z.string().regex(/^[a-z0-9]+$/, 'expected the ending of its files, without the dot, as "txt"'),
      render: aFunction,
    }),
  },
  language: { what: 'a language', use: 'robust attack --language', shape: language },
};

export const pluginKinds = Object.keys(PLUGIN_KINDS) as readonly PluginKind[];
