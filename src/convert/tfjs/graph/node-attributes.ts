/** @file The attributes of one node of TensorFlow, as JSON: { "T": { "type": "DT_FLOAT" }, "axis": { "i": "1" } }. Texts are base64. */
import { isObject, type JsonObject } from '../../../core/json.js';
import { malformed } from '../refusal.js';
import type { ElementType } from './value.js';

/** types.proto, by name or number; those that TF.js reads as one type are one here too. */
const TYPES: readonly (readonly [ElementType, readonly unknown[]])[] = [
  ['float', ['DT_FLOAT', 'DT_DOUBLE', 'DT_HALF', 1, 2, 19]],
  ['int', ['DT_INT32', 'DT_INT64', 'DT_INT8', 'DT_UINT8', 3, 9, 6, 4]],
  ['bool', ['DT_BOOL', 10]],
];

export class NodeAttributes {
  readonly #json: JsonObject;
  /** For errors: file and node. */
  readonly where: string;

  constructor(json: JsonObject, where: string) {
    this.#json = json;
    this.where = where;
  }

  /** A whole number, which JSON of 64-bit integers writes as a text. */
  int(name: string, otherwise: number): number {
    return this.#int(name, this.#value(name, 'i')) ?? otherwise;
  }

  flag(name: string): boolean {
    const value = this.#value(name, 'b') ?? false;
    if (typeof value === 'boolean') return value;
    throw this.#malformed(name);
  }

  float(name: string, otherwise: number): number {
    const value = Number(this.#value(name, 'f') ?? otherwise);
    if (Number.isFinite(value)) return value;
    throw this.#malformed(name);
  }

  text(name: string, otherwise = ''): string {
    const value = this.#value(name, 's');
    return value === undefined ? otherwise : this.#text(name, value);
  }

  ints(name: string): number[] {
    return this.#list(name, 'i').map((each) => this.#int(name, each)!);
  }

  texts(name: string): string[] {
    return this.#list(name, 's').map((each) => this.#text(name, each));
  }

  /** Undefined for a type that is not read. */
  type(name: string): ElementType | undefined {
    const value = this.#value(name, 'type');
    return TYPES.find(([, names]) => names.includes(value))?.[0];
  }

  /** Name of the type in the file, for errors. */
  typeName(name: string): string {
    return String(this.#value(name, 'type') ?? 'none').slice(0, 40);
  }

  /** Sizes, null for any size; undefined if even the rank is unknown. */
  shape(name: string): (number | null)[] | undefined {
    const value = this.#value(name, 'shape');
    if (!isObject(value)) return undefined;
    const { dim = [], unknownRank } = value;
    if (unknownRank === true) return undefined;
    if (!Array.isArray(dim)) throw this.#malformed(name);
    return dim.map((each) => {
      const size = this.#int(name, isObject(each) ? each.size : undefined) ?? -1;
      return size < 0 ? null : size;
    });
  }

  #value(name: string, kind: string): unknown {
    const value = Object.hasOwn(this.#json, name) ? this.#json[name] : undefined;
    return isObject(value) ? value[kind] : undefined;
  }

  #list(name: string, kind: string): readonly unknown[] {
    const list = this.#value(name, 'list');
    const found = isObject(list) ? (list[kind] ?? []) : [];
    if (Array.isArray(found)) return found;
    throw this.#malformed(name);
  }

  #int(name: string, value: unknown): number | undefined {
    if (value === undefined || value === null) return undefined;
    const number = typeof value === 'string' && /^-?\d{1,19}$/.test(value) ? Number(value) : value;
    if (typeof number === 'number' && Number.isInteger(number)) return number;
    throw this.#malformed(name);
  }

  /** Older files hold the bytes one by one. */
  #text(name: string, value: unknown): string {
    if (typeof value === 'string') return Buffer.from(value, 'base64').toString();
    if (Array.isArray(value) && value.every((each) => Number.isInteger(each))) return Buffer.from(value).toString();
    throw this.#malformed(name);
  }

  #malformed(name: string): Error {
    return malformed(this.where, `the attribute ${name} ${JSON.stringify(this.#json[name])?.slice(0, 100)}`);
  }
}
