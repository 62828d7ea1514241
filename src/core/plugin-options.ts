/** @file Parses `-a name:option=value:option=value` into a plugin's options. */
import { z } from 'zod';
import { RobustError } from './errors.js';
import { faultTexts, readBy } from './read-by.js';
import { didYouMean } from './suggest.js';

interface WithOptions {
  readonly name: string;
  readonly options: z.ZodType;
}

/** Option name, kebab-case -> its value as text. */
export type GivenOptions = ReadonlyMap<string, string>;

/** An option of an attack, for `robust list`. */
export interface OptionFacts {
  readonly name: string;
  readonly type: string;
  readonly default: unknown;
  readonly description: string | undefined;
}

/** Splits at each colon that begins an option, so paths and values may contain colons. Throws RobustError. */
export function splitSpec(spec: string): { name: string; given: GivenOptions } {
  const [name = '', ...parts] = spec.split(/:(?=[A-Za-z][\w-]*=)/);
  const malformed = /^([a-z0-9-]+):(.*)$/i.exec(name);
  if (name === '' || (malformed && malformed[1]?.length !== 1))
    throw new RobustError(`expected name or name:option=value, got "${spec}"`, {
      code: 'OPTION_INVALID',
      hint: 'For example: -a deepwordbug:max-edits=10',
    });
  const given = parts.map((part) => {
    const at = part.indexOf('=');
    return [part.slice(0, at).toLowerCase(), part.slice(at + 1)] as const;
  });
  return { name, given: new Map(given) };
}

/** Splits the name of a part, which may give its main option at once: `leak=0.5`. Throws RobustError. */
export function splitPart(spec: string): { head: string; name: string; main: string | undefined; given: GivenOptions } {
  const { name: head, given } = splitSpec(spec);
  const at = head.indexOf('=');
  return at < 0
    ? { head, name: head, main: undefined, given }
    : { head, name: head.slice(0, at), main: head.slice(at + 1), given };
}

/** Identifies an attack with these options in a run; options are in a fixed order. */
export const labelOf = (name: string, given: GivenOptions): string =>
  [name, ...[...given].map(([option, value]) => `${option}=${value}`).sort()].join(':');

export const kebab = (key: string): string => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

type JsonSchema = z.core.JSONSchema.BaseSchema;

const propertiesOf = (plugin: WithOptions): [string, JsonSchema][] =>
  Object.entries(z.toJSONSchema(plugin.options, { io: 'input', unrepresentable: 'any' }).properties ?? {}).flatMap(
    ([key, schema]) => (typeof schema === 'object' ? [[key, schema]] : []),
  );

/** Options of an attack. */
export const optionFacts = (plugin: WithOptions): OptionFacts[] =>
  propertiesOf(plugin).map(([key, schema]) => ({
    name: kebab(key),
    type: schema.enum?.join('|') ?? String(schema.type ?? 'value'),
    default: schema.default,
    description: schema.description,
  }));

/** Validates options with the schema of an attack, a poisoner or a defence. Throws RobustError for unknown options and invalid values. */
export function parseOptions(plugin: WithOptions, given: GivenOptions): Readonly<Record<string, unknown>> {
  const keys = new Map(propertiesOf(plugin).map(([key, schema]) => [kebab(key), { key, schema }]));
  const input: Record<string, unknown> = {};
  for (const [name, text] of given) {
    const known = keys.get(name);
    if (known === undefined)
      throw new RobustError(`${plugin.name} has no option "${name}"`, {
        code: 'OPTION_NOT_FOUND',
        hint: keys.size === 0 ? 'It has none.' : didYouMean(name, [...keys.keys()]),
      });
    input[known.key] = toJsonType(text, known.schema);
  }
  const read = readBy(plugin.options, input);
  if (read.success) return read.data as Readonly<Record<string, unknown>>;
  const faults = read.faults.map((fault) => ({ ...fault, path: fault.path.map(String).map(kebab) }));
  throw new RobustError(`${plugin.name}: ${faultTexts(faults)}`, {
    code: 'OPTION_INVALID',
    hint: `See robust list ${plugin.name}.`,
  });
}

/** Converts text to the JSON type of a schema. Text that does not fit stays text, so the schema rejects it. */
function toJsonType(text: string, schema: JsonSchema): unknown {
  switch (schema.type) {
    case 'number':
    case 'integer':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
    case 'boolean':
      return text === 'true' || text === 'false' ? text === 'true' : text;
    case 'array': {
      const items = schema.items;
      const item = typeof items === 'object' && !Array.isArray(items) ? items : {};
      return text === '' ? [] : text.split(',').map((each) => toJsonType(each, item));
    }
    default:
      return text;
  }
}
