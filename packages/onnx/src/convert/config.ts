/**
 * @file config.json, read key by key. A key that changes what a model computes is read with the values we know; any other value
 * is refused by name, never guessed.
 */
import { OnnxError } from '../errors.js';
import { isObject, type JsonObject } from '../json.js';
import { isHarmless } from './harmless.js';

/** More layers, heads or groups than any model has: such a graph would not fit into memory. */
const MOST_PARTS = 1024;
/** Larger than any vocabulary, width or number of positions. */
const MOST_ROWS = 2 ** 24;

const WITH_OPTIMUM = 'Export the model to ONNX with optimum-cli where its configuration is right.';

export class ModelConfig {
  readonly #json: JsonObject;
  readonly #defaults: JsonObject;
  /** For errors. */
  readonly path: string;
  readonly #instead: string;
  readonly #asked = new Set<string>();

  /** `defaults` are what the family's config has for keys that the file leaves out, `instead` what to do where a value is refused. */
  constructor(json: JsonObject, path: string, defaults: JsonObject = {}, instead = WITH_OPTIMUM) {
    this.#instead = instead;
    this.#json = json;
    this.#defaults = defaults;
    this.path = path;
  }

  /** Whether the key has a value, its default included, or is null in the file, which some keys use for "none". */
  has(key: string): boolean {
    return !(Object.hasOwn(this.#json, key) && this.#json[key] === null) && this.#value(key) !== undefined;
  }

  /** A width or a number of rows, at least 1. Without `otherwise` the key must be there. Throws OnnxError. */
  size(key: string, otherwise?: number): number {
    return this.#integer(key, 1, MOST_ROWS, otherwise);
  }

  /** A number of layers, heads or groups, at least 1. */
  count(key: string): number {
    return this.#integer(key, 1, MOST_PARTS);
  }

  /** The width of a layer, its heads, and the width of a head, which divides it. */
  heads(widthKey = 'hidden_size', headsKey = 'num_attention_heads') {
    const width = this.size(widthKey);
    const heads = this.count(headsKey);
    if (width % heads !== 0) throw this.refuse(headsKey, `a divisor of ${widthKey} ${width}`);
    return { width, heads, size: width / heads };
  }

  /** A whole number, perhaps below zero: token ids and limits where -1 means none. */
  integer(key: string, otherwise?: number): number {
    return this.#integer(key, -1, MOST_ROWS, otherwise);
  }

  /** The id of padding; undefined where there is none, which some configs write as a number below zero. */
  get padding(): number | undefined {
    const id = this.has('pad_token_id') ? this.integer('pad_token_id') : -1;
    return id < 0 ? undefined : id;
  }

  /** A number above zero. */
  positive(key: string, otherwise?: number): number {
    const value = this.#value(key) ?? otherwise;
    if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value;
    throw this.refuse(key, 'a number above 0');
  }

  /** Any finite number. */
  number(key: string): number {
    const value = this.#value(key);
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    throw this.refuse(key, 'a number');
  }

  /** A list of this many numbers above zero. */
  numbers(key: string, count: number): readonly number[] {
    const value = this.#value(key);
    const fits =
      Array.isArray(value) && value.length === count && value.every((each) => Number.isFinite(each) && each > 0);
    if (fits) return value as number[];
    throw this.refuse(key, `a list of ${count} numbers above 0`);
  }

  flag(key: string, otherwise?: boolean): boolean {
    const value = this.#value(key) ?? otherwise;
    if (typeof value === 'boolean') return value;
    throw this.refuse(key, 'true or false');
  }

  /** One of the values. */
  choice<const T extends string>(key: string, values: readonly T[], otherwise?: T): T {
    const value = this.#value(key) ?? otherwise;
    const found = values.find((each) => each === value);
    if (found !== undefined) return found;
    throw this.refuse(key, values.join(', '));
  }

  /** The keys of the file. */
  keys(): readonly string[] {
    return Object.keys(this.#json);
  }

  /** A text, whatever it says. */
  text(key: string): string {
    const value = this.#value(key);
    if (typeof value === 'string') return value;
    throw this.refuse(key, 'a text');
  }

  /** The keys of the file: asked for so far, known to change nothing (as a key of the family's that did not matter here), and unknown. */
  get options(): Readonly<Record<'read' | 'ignored' | 'unknown', readonly string[]>> {
    const kind = (key: string) => {
      if (this.#asked.has(key)) return 'read';
      return this.#json[key] === null || key in this.#defaults || isHarmless(key) ? 'ignored' : 'unknown';
    };
    const all = (wanted: string) => this.keys().filter((key) => kind(key) === wanted);
    return { read: all('read'), ignored: all('ignored'), unknown: all('unknown') };
  }

  /** The value as the file has it, for keys that are written in several forms. */
  raw(key: string): unknown {
    return this.#value(key);
  }

  /** A list of texts, or texts separated by |. */
  list(key: string): readonly string[] {
    const value = this.#value(key) ?? [];
    if (typeof value === 'string') return value.split('|').map((part) => part.trim().toLowerCase());
    if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
    throw this.refuse(key, 'a list of texts');
  }

  object(key: string): JsonObject | undefined {
    const value = this.#value(key);
    if (value === undefined || isObject(value)) return value;
    throw this.refuse(key, 'an object');
  }

  /** Refuses the key unless it is absent, null, or one of the values: those for which nothing has to be done. */
  only(key: string, ...values: readonly (string | number | boolean)[]): void {
    const value = this.#value(key);
    if (value === undefined || values.some((each) => each === value)) return;
    const parts = Array.isArray(value) ? value : isObject(value) ? Object.keys(value) : [value];
    if (parts.length === 0) return;
    throw this.refuse(key, values.length === 0 ? 'none' : values.map((each) => JSON.stringify(each)).join(' or '));
  }

  /** The error for a value that is not supported. */
  refuse(key: string, supported: string): OnnxError {
    const value = this.#json[key];
    const got = value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 200);
    return new OnnxError(`${this.path}: ${key}: expected ${supported}, got ${got}`, {
      code: 'MODEL_UNSUPPORTED',
      hint: this.#instead,
    });
  }

  #value(key: string): unknown {
    this.#asked.add(key);
    const given = Object.hasOwn(this.#json, key) ? this.#json[key] : undefined;
    return given ?? this.#defaults[key] ?? undefined;
  }

  #integer(key: string, least: number, most: number, otherwise?: number): number {
    const value = this.#value(key) ?? otherwise;
    if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) return value as number;
    throw this.refuse(key, `a whole number from ${least} to ${most}`);
  }
}
