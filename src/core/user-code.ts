/**
 * @file The boundary to code of the user's own, of every kind: what it throws is a RobustError that names the module, what was asked of it, the
 * text and the line, and never a defect of robust.
 */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf, RobustError } from './errors.js';
import { packageRoot } from './package-root.js';

/** An error that ends a search or a request, not a fault of the code that it passes through. */
export class Passing extends Error {}

/** File -> the name under which the user gave it. */
const loaded = new Map<string, string>();

/** Remembers a file of the user's that runs from now on. */
export const noteUserFile = (file: string, spec: string): unknown => loaded.set(file, spec);

/** The frames of a stack outside Node: file, line and column. */
function framesOf(thrown: unknown): { readonly file: string; readonly at: string }[] {
  const stack = thrown instanceof Error ? (thrown.stack ?? '') : '';
  return [...stack.matchAll(/(?:\(|at (?:async )?)((?:file:\/\/|\/|[A-Za-z]:[\\/])[^\n()]*?):(\d+:\d+)\)?$/gm)].map(
    ([, path = '', at = '']) => ({ file: path.startsWith('file:') ? fileOf(path) : path, at }),
  );
}

function fileOf(url: string): string {
  try {
    return fileURLToPath(url.replace(/[?#].*$/, ''));
  } catch {
    return url;
  }
}

const isTheirs = ({ file }: { readonly file: string }): boolean =>
  !/^(?:dist|src|attacks|datasets|reports|bin|node_modules)[\\/]/.test(relative(packageRoot, file));

/** The line of the user's code that threw; empty where the stack does not tell. */
function placeOf(thrown: unknown): string {
  const frames = framesOf(thrown);
  const { file, at } = frames.find((frame) => loaded.has(frame.file)) ?? frames.find(isTheirs) ?? {};
  return file === undefined ? '' : ` (${file.startsWith(process.cwd()) ? relative('.', file) : file}:${at})`;
}

/** `asked`: what the code was to do. An error that robust threw itself, which passed through the code, stays. */
export function userError(spec: string, asked: string, thrown: unknown): Error {
  if (thrown instanceof RobustError || thrown instanceof Passing) return thrown;
  return new RobustError(`${spec}${asked}: ${messageOf(thrown)}${placeOf(thrown)}`, {
    code: 'PLUGIN_DAMAGED',
    hint: 'Mend the module; --verbose shows the stack.',
    cause: thrown,
  });
}

/** The user's names of the code that calls, by its stack; of all that was loaded where that tells none; empty where nothing was. */
export function callingCode(): string {
  if (loaded.size === 0) return '';
  const own = framesOf(new Error('calls')).find(({ file }) => loaded.has(file));
  return [...new Set(own ? [loaded.get(own.file)] : loaded.values())].join(' or ');
}

/** What is thrown where nobody waits for it, if a module of the user's did: by its stack, or because that names no file of robust's. */
export function lateUserError(thrown: unknown): Error | undefined {
  if (loaded.size === 0 || thrown instanceof RobustError) return undefined;
  const frames = framesOf(thrown);
  const own = frames.find(({ file }) => loaded.has(file));
  if (own === undefined && !frames.every(isTheirs)) return undefined;
  const named = own ? [loaded.get(own.file)] : new Set(loaded.values());
  return userError([...named].join(' or '), ' threw where nothing waits for it', thrown);
}

/** The first text among the arguments of a call, to find the example by. */
function textIn(given: unknown): string | undefined {
  if (typeof given === 'string') return given;
  if (Array.isArray(given)) return textIn(given[0]);
  return typeof given === 'object' && given !== null && 'text' in given ? textIn(given.text) : undefined;
}

const SHOWN = 80;

function about(name: string, args: readonly unknown[]): string {
  const text = args.map(textIn).find((each) => each !== undefined);
  const shown =
    text === undefined ? '' : ` of ${JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}...` : text)}`;
  return `: ${name}${shown}`;
}

type Callable = (...args: unknown[]) => unknown;

const isIterable = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value);
const isText = (value: unknown): boolean => typeof value === 'string';
const isTextOrNone = (value: unknown): boolean => value === undefined || isText(value);

/** What members give at once; of the others the caller checks it, or nothing depends on it. */
const RESULTS: Readonly<Record<string, readonly [is: (value: unknown) => boolean, what: string]>> = {
  create: [(value) => typeof value === 'object' && value !== null && !(value instanceof Promise), 'an object'],
  rewrite: [isText, 'a string'],
  trigger: [isTextOrNone, 'a string or undefined'],
  decoy: [isTextOrNone, 'a string or undefined'],
  reached: [(value) => typeof value === 'boolean', 'true or false'],
  score: [(value) => typeof value === 'number', 'a number'],
  tokenize: [(value) => Array.isArray(value) && value.every(isText), 'a list of strings'],
  rows: [isIterable, 'rows to iterate over'],
  render: [(value) => isText(value) || isIterable(value), 'pieces of text to iterate over'],
};

/** The code with its functions behind the boundary, those of what `create` makes too. `spec`: the user's name for it. */
export function guarded<T>(code: T, spec: string): T {
  if (Array.isArray(code)) return (typeof code[0] === 'object' ? code.map((each) => guarded(each, spec)) : code) as T;
  if (!isPlain(code)) return code;
  const copy = Object.create(Object.getPrototypeOf(code)) as T & object;
  for (const name of memberNames(code)) {
    const of = (): unknown => code[name as keyof typeof code];
    const given = of();
    const value = typeof given === 'function' ? behind(given as Callable, code, name, spec) : guarded(given, spec);
    const { get } = Object.getOwnPropertyDescriptor(code, name) ?? {};
    Object.defineProperty(copy, name, { enumerable: true, configurable: true, ...(get ? { get: of } : { value }) });
  }
  return copy;
}

/** Whether it is an object of the user's, and not one of the language or of a library, which need themselves as `this`. */
function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || '_zod' in value || ArrayBuffer.isView(value)) return false;
  return ![Map, Set, WeakMap, Date, RegExp, Promise].some((native) => value instanceof native);
}

function memberNames(code: object): Set<string> {
  const names = new Set<string>();
  for (let at: object | null = code; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const name of Object.getOwnPropertyNames(at)) if (name !== 'constructor') names.add(name);
  return names;
}

function behind(call: Callable, self: object, name: string, spec: string): Callable {
  const result = RESULTS[name];
  return (...args) => {
    const fault = (thrown: unknown): Error => userError(spec, about(name, args), thrown);
    try {
      const answer = call.apply(self, args);
      if (result !== undefined && !result[0](answer)) {
        if (answer instanceof Promise) answer.catch(() => {});
        throw new TypeError(`expected ${result[1]}, got ${answer instanceof Promise ? 'a promise' : show(answer)}`);
      }
      if (name === 'create') return guarded(answer, spec);
      if (answer instanceof Promise)
        return answer.catch((thrown: unknown) => {
          throw fault(thrown);
        });
      if (typeof answer !== 'object' || answer === null || !('next' in answer)) return answer;
      return Symbol.asyncIterator in answer
        ? laterOnes(answer as AsyncIterable<unknown>, name, spec)
        : each(answer as unknown as Iterable<unknown>, name, spec);
    } catch (thrown) {
      throw fault(thrown);
    }
  };
}

const show = (value: unknown): string => (JSON.stringify(value) ?? typeof value).slice(0, 40);

function* each(values: Iterable<unknown>, name: string, spec: string): Generator<unknown> {
  let count = 0;
  try {
    for (const value of values) {
      count++;
      yield value;
    }
  } catch (thrown) {
    throw userError(spec, `: ${name} after ${count}`, thrown);
  }
}

async function* laterOnes(values: AsyncIterable<unknown>, name: string, spec: string): AsyncGenerator<unknown> {
  let count = 0;
  try {
    for await (const value of values) {
      count++;
      yield value;
    }
  } catch (thrown) {
    throw userError(spec, `: ${name} after ${count}`, thrown);
  }
}
