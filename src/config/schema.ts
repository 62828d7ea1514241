/**
 * @file Schema of robust.config files. The published schema (schemas/robust.config.schema.json) is generated from here and from the table
 * of settings.
 */
import { z } from 'zod';
import { BOUNDS, EXPRESSION, limitsOf } from '../gate/threshold.js';
import { nonEmptyText, type Setting, type Settings, wholeNumber } from './setting.js';
import { configurable } from './settings/index.js';
import { issueOf, level, requirements } from './settings/judging.js';

const limits = z
  .string({ error: 'expected a limit such as "<= 0.30"' })
  .superRefine(issueOf(limitsOf))
  .meta({ pattern: EXPRESSION, description: 'such as "<= 0.30", ">= 90 %" or ">= 0.10 and <= 0.30"' });

const judging = z.strictObject({
  ci: z.enum(BOUNDS).describe('the bound that is compared with the limit').optional(),
  minExamples: wholeNumber(1).describe('fewer examples are inconclusive').optional(),
});

const threshold = z.union([z.literal('off'), z.tuple([level, limits]), z.tuple([level, limits, judging])], {
  error: 'expected off, or [error | warn | off, limit], such as [error, "<= 0.30"]',
});

const day = z.iso.date({ error: 'expected a day as YYYY-MM-DD' });

const waiver = z.strictObject({
  metric: nonEmptyText.describe('the figure whose requirement may be violated'),
  owner: nonEmptyText.describe('who answers for it'),
  reason: nonEmptyText,
  expires: day.describe('the last day it holds, UTC'),
});

type SettingsTable = typeof configurable;
/** Settings at the top level of a configuration, and those within another key. */
type Top = {
  [K in keyof SettingsTable]: SettingsTable[K] extends { configured: true } ? K : never;
}[keyof SettingsTable];
type Within<Key> = {
  [K in keyof SettingsTable as SettingsTable[K] extends { configured: readonly [Key, infer Inner extends string] }
    ? Inner
    : never]: SettingsTable[K];
};
type SchemaShape<T extends Settings> = { readonly [K in keyof T]: z.ZodOptional<T[K]['schema']> };

const shape = <T extends Settings>(entries: readonly (readonly [string, Setting])[]): SchemaShape<T> =>
  Object.fromEntries(
    entries.map(([key, { schema, help }]) => [key, z.optional(schema.describe(help))]),
  ) as SchemaShape<T>;

const table: readonly (readonly [string, Setting])[] = Object.entries(configurable);
const top = shape<Pick<SettingsTable, Top>>(table.filter(([, { configured }]) => configured === true));
const within = <Key extends string>(key: Key) =>
  shape<Within<Key>>(
    table.flatMap(([, setting]) => {
      const { configured } = setting;
      return typeof configured === 'object' && configured[0] === key ? [[configured[1], setting] as const] : [];
    }),
  );

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
  require: requirements
    .describe(
      'requirements of robust gate: "<suite | attack | overall | clean>.<figure> <= <limit>", or that with its level',
    )
    .optional(),
  thresholds: z
    .record(z.string(), threshold)
    .describe('the former spelling of require, read for one more version')
    .meta({ deprecated: true })
    .optional(),
  waivers: z.array(waiver).describe('requirements that may be violated for a while').optional(),
  baseline: z.strictObject(within('baseline')).describe('an earlier run that the gate compares with').optional(),
});

/** A configuration as it is written. */
export type Config = z.input<typeof configSchema>;

/** A configuration as it was parsed. */
export type ConfigValues = z.output<typeof configSchema>;

/** The published schema: draft 2020-12, for editors. */
export const configJsonSchema = () => ({
  $id: 'https://unpkg.com/robust-text/schemas/robust.config.schema.json',
  title: 'robust configuration',
  ...z.toJSONSchema(configSchema, { io: 'input' }),
});
