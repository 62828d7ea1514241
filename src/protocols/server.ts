/** @file The server end of a protocol: routes, the shape of its errors, the path of a model; and how requests are read and refused. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Decision } from '../core/decision.js';
import { PAIR_SEPARATOR } from '../core/pair.js';
import type { TagObserver } from '../core/tags/evidence.js';
import { excerpt, isObject, type JsonObject } from './json.js';

/** The scores that a server can answer: softmax of `logits` is `probabilities`, or sigmoid of each if several labels may hold. */
export type ServedScores = 'probabilities' | 'logits';

/** Kinds of models that not every protocol supports. */
export type ServedKind = 'pairs' | 'label-sets' | 'numbers' | 'spans';

/** The classifier that is served. */
export interface ServedModel {
  readonly name: string;
  /** SHA-256, hex, over everything that changes its answers. */
  readonly sha256: string;
  /** In column order. */
  readonly labels: readonly string[];
  /** Most tokens of a text; the rest is cut off. Infinity if only the model knows. */
  readonly maximumTokens: number;
  /** The meaning of its scores; absent if the most probable label is the prediction. */
  readonly decision?: Decision;
  /** How it differs from a model of one label for one text. @default not at all */
  readonly kinds?: readonly ServedKind[];
  /** Facts for robust's own clients: decision, columns, pairs, the activation that makes probabilities of logits. */
  readonly announced?: object;
  /** One row per text, one column per label. Texts of several requests share batches. */
  scores(texts: readonly string[], kind: ServedScores): Promise<readonly Float32Array[]>;
  /** Present on a model that tags, whose rows are of whole texts: the spans that it finds. */
  readonly spans?: TagObserver;
  /** Present on a pipeline: the stages that flag a text. */
  flaggedBy?(text: string): Promise<readonly string[]>;
}

/** The settings of a server, as its protocols see them. */
export interface ServingChoice {
  readonly model: ServedModel;
  /** The kind of scores if a request does not name one. */
  readonly kind: ServedScores;
  /** Type of scores in KServe V2; half precision is sent as bytes only. */
  readonly datatype: 'FP32' | 'FP16';
  /** Most texts of one request. */
  readonly maxBatch: number;
  readonly toolVersion: string;
}

export interface ServedRequest {
  /** The groups that the route's path matched, decoded. */
  readonly groups: readonly (string | undefined)[];
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** The body. Throws Refusal 400 unless it is a JSON object. */
  json(): JsonObject;
  /** Rows of scores, once there is room for the texts. Throws Refusal 413, 429, 503. */
  ask(texts: readonly string[], kind: ServedScores): Promise<readonly Float32Array[]>;
}

/** A body that is not JSON, with its headers. */
export interface RawReply {
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

export interface ServedRoute {
  readonly method: 'GET' | 'POST';
  /** Matches the whole path. */
  readonly path: RegExp;
  answer(request: ServedRequest): Promise<object | RawReply> | object;
}

export interface ServerEnd {
  /** The kinds of models it supports besides one label for one text. @default none */
  readonly carries?: readonly ServedKind[];
  /** The facts that clients of robust learn from it; `all`: the labels, the decision and the columns. @default nothing */
  readonly announces?: 'all' | 'labels';
  routes(choice: ServingChoice): readonly ServedRoute[];
  /** The body of a refusal. @default an object with the message as `error` */
  error?(refusal: Refusal): object;
  /** Where clients of the protocol find the model, below the server's address. `model`: encoded for a path. */
  path?(model: string): string;
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

/** Throws Refusal 404 unless a request names this model. */
export function checkName(name: unknown, model: ServedModel): void {
  if (name !== model.name) throw new Refusal(404, `expected the model "${model.name}", got "${name ?? ''}"`);
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

/** A text, or a list of them. */
export function textsAt(value: unknown, where: string): string[] {
  return typeof value === 'string'
    ? [textAt(value, where)]
    : listAt(value, where).map((each, at) => textAt(each, `${where}[${at}]`));
}

/** Two texts that are read together, joined as models take them. */
export const pairAt = (first: unknown, second: unknown, where: string): string =>
  `${textAt(first, where)}${PAIR_SEPARATOR}${textAt(second, where)}`;

/** A whole number of at least 1. */
export function countAt(value: unknown, where: string): number {
  if (Number.isInteger(value) && (value as number) >= 1) return value as number;
  throw new Refusal(400, `${where}: expected a whole number of at least 1, got ${excerpt(value)}`);
}
