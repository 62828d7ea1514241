/**
 * @file Values in place of names: what a program gives as a model, data or a plugin becomes a module of its own for one call, so that all that
 * takes a path or a name takes it.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { optionRows } from '../config/options.js';
import { flagOf, type Settings } from '../config/setting.js';
import * as tables from '../config/settings/index.js';
import type { Classifier } from '../core/classifier.js';
import type { Draft } from '../core/draft.js';
import { must, RobustError } from '../core/errors.js';
import { queryText } from '../core/pair.js';
import type { EvasionAttack } from '../core/plugin.js';
import type { Poisoner } from '../core/poisoner.js';
import type { SearchSpace } from '../core/search.js';
import { type TemporaryFolder, temporaryFolder } from '../files/temporary-folder.js';
import { writeWhole } from '../files/write.js';
import { VALUES } from '../modules/own-module.js';
import { swapWords } from '../search/swap-words.js';
import { compareSettings } from './compare.js';
import { evaluateSettings } from './evaluate.js';
import type { Plugins } from './plugins/kinds.js';

/** Examples as objects, such as `{ text, label }`. */
export type Rows = Iterable<object> | AsyncIterable<object>;
/** A value, or a list of such values. */
export type OneOrMore<T> = T | readonly T[];

/** What an attack may send instead of a text. */
export type Rewrites = (text: string) => string | readonly string[] | Promise<string | readonly string[]>;

/** What a call takes besides names and paths, by the option. A function is the work of a plugin without options. */
export interface Values {
  readonly model: Classifier | Plugins['victim'];
  readonly surrogate: Values['model'];
  readonly models: readonly (string | Values['model'])[];
  /** Rows such as `{ text, label }`, or a function that gives them each time. */
  readonly data: Rows | (() => Rows) | Plugins['dataset'];
  readonly test: Values['data'];
  readonly validation: Values['data'];
  readonly defend: OneOrMore<string | ((text: string) => string) | Plugins['defence']>;
  readonly attacks: OneOrMore<string | Rewrites | Plugins['attack'] | object>;
  readonly transformation: ((word: string) => readonly string[]) | Plugins['transformation'] | object;
  readonly constraints: OneOrMore<
    string | ((candidates: readonly Draft[], original: Draft) => boolean[]) | Plugins['constraint'] | object
  >;
  readonly search: ((space: SearchSpace) => Promise<void>) | Plugins['search'] | object;
  readonly goal: Plugins['goal'] | object;
  readonly attack: Poisoner['trigger'] | Plugins['poisoner'];
  readonly language: Plugins['language'];
}

/** The options of a call that also takes values. */
export type WithValues<O> = { readonly [K in keyof O]: K extends keyof Values ? O[K] | Values[K] : O[K] };

/** Options that may be left out may be still. */
type ArgumentsWithValues<A extends readonly unknown[]> = A extends [infer O]
  ? [options: WithValues<O>]
  : [options?: WithValues<NonNullable<A[0]>>];

const options = z.strictObject({});
const made = (kind: string, name: string, create: () => object): object => ({
  kind,
  name,
  options,
  create,
  level: 'word',
  needs: 'scores',
  summary: 'A function of the program.',
});

/** How the value of an option becomes a module: what it exports. A plugin is exported as it is. */
const EXPORTS: { readonly [K in keyof Values]: (value: unknown, name: string) => unknown } = {
  model: (value) => value,
  surrogate: (value) => value,
  models: (value) => value,
  data: rowsOf,
  test: rowsOf,
  validation: rowsOf,
  defend: (rewrite, name) => made('defence', name, () => ({ conditions: name, rewrite })),
  attacks: (rewrites, name) =>
    made('evasion', name, () => ({ constraints: [], whole: true, run: strongestOf(rewrites as Rewrites) })),
  transformation: (edits, name) => made('transformation', name, () => swapWords(name, edits as () => string[])),
  constraints: (accepts, name) => made('constraint', name, () => ({ name, accepts })),
  search: (search, name) => made('search', name, () => ({ name, search })),
  goal: (value) => value,
  attack: (trigger, name) =>
    made('poison', name, () => ({ triggers: [], planting: { kind: 'texts' }, trigger, decoy() {} })),
  language: (value) => value,
};

/** Of the texts that a function gives the one nearest to the goal. */
const strongestOf =
  (rewrites: Rewrites): EvasionAttack['run'] =>
  async (example, { goal, language, classify }) => {
    const texts = [example.text, ...[await rewrites(example.text)].flat()].slice(-MOST);
    const rows = await classify(texts.map((text) => queryText(text, example)));
    const scores = rows.map((row) => goal.score(row, example.label));
    const best = scores.indexOf(Math.max(...scores));
    const [words, left] = [example.text, must(texts[best])].map((text) => language.tokenize(text)) as [
      string[],
      string[],
    ];
    return {
      succeeded: goal.reached(must(rows[best]), example.label),
      text: must(texts[best]),
      probabilities: must(rows[best]),
      words: words.length,
      changed: words.filter((word) => !left.includes(word)).length,
    };
  };

/** Texts that a function may give for one. */
const MOST = 1000;

function rowsOf(value: unknown, name: string): unknown {
  if (typeof value === 'function') return made('dataset', name, () => ({ rows: value }));
  // What can be gone through once is kept, because data are read more than once.
  let kept: unknown[] | undefined;
  async function* rows(): AsyncGenerator<unknown> {
    if (kept === undefined) {
      const all: unknown[] = [];
      for await (const row of value as Rows) all.push(row);
      kept = all;
    }
    yield* kept;
  }
  return made('dataset', name, () => ({ rows: Array.isArray(value) ? () => value : rows }));
}

const isPlugin = (value: object): boolean => 'kind' in value || 'classify' in value || 'tokenize' in value;
/** Options whose list is of rows, unless it is of names. */
const DATA = /^(?:data|test|validation)$/;
const isValue = (key: string, value: unknown): boolean =>
  typeof value === 'function' || (typeof value === 'object' && value !== null && (isPlugin(value) || DATA.test(key)));

/** What the modules of values export, by their number; their modules stay loaded as long as the process lives. */
const HELD = Symbol.for('robust-text.values');
const held: Map<string, unknown> = Reflect.get(globalThis, HELD) ?? new Map();
Reflect.set(globalThis, HELD, held);

/** One number per value, so that the same value is the same model in all calls of a process, and of no other. */
const numbers = new WeakMap<object, string>();

/**
 * The use case as the library offers it: it takes values, throws the reason of a signal that is aborted before it begins, and names options
 * where commands name flags.
 */
export function taking<A extends readonly unknown[], R>(
  work: (...args: A) => Promise<R>,
): (...args: ArgumentsWithValues<A>) => Promise<R> {
  const call = async (given: object = {}): Promise<R> => {
    const { signal, onNote } = given as { signal?: AbortSignal; onNote?(line: string): void };
    signal?.throwIfAborted();
    const folders: TemporaryFolder[] = [];
    const named = (key: string, value: unknown): unknown => {
      const list = Array.isArray(value) && (!DATA.test(key) || value.every((each) => typeof each === 'string'));
      if (list) return value.map((each) => named(key, each));
      return Object.hasOwn(EXPORTS, key) && isValue(key, value)
        ? moduleOf(key as keyof Values, value as object)
        : value;
    };
    const moduleOf = (key: keyof Values, value: object): string => {
      const exported = isPlugin(value) || key === 'models';
      const own = exported || typeof value !== 'function' ? undefined : value.name;
      const name =
        (own ?? '')
          .replace(/([a-z])([A-Z])/g, '$1-$2')
          .toLowerCase()
          .replace(/[^a-z0-9-]/g, '') ||
        NAMES[key] ||
        key;
      if (!numbers.has(value)) numbers.set(value, randomUUID());
      const number = must(numbers.get(value));
      held.set(number, exported ? value : EXPORTS[key](value, name));
      folders.push(temporaryFolder(VALUES));
      const file = join(must(folders.at(-1)).path, `${name}.mjs`);
      const code = `export default globalThis[Symbol.for('robust-text.values')].get('${number}');\n`;
      writeWhole(file, code, 'the module of a value');
      return file;
    };
    const entries = Object.entries(given).map(([key, value]) => [key, named(key, value)]);
    if (folders.length > 0) onNote?.('Values were given in place of names: no other call can resume this one.');
    try {
      return await work(...([Object.fromEntries(entries)] as unknown as A));
    } catch (error) {
      if (error instanceof RobustError) nameOptions(error);
      throw error;
    } finally {
      for (const folder of folders) await folder.remove();
    }
  };
  return call as (...args: ArgumentsWithValues<A>) => Promise<R>;
}

/** What values without a name are called. */
const NAMES: Partial<Record<keyof Values, string>> = {
  model: 'model',
  models: 'model',
  surrogate: 'model',
  data: 'rows',
  test: 'rows',
  validation: 'rows',
  defend: 'rewrite',
  attacks: 'own',
  constraints: 'own',
  attack: 'own',
};

const SETTINGS: Settings = Object.assign(
  {},
  ...Object.values(tables).filter((table) => typeof table === 'object'),
  compareSettings,
  evaluateSettings,
);

/** `--columns label=x`, `--label-map`, `-d x`: as the options `labelColumn: x`, `labelMap`, `data: x`. */
function nameOptions(error: RobustError): void {
  const rows = optionRows(SETTINGS);
  const entries = Object.entries(SETTINGS);
  const optioned = (text: string): string =>
    text.replace(
      /(?<![\w-])--?([a-z][a-z-]*)(?: ([a-z][a-z-]*)(=?))?/g,
      (all, flag: string, option?: string, value = '') => {
        const of = (owner: string, char?: string): boolean => owner === flag || char === flag;
        const row = option && rows.find((each) => of(each.owner, each.char) && each.option === option);
        if (row) return `${row.key}${value && ': '}`;
        const key = entries.find(([name, setting]) => of(flagOf(name, setting), setting.char))?.[0];
        return key === undefined ? all : `${key}${option === undefined ? '' : ` ${option}${value}`}`;
      },
    );
  error.message = optioned(error.message);
  // A command to run stays one.
  if (error.hint !== undefined && !/\brobust [a-z]/.test(error.hint))
    (error as { hint: string }).hint = optioned(error.hint);
}
