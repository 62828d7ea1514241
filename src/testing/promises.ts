/** @file Promises of plugins: all are tested, and one error lists every violation. */
import assert from 'node:assert/strict';
import { z } from 'zod';
import { PLUGIN_KINDS, type PluginKind } from '../app/plugins/kinds.js';
import { messageOf } from '../core/errors.js';
import { faultTexts, readBy } from '../core/read-by.js';

/** A promise, and a function that throws if it is violated. */
export type Promised = readonly [what: string, keep: () => void | Promise<void>];

/** Throws an Error with a line for each violated promise. */
export async function keep(name: string, promises: readonly Promised[]): Promise<void> {
  const broken: string[] = [];
  for (const [what, kept] of promises) {
    try {
      await kept();
    } catch (error) {
      broken.push(`- ${what}: ${messageOf(error)}`);
    }
  }
  if (broken.length > 0)
    throw new Error(`${name} breaks ${broken.length} of ${promises.length} promises:\n${broken.join('\n')}`);
}

interface Introduced {
  readonly name?: string;
  readonly summary?: string;
  readonly options?: z.ZodType;
}

/** Promises about the metadata of every kind of plugin. */
export function introduction(kind: PluginKind, plugin: object): Promised[] {
  const { name, summary, options } = plugin as Introduced;
  const promises: Promised[] = [
    [
      'it has the shape of its kind',
      () => {
        const read = readBy(PLUGIN_KINDS[kind].shape, plugin);
        assert(read.success, read.success ? undefined : faultTexts(read.faults, 'plugin'));
      },
    ],
  ];
  if (summary !== undefined && name !== undefined) {
    promises.push([
      'its name is kebab-case, its summary one sentence of 20 to 160 characters',
      () => {
        assert.match(name, /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
        assert.match(summary, /^[A-Z].{18,158}\.$/s);
      },
    ]);
  }
  if (options !== undefined) {
    promises.push([
      'its options have defaults and descriptions, and unknown ones are refused',
      () => {
        assert.equal(typeof options.parse({}), 'object');
        assert(
          !options.safeParse({ noSuchOption: 1 }).success,
          'expected an unknown option to be refused: z.strictObject',
        );
        const { properties = {} } = z.toJSONSchema(options, { io: 'input', unrepresentable: 'any' });
        for (const [option, schema] of Object.entries(properties)) {
          const { default: standard, description } = Object(schema) as { default?: unknown; description?: unknown };
          assert.notEqual(standard, undefined, `expected a default for ${option}: .default(...)`);
          assert.equal(typeof description, 'string', `expected a description of ${option}: .describe('...')`);
        }
      },
    ]);
  }
  return promises;
}

/** The options to test with: the defaults and the given differences. */
export const optionsOf = (plugin: { readonly options: z.ZodType }, given: object = {}): unknown =>
  plugin.options.parse(given);
