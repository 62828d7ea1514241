/** @file What is served, how requests are read, and how they are refused. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Decision } from '../core/decision.js';
import { PAIR_SEPARATOR } from '../core/pair.js';
import { excerpt, isObject, type JsonObject } from '../protocols/json.js';

/** The classifier that is served. */
export interface ServedModel {
  readonly name: string;
  /** SHA-256, hex, over everything that changes its answers. */
  readonly sha256: string;
  /** In column order. */
  readonly labels: readonly string[];
  /** The meaning of its scores; absent if the most probable label is the prediction. */
  readonly decision?: Decision;
  /** It reads pairs of texts. */
  readonly pairs?: true;
  /** Facts for robust's own clients: labels, decision, columns. */
  readonly announced?: object;
  /** One row per text, one column per label. Texts of several requests share batches. */
  scores(texts: readonly string[]): Promise<readonly Float32Array[]>;
}

export interface ServedRequest {
  /** The groups that the route's path matched, decoded. */
  readonly groups: readonly (string | undefined)[];
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** The body. Throws Refusal 400 unless it is a JSON object. */
  json(): JsonObject;
  /** Rows of scores, once there is room for the texts. Throws Refusal 413, 429, 503. */
  ask(texts: readonly string[]): Promise<readonly Float32Array[]>;
}

/** A body that is not JSON, with its headers. */
export interface RawReply {
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

export interface ServedRoute {
  readonly protocol: string;
  readonly method: 'GET' | 'POST';
  /** Matches the whole path. */
  readonly path: RegExp;
  answer(request: ServedRequest): Promise<object | RawReply> | object;
}

/** A request that the server does not fulfil. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** Seconds. */
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

/** For JSON: a number of single precision is one of double precision too, so the client reads the same bits. */
export const numbers = (row: Float32Array): number[] => Array.from(row);

/** Throws Refusal 400, as all readers below. */
export function textAt(value: unknown, where: string): string {
  if (typeof value !== 'string') throw new Refusal(400, `${where}: expected a text, got ${excerpt(value)}`);
  if (value.includes(PAIR_SEPARATOR)) {
    throw new Refusal(400, `${where}: expected a text of Unicode characters, got the noncharacter U+FDD0`);
  }
  return value;
}

export function listAt(value: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Refusal(400, `${where}: expected a list, got ${excerpt(value)}`);
  return value;
}

export function objectAt(value: unknown, where: string): JsonObject {
  if (isObject(value)) return value;
  throw new Refusal(400, `${where}: expected an object, got ${excerpt(value)}`);
}

/** Two texts that are read together, joined as models take them. */
export const pairAt = (first: unknown, second: unknown, where: string): string =>
  `${textAt(first, where)}${PAIR_SEPARATOR}${textAt(second, where)}`;

/** A whole number of at least 1. */
export function countAt(value: unknown, where: string): number {
  if (Number.isInteger(value) && (value as number) >= 1) return value as number;
  throw new Refusal(400, `${where}: expected a whole number of at least 1, got ${excerpt(value)}`);
}
