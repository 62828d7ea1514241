/** @file What a protocol is to the server: routes, the shape of its errors, and what names a model behind it. Types, and the one way to refuse. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Decision } from '../core/decision.js';

/** What a model can say of a text: softmax of `logits` is `probabilities`, or sigmoid of each where several labels may hold. */
export type ServedScores = 'probabilities' | 'logits';

/** What not every protocol carries. */
export type ServedKind = 'pairs' | 'label-sets' | 'numbers';

/** The classifier that is served. */
export interface ServedModel {
  readonly name: string;
  /** SHA-256, hex, over everything that changes its answers. */
  readonly sha256: string;
  /** In column order. */
  readonly labels: readonly string[];
  /** Most tokens of a text; the rest is cut off. Infinity where only the model knows. */
  readonly maximumTokens: number;
  /** What its scores mean; absent where the most probable label is meant. */
  readonly decision?: Decision;
  /** What it is beside a model of one label for one text. @default nothing */
  readonly kinds?: readonly ServedKind[];
  /** What robust's own clients are told besides: decision, columns, pairs, what makes probabilities of logits. */
  readonly announced?: object;
  /** One row per text, one column per label. Questions of several requests share batches. */
  scores(texts: readonly string[], kind: ServedScores): Promise<readonly Float32Array[]>;
}

/** What a protocol is told of the server. */
export interface ServingChoice {
  readonly model: ServedModel;
  /** What is answered where a request does not say. */
  readonly kind: ServedScores;
  /** Of scores in KServe V2: half precision is told as bytes alone. */
  readonly datatype: 'FP32' | 'FP16';
  /** Most texts of one request. */
  readonly maxBatch: number;
  readonly toolVersion: string;
}

export interface ServedRequest {
  /** What the groups of the route's path matched, decoded. */
  readonly groups: readonly (string | undefined)[];
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** The body. Throws Refusal 400 for what is no JSON object. */
  json(): JsonBody;
  /** Rows of scores, once there is room for the texts. Throws Refusal 413, 429, 503. */
  ask(texts: readonly string[], kind: ServedScores): Promise<readonly Float32Array[]>;
}

export type JsonBody = Readonly<Record<string, unknown>>;

/** A body that is no JSON, with its headers. */
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

export interface ServedProtocol {
  readonly name: string;
  /** What it carries beside one label for one text. @default nothing */
  readonly carries?: readonly ServedKind[];
  routes(choice: ServingChoice): readonly ServedRoute[];
  /** The body of a refusal. */
  error(refusal: Refusal): object;
  /** The word behind `robust attack --model` for a server at `url`; undefined where a file must describe it. */
  modelAt(url: string, model: ServedModel): string | undefined;
}

/** A request that is not answered as asked. */
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

/** Throws Refusal 404 unless the name in a request is that of the model. */
export function checkName(asked: string | undefined, { name }: ServedModel): void {
  if (asked !== name) throw new Refusal(404, `expected the model "${name}", got "${asked ?? ''}"`);
}

/** As JSON has them: a number of single precision is one of double precision too, so whoever reads it gets the same bits. */
export const numbers = (row: Float32Array): number[] => Array.from(row);
