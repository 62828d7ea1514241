/** @file Parses a configuration by its schema and reports every problem at once, each with its place. */
import type { z } from 'zod';
import { UsageError } from '../core/errors.js';
import { nearest } from '../core/suggest.js';
import { type ParsedConfig, type Path, positionText } from './parsed-config.js';
import { type ConfigValues, configJsonSchema, configSchema } from './schema.js';
import { memberOf, type Setting } from './setting.js';
import { configurable } from './settings/index.js';

type Issue = z.core.$ZodIssue;

interface Problem {
  readonly path: Path;
  /** It is the key that is wrong. */
  readonly key: boolean;
  readonly message: string;
}

/** The values of a file, parsed, without defaults. Throws UsageError naming every problem, in the order of the file. */
export function parseConfig(written: ParsedConfig, name: string): ConfigValues {
  const result = configSchema.safeParse(written.value);
  if (result.success) return pickKeys(result.data, written.value);
  const lines = result.error.issues
    .flatMap((issue) => problems(issue, [], written.value))
    .map((problem) => ({ ...problem, place: written.place(problem.path, problem.key) }))
    .sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column)
    .map(({ place, path, key, message }) => {
      const where = key || path.length === 0 ? '' : `${path.join('.')}: `;
      return `${positionText(name, place)}: ${where}${message}`;
    });
  throw new UsageError(lines.join('\n'), {
    code: 'CONFIG_INVALID',
    hint: 'See robust config show --help, or the "$schema" line that robust init writes: editors then complete keys.',
  });
}

/** `parsed` without the keys that `written` lacks, which have their defaults. */
const pickKeys = (parsed: object, written: unknown): object =>
  Object.fromEntries(
    Object.entries(parsed).flatMap(([key, value]) => {
      const raw = memberOf(written, key);
      if (raw === undefined) return [];
      return [[key, key === 'baseline' ? pickKeys(value, raw) : value]];
    }),
  );

/** Throws UsageError where an address or a header refers to an environment variable that this file does not list. */
export function checkVariables(written: ParsedConfig, values: ConfigValues, name: string): void {
  for (const [key, { expands }] of Object.entries<Setting>(configurable)) {
    if (!expands) continue;
    for (const text of [memberOf(values, key) ?? []].flat()) {
      const missing = [...String(text).matchAll(/\$\{([A-Za-z_]\w*)\}/g)].find(
        ([, each]) => !values.variables?.includes(each!),
      );
      if (missing === undefined) continue;
      throw new UsageError(
        `${positionText(name, written.place([key]))}: ${key}: expected a variable that the file lists, got ${missing[0]}`,
        {
          code: 'VARIABLE_NOT_LISTED',
          hint: `If the endpoint may have its value, list it in the file: variables: [${[...(values.variables ?? []), missing[1]].join(', ')}]`,
        },
      );
    }
  }
}

function problems(issue: Issue, prefix: Path, root: unknown): Problem[] {
  const path = [...prefix, ...issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))];
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(path);
    return issue.keys.map((key) => ({ path: [...path, key], key: true, message: unknownKey(key, known) }));
  }
  if (issue.code === 'invalid_union') {
    // The branch that understood most of it says best what is wrong.
    const depth = (branch: readonly Issue[]): number =>
      Math.max(0, ...branch.map((each) => each.path.length + (each.code === 'unrecognized_keys' ? 1 : 0)));
    const best = issue.errors.toSorted((a, b) => depth(b) - depth(a))[0];
    if (best !== undefined && depth(best) > 0) return best.flatMap((each) => problems(each, path, root));
  }
  const value = path.reduce(memberOf, root);
  return [{ path, key: false, message: expectationOf(issue.message, value) }];
}

function expectationOf(message: string, value: unknown): string {
  const expected = message
    .replace(/^Invalid (?:input|option): /, '')
    .replace(/^Too (?:small|big): expected /, 'expected ')
    .replace(/, received .*$/, '')
    .replaceAll('"|"', '", "');
  if (/\bgot\b|^contradictory/.test(expected)) return expected;
  const got = value === undefined ? 'nothing' : JSON.stringify(value);
  return `${expected}, got ${got.length > 80 ? `${got.slice(0, 80)}...` : got}`;
}

function unknownKey(key: string, known: readonly string[]): string {
  const near = nearest(key, known);
  return `unknown key "${key}"${near === undefined ? `; known: ${known.join(', ')}` : `; did you mean "${near}"?`}`;
}

/** The keys that the schema knows there. */
function keysAt(path: Path): string[] {
  type Shape = {
    properties?: Record<string, Shape>;
    items?: Shape | false;
    anyOf?: Shape[];
    prefixItems?: Shape[];
    additionalProperties?: Shape | boolean;
  };
  let shapes: Shape[] = [configJsonSchema() as Shape];
  for (const step of path) {
    shapes = shapes
      .flatMap((shape) => [shape, ...(shape.anyOf ?? [])])
      .flatMap((shape) => {
        const inner =
          typeof step === 'number'
            ? (shape.prefixItems?.[step] ?? shape.items)
            : (shape.properties?.[step] ?? shape.additionalProperties);
        return typeof inner === 'object' ? [inner] : [];
      });
  }
  return shapes
    .flatMap((shape) => [shape, ...(shape.anyOf ?? [])])
    .flatMap(({ properties = {} }) => Object.keys(properties));
}
