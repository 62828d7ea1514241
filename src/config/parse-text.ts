/** @file The value of a setting that text on the command line or in a variable means. */
import { z } from 'zod';
import { RobustError } from '../core/errors.js';
import { getOrCompute } from '../core/get-or-compute.js';
import { readBy } from '../core/read-by.js';
import type { Setting } from './setting.js';

/** A setting's type as JSON Schema states it. */
export interface JsonType {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly default?: unknown;
  readonly items?: JsonType;
  readonly anyOf?: readonly JsonType[];
}

/** A flag's type is asked for each of its options. */
const types = new WeakMap<Setting['schema'], JsonType>();
export const jsonType = ({ schema }: Setting): JsonType =>
  getOrCompute(types, schema, () => z.toJSONSchema(schema, { io: 'input' }) as JsonType);

/** The value that text on the command line means. Throws RobustError. */
export function parseText(flag: string, written: string, kind: JsonType, { schema }: Setting): unknown {
  if (kind.type === 'object') return pair(flag, written);
  const number = kind.type === 'number' || kind.type === 'integer';
  const numbers =
    kind.anyOf?.some(({ items }) => items?.type === 'number') && !kind.anyOf.some((each) => each.const === written);
  const value =
    kind.type === 'integer' && !/^\d+$/.test(written)
      ? Number.NaN
      : number
        ? numberOf(written)
        : numbers
          ? written.split(/[\s,]+/).map(numberOf)
          : written;
  const read = readBy(schema, value);
  if (read.success) return value;
  const expected = read.faults[0].message.replace(/^expected /, '').replace(/, got .*$/s, '');
  throw new RobustError(`expected --${flag} to be ${expected}, got "${written}"`, { code: 'FLAG_INVALID' });
}

/** A number in decimal digits. NaN for any other text, such as 0x10 or an empty one. */
const numberOf = (written: string): number =>
  /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(written.trim()) ? Number(written) : Number.NaN;

/** `data=model`, split at the first equals sign. Throws RobustError for several pairs, which would be one pair with a strange label. */
function pair(flag: string, written: string): readonly [string, string] {
  const at = written.indexOf('=');
  const [first, ...more] = written.slice(at + 1).split(/,\s*(?=[^,=]+=)/);
  if (at > 0 && more.length > 0) {
    const pairs = [`${written.slice(0, at)}=${first}`, ...more];
    throw new RobustError(`expected --${flag} to be one pair data=model, got "${written}"`, {
      code: 'FLAG_INVALID',
      hint: `Repeat the flag: ${pairs.map((each) => `--${flag} "${each}"`).join(' ')}. A label with a comma and an equals sign needs a configuration file.`,
    });
  }
  if (at > 0 && at < written.length - 1) return [written.slice(0, at), written.slice(at + 1)];
  throw new RobustError(`expected --${flag} to be data=model, got "${written}"`, { code: 'FLAG_INVALID' });
}
