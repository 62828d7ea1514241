/**
 * @file Schema of robust.config files. The published schema (schemas/robust.config.schema.json) is generated from here and from the table
 * of settings.
 */
import { z } from 'zod';
import { isObject } from '../core/json.js';
import { faultOfFirst, memberOf } from '../core/read-by.js';
import { OPTION_FLAGS, optionOf } from './options.js';
import { nonEmptyText, type Setting, type Settings } from './setting.js';
import { configurable } from './settings/index.js';
import { requirements } from './settings/judging.js';

const day = z.iso.date({ error: 'expected a day as YYYY-MM-DD' });

const waiver = z.strictObject({
  metric: nonEmptyText.describe('the figure whose requirement may be violated'),
  owner: nonEmptyText.describe('who answers for it'),
  reason: nonEmptyText,
  expires: day.describe('the last day it holds, UTC'),
});

type Table = typeof configurable;

/** The keys of settings at the top level of a configuration. */
type Top = {
  [K in keyof Table]: Table[K] extends { configured: true } ? (Table[K] extends { of: string } ? never : K) : never;
}[keyof Table];

/** `max-increase` is `maxIncrease`. */
type Camel<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;
const camel = (name: string): string => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

type OptionName<K extends string> = Table[K & keyof Table] extends { option: infer Name extends string }
  ? Camel<Name>
  : K;

/** The options of a setting, by their names in a configuration. */
type Options<Owner> = {
  readonly [K in keyof Table as Table[K] extends { of: Owner; configured: true }
    ? OptionName<K>
    : never]: z.ZodOptional<Table[K]['schema']>;
};

/** A setting alone; or, where it has options, a map of them, in which its own value is `value`. */
type Entry<K extends keyof Table> = keyof Options<K> extends never
  ? Table[K]['schema']
  : z.ZodUnion<
      [
        Table[K]['schema'],
        z.ZodObject<
          Options<K> & {
            readonly [H in Table[K] extends { head: infer Name extends string } ? Name : 'value']: z.ZodOptional<
              Table[K]['schema']
            >;
          },
          z.core.$strict
        >,
      ]
    >;

const table = Object.entries<Setting>(configurable).filter(([, { configured }]) => configured);

const optional = ({ schema, help }: Setting) => z.optional(schema.describe(help));

/** What the map of a setting's options calls its own value. */
const headOf = ({ head = 'value' }: Setting): string => head;

const optionsOf = (owner: string): Record<string, z.ZodOptional> =>
  Object.fromEntries(
    table.flatMap(([key, setting]) =>
      setting.of === owner ? [[camel(optionOf(key, setting)), optional(setting)]] : [],
    ),
  );

function entryOf(key: string, setting: Setting): z.ZodOptional {
  const options = optionsOf(key);
  if (Object.keys(options).length === 0) return optional(setting);
  const map = z.strictObject({
    [headOf(setting)]: z.optional(setting.schema.describe('the value beside these options')),
    ...options,
  });
  return z.optional(z.union([setting.schema, map], { error: faultOfFirst }).describe(setting.help));
}

const top = Object.fromEntries(
  table.flatMap(([key, setting]) => (setting.of === undefined ? [[key, entryOf(key, setting)]] : [])),
) as { readonly [K in Top]: z.ZodOptional<Entry<K>> };

const isOptionFlag = (key: string): key is 'columns' | 'endpoint' | 'runtime' => Object.keys(optionsOf(key)).length > 0;

/** Keys that have only options. */
const holders = Object.fromEntries(
  Object.entries(OPTION_FLAGS).flatMap(([key, { help }]) =>
    isOptionFlag(key) ? [[key, z.optional(z.strictObject(optionsOf(key)).describe(help))]] : [],
  ),
) as { readonly [K in 'columns' | 'endpoint' | 'runtime']: z.ZodOptional<z.ZodObject<Options<K>, z.core.$strict>> };

export const configSchema = z.strictObject({
  $schema: z.string().optional(),
  extends: z
    .union([nonEmptyText, z.array(nonEmptyText)])
    .describe('robust:recommended, or other configuration files, whose values this one overrides')
    .optional(),
  variables: z
    .array(z.string().regex(/^[A-Za-z_]\w*$/, 'expected the name of an environment variable'))
    .describe('the environment variables that $' + '{NAME} may stand for in model and headers of this file')
    .optional(),
  ...top,
  ...holders,
  require: requirements
    .describe(
      'requirements of robust gate: "<suite | attack | overall | clean>.<figure> <= <limit>", or that with its level',
    )
    .optional(),
  waivers: z.array(waiver).describe('requirements that may be violated for a while').optional(),
});

/** A configuration as it is written. */
export type Config = z.input<typeof configSchema>;

/** Keys of settings that a configuration may hold; those of options, too. */
export type SettingKey = { [K in keyof Table]: Table[K] extends { configured: true } ? K : never }[keyof Table];

/** What a configuration sets, by the keys of the settings, and what is no setting. */
export type ConfigValues = { readonly [K in SettingKey]?: z.output<Table[K]['schema']> } & Pick<
  z.output<typeof configSchema>,
  '$schema' | 'extends' | 'variables' | 'require' | 'waivers'
>;

/** Where a configuration holds a setting: options within their owner. */
export function configPath(key: string, setting: Setting): readonly [string, string?] {
  if (setting.of !== undefined) return [setting.of, camel(optionOf(key, setting))];
  return setting.head === undefined ? [key] : [key, setting.head];
}

/** The configuration that sets these values, each option in the map of its owner. */
export function configOf(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const set = table.filter(([key]) => values[key] !== undefined);
  const alone = set.filter(([, { of }]) => of === undefined);
  const config = Object.fromEntries(alone.map(([key]) => [key, values[key]]));
  for (const [key, setting] of set) {
    const { of: owner } = setting;
    if (owner === undefined) continue;
    const head = headOf((configurable as Settings)[owner] ?? setting);
    const own = values[owner] === undefined ? {} : { [head]: values[owner] };
    const others = isObject(config[owner]) ? config[owner] : own;
    config[owner] = { ...others, [camel(optionOf(key, setting))]: values[key] };
  }
  return config;
}

/** Where a configuration holds what it sets under this key. */
export const placeOf = (key: string): readonly string[] => {
  const setting = (configurable as Settings)[key];
  return (setting === undefined ? [key] : configPath(key, setting)) as readonly string[];
};

/** The member of a configuration that is this setting, as it is written. */
export function settingIn(written: unknown, key: string, setting: Setting): unknown {
  const outer = memberOf(written, setting.of ?? key);
  if (setting.of !== undefined) return memberOf(outer, camel(optionOf(key, setting)));
  const isMap = isObject(outer) && Object.keys(optionsOf(key)).length > 0;
  return isMap ? memberOf(outer, headOf(setting)) : outer;
}

/** The published schema: draft 2020-12, for editors. */
export const configJsonSchema = () => ({
  $id: 'https://unpkg.com/robust-text/schemas/robust.config.schema.json',
  title: 'robust configuration',
  ...z.toJSONSchema(configSchema, { io: 'input' }),
});
