/** @file Reads a value by its schema. What does not fit is stated as all errors are: expected, got, where; never in zod's sentences. */
import type { z } from 'zod';
import { isObject } from './json.js';
import { nearest } from './suggest.js';

type Issue = z.core.$ZodIssue;

/** A mistake at one place of a value. */
export interface Fault {
  readonly path: readonly (string | number)[];
  /** The last step is a key that the schema does not know. */
  readonly key: boolean;
  readonly message: string;
}

export type ReadBy<T> =
  | { readonly success: true; readonly data: T }
  | { readonly success: false; readonly faults: readonly [Fault, ...Fault[]]; readonly cause: z.ZodError };

export function readBy<S extends z.ZodType>(schema: S, value: unknown): ReadBy<z.output<S>> {
  const { success, data, error } = schema.safeParse(value, { error: expectation });
  if (success) return { success, data };
  return { success, faults: error.issues.flatMap((issue) => faultsIn(issue, value)) as [Fault], cause: error };
}

/** `steps: expected at most 20, got 50`. `whole`: what the value is called where the fault is in no part of it. */
export const faultText = ({ path, key, message }: Fault, whole = ''): string => {
  const where = (key ? path.slice(0, -1) : path).join('.') || whole;
  return where === '' ? message : `${where}: ${message}`;
};

export const faultTexts = (faults: readonly Fault[], whole?: string): string =>
  faults.map((fault) => faultText(fault, whole)).join('; ');

/** The member of a map or a list, or undefined. */
export const memberOf = (value: unknown, key: PropertyKey): unknown =>
  value instanceof Map
    ? value.get(key)
    : typeof value === 'object' && value !== null
      ? Reflect.get(value, key)
      : undefined;

function faultsIn(issue: Issue, root: unknown, before: Fault['path'] = []): Fault[] {
  const path = [...before, ...issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))];
  if (issue.code === 'unrecognized_keys') {
    const messages = issue.message.split('\n');
    return issue.keys.map((key, at) => ({ path: [...path, key], key: true, message: messages[at] ?? issue.message }));
  }
  const meant = issue.code === 'invalid_union' ? meantBranch(issue.errors) : undefined;
  if (meant !== undefined) return meant.flatMap((each) => faultsIn(each, root, path));
  const { message } = issue;
  const whole = !message.startsWith('expected') || /\bgot\b/.test(message);
  const got = issue.code === 'invalid_key' ? path.at(-1) : path.reduce(memberOf, root);
  return [{ path, key: false, message: whole ? message : `${message}, got ${shown(got)}` }];
}

/**
 * The branch of a union that understood most of a value: the one whose faults lie deepest, and of those the one with the fewest. None where
 * all refuse it as a whole, or equally.
 */
function meantBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const rank = (branch: readonly Issue[]): number => depth(branch) - branch.length / (branch.length + 1);
  const [best = [], second = []] = branches.toSorted((a, b) => rank(b) - rank(a));
  return depth(best) === 0 || rank(best) === rank(second) ? undefined : best;
}

const depth = (branch: readonly Issue[]): number =>
  Math.max(0, ...branch.map(({ path, code }) => path.length + (code === 'unrecognized_keys' ? 1 : 0)));

/** Characters of a value that a message shows. */
const SHOWN = 80;

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? `a ${typeof value}`);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}...` : text;
}

/** Type in zod -> its name in messages. */
const TYPES: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  nan: 'NaN',
  never: 'nothing',
  nonoptional: 'a value',
  null: 'null',
  object: 'an object',
  record: 'an object',
  tuple: 'a list',
  undefined: 'nothing',
};

/** Parts of a value that its size counts, by what zod calls its type. Sizes of other types are numbers. */
const PARTS: Readonly<Record<string, string>> = {
  string: 'character',
  array: 'item',
  set: 'item',
  map: 'entry',
  record: 'key',
  file: 'byte',
};

/** The message of an issue whose schema states none. Unknown keys get a line each. */
function expectation(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${TYPES[issue.expected] ?? `a ${issue.expected}`}`;
    case 'invalid_value':
      return `expected ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(shown).join(', ')}`;
    case 'too_big':
      return `expected ${bound(issue, issue.inclusive === false ? 'less than' : 'at most', issue.maximum)}`;
    case 'too_small':
      return `expected ${bound(issue, issue.inclusive === false ? 'more than' : 'at least', issue.minimum)}`;
    case 'not_multiple_of':
      return `expected a multiple of ${issue.divisor}`;
    case 'invalid_format':
      return `expected ${form(issue)}`;
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownKey(key, keysOf(issue.inst))).join('\n');
    case 'invalid_union':
      return `expected ${choices(issue)}`;
    case 'invalid_key':
      return issue.issues[0]?.message ?? 'expected another key';
    case 'invalid_element':
      return `an element: ${issue.issues[0]?.message ?? 'expected another'}`;
    default:
      return 'expected another value';
  }
}

function bound({ origin, exact }: { origin: string; exact?: boolean }, limit: string, size: number | bigint): string {
  const part = PARTS[origin];
  const counted = part === undefined ? '' : ` ${size === 1 ? part : part.replace(/y?$/, (y) => (y ? 'ies' : 's'))}`;
  return `${exact ? 'exactly' : limit} ${size}${counted}`;
}

const form = ({
  format,
  pattern,
  prefix,
  suffix,
  includes,
}: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidStringFormat>) => {
  if (prefix !== undefined) return `text that begins with "${prefix}"`;
  if (suffix !== undefined) return `text that ends with "${suffix}"`;
  if (includes !== undefined) return `text with "${includes}" in it`;
  return format === 'regex' ? `text of the form ${pattern}` : `text of the form "${format}"`;
};

/** The choices of a union, or the values of the key by which its branches differ. */
function choices({ options, errors }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  if (Array.isArray(options) && options.length > 0) return `one of ${options.map(shown).join(', ')}`;
  const keys = (errors ?? []).map(([first]) => first?.path[0]);
  if (keys.length > 0 && keys.every((key) => key !== undefined))
    return `an object with one of ${[...new Set(keys)].join(', ')}`;
  const taken = (errors ?? []).flatMap(([first]) => first?.message.replace(/^expected (one of )?/, '') ?? []);
  return [...new Set(taken)].join(' or ') || 'one choice';
}

const keysOf = (schema: unknown): string[] => {
  const shape = (schema as z.core.$ZodObject | undefined)?._zod.def.shape;
  return Object.keys(shape ?? {});
};

function unknownKey(key: string, known: readonly string[]): string {
  const near = nearest(key, known);
  if (near !== undefined) return `unknown key "${key}"; did you mean "${near}"?`;
  return `unknown key "${key}"${known.length === 0 ? '' : `; known: ${known.join(', ')}`}`;
}

/** The message of a union of a value and a map: what is wrong with the value, unless a map was given. */
export const faultOfFirst: z.core.$ZodErrorMap<z.core.$ZodIssueInvalidUnion> = ({ input, errors }) =>
  isObject(input) ? undefined : errors[0]?.[0]?.message;
