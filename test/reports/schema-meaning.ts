/**
 * Constraints of a JSON Schema as lines that can be compared: one per place, with `?` where it may be absent, its types and limits.
 * References are followed and annotations dropped, so two schemas with the same lines accept the same documents.
 */

type Schema = Readonly<Record<string, unknown>>;

const ANNOTATIONS = ['$schema', '$id', 'title', 'description', '$defs', 'propertyNames', 'if', 'then', 'else'];
const STRUCTURE = ['$ref', 'type', 'enum', 'const', 'properties', 'required', 'additionalProperties'];
const NESTED = ['items', 'prefixItems', 'oneOf', 'anyOf'];
const LIMITS = ['minimum', 'maximum', 'exclusiveMinimum', 'minItems', 'maxItems', 'minLength', 'pattern', 'format'];
const KNOWN = new Set([...ANNOTATIONS, ...STRUCTURE, ...NESTED, ...LIMITS]);

/** Throws for a keyword whose meaning it does not know, rather than ignoring it. */
export function meaningOf(schema: Schema): string[] {
  const definitions = (schema.$defs ?? {}) as Readonly<Record<string, Schema>>;
  /** Description -> its first place. */
  const seen = new Map<string, string>();

  function resolve(given: Schema): Schema {
    for (const keyword of Object.keys(given)) if (!KNOWN.has(keyword)) throw new Error(`unknown keyword ${keyword}`);
    if (typeof given.$ref !== 'string') return given;
    const { $ref, ...others } = given;
    return { ...resolve(definitions[($ref as string).replace('#/$defs/', '')] as Schema), ...others };
  }

  /** The types at `path`, then a line for each place within. */
  function describe(given: Schema, path: string, above: readonly unknown[]): string[] {
    const own = given.$ref ?? given;
    if (above.includes(own)) return [`${path}: as around it`];
    const of = resolve(given);
    const choices = [of.oneOf ?? of.anyOf ?? [of]].flat().map((each) => resolve(each as Schema));
    const within = choices.flatMap((choice) =>
      placesIn(choice).flatMap(([name, place]) => describe(place, `${path}${name}`, [...above, own])),
    );
    const types = [...new Set(choices.flatMap(kinds))].sort().join(' | ');
    const relative = within.map((line) => line.slice(path.length));
    // An object of plain values, such as a rate, is one line.
    if (within.length > 1 && relative.every((line) => /^\.\w+\??: [^{]*$/.test(line)))
      return [`${path}: { ${relative.map((line) => line.slice(1)).join('; ')} }`];
    if (within.length < 3) return [`${path}: ${types}`, ...within];
    const first = seen.get(relative.join('\n'));
    if (first !== undefined) return [`${path}: as ${first}`];
    seen.set(relative.join('\n'), path);
    return [`${path}: ${types}`, ...within];
  }

  function placesIn(of: Schema): [string, Schema][] {
    const properties = Object.entries((of.properties ?? {}) as Readonly<Record<string, Schema>>).sort();
    const required = [of.required ?? []].flat();
    const items = [of.prefixItems ?? of.items ?? []].flat() as Schema[];
    const { additionalProperties: others } = of;
    return [
      ...properties.map(([name, each]): [string, Schema] => [`.${name}${required.includes(name) ? '' : '?'}`, each]),
      ...items.map((each, at): [string, Schema] => [`[${of.prefixItems ? at : ''}]`, each]),
      ...(typeof others === 'object' && Object.keys(others as Schema).length > 0
        ? [['{}', others as Schema] as [string, Schema]]
        : []),
    ];
  }

  return describe(schema, '', []);
}

/** Its types, each with the limits that apply to it, or its values. */
function kinds(of: Schema): string[] {
  const limits = LIMITS.flatMap((name) => (of[name] === undefined ? [] : [`${name} ${of[name]}`])).join(', ');
  if ('const' in of) return [JSON.stringify(of.const)];
  if (Array.isArray(of.enum)) return of.enum.map((each) => JSON.stringify(each));
  return [of.type ?? 'anything']
    .flat()
    .map((type) => (limits === '' || type === 'null' ? `${type}` : `${type} (${limits})`));
}
