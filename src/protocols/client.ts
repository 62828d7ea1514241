/** @file The client end of a protocol: how an endpoint describes itself, how texts are sent to it, and where its answers hold the scores. */
import type { z } from 'zod';
import { type ErrorCode, type ErrorDetails, ModelError, messageOf } from '../core/errors.js';
import type { TagReading } from '../core/output-reading.js';
import type { TaggedUnits } from '../core/tags/span.js';
import { excerpt, parseAnswer } from './json.js';

/** A text, or both texts of a pair. */
export type Question = readonly [string] | readonly [string, string];

/** The scores of one text in the order of the columns; `refused`: the endpoint declined to answer. */
export type RawRow = readonly number[] | Float32Array | 'refused';

/** Headers by lower-case name. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

export const headerOf = (headers: Headers, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === 'string' ? value : value?.[0];
};

export interface WireAnswer {
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  /** What the bytes say, where it was read on its way. */
  readonly read?: unknown;
}

/** A request, without what all requests to an endpoint share. */
interface AdapterRequest {
  /** @default that of the endpoint */
  readonly url?: string;
  /** @default POST */
  readonly method?: 'POST' | 'PUT';
  /** By lower-case name. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** The meaning of scores; with `labels` each answer is a label alone. */
type AnsweredScores = 'probabilities' | 'logits' | 'labels';

/** Spans that a service answered: each entity of a text is a query (core/tags/tagged-query.ts), and one answer is enough for all. */
export interface AnsweredTags {
  readonly types: readonly string[];
  /** Undefined for a text without an answer, or with one that is forgotten. */
  tags(text: string): TaggedUnits | undefined;
  /** The scores of a query. Undefined as for `tags`. */
  row(query: string): Float32Array | undefined;
}

/** How to query an endpoint that has described itself. */
export interface Adapter {
  /** Column names, if the endpoint gives them. */
  labels(): readonly string[] | undefined;
  /** The meaning of the scores, if the endpoint states it. */
  scores(): AnsweredScores | undefined;
  /** Most texts a request. */
  readonly batch: number;
  /** It takes pairs of texts, or nothing else. */
  readonly pairs?: boolean | 'only';
  /** Present if it answers spans: it is a victim that tags. */
  readonly tags?: AnsweredTags;
  /** Facts that a server of robust adds about its model, unchecked. */
  readonly announced?: unknown;
  /** Most tokens of a text, if the endpoint says so. */
  readonly maximumTokens?: number | undefined;
  /** Model, version, hash. If one of these changes, it is another victim. */
  readonly facts: Readonly<Record<string, string>>;
  request(questions: readonly Question[]): AdapterRequest;
  /** One row a question. Throws PassingFault, UnusableScores. */
  rows(answer: WireAnswer, questions: readonly Question[]): readonly RawRow[];
}

/** The settings of every endpoint that adapters read. */
interface CommonSettings {
  /** The endpoint's name for the model, if its address does not contain it. */
  readonly model?: string | undefined;
  /** Most texts a request. */
  readonly batch?: number | undefined;
  readonly scores?: AnsweredScores | undefined;
  /** Instructions for a chat model. */
  readonly prompt?: string | undefined;
}

/** The input of `connect`. `Own`: settings of the protocol alone. */
export interface EndpointAccess<Own = object> {
  readonly settings: CommonSettings & Own;
  /** The address without a slash at its end, its variables filled in. */
  readonly url: string;
  /** Label names from the robust.json or the command line; they win over the endpoint's. */
  readonly labels: readonly string[] | undefined;
  /** Names of the tensors from the robust.json. */
  readonly input: string | undefined;
  readonly output: string | undefined;
  /** With --task tags: when an entity counts as found. */
  readonly tags?: TagReading | undefined;
  /** An address for messages, without secrets. */
  redact(url: string): string;
  /** The JSON at an address. Throws ModelGone. */
  get(url: string): Promise<unknown>;
  /** As `get`; undefined if the endpoint does not know the address. */
  tryGet(url: string): Promise<unknown>;
}

export interface ClientEnd<Own extends z.ZodRawShape = z.ZodRawShape> {
  /** A prefix of addresses (`prefix+http://...`) besides the protocol's name. */
  readonly prefix?: string;
  /** An endpoint of it is described by a file, since its address is not enough. */
  readonly fileOnly?: true;
  /** A service at one address for everybody: `name:MODEL`. */
  readonly service?: {
    readonly url: string;
    /** The environment variable with the key. */
    readonly variable: string;
    /** The model, org/name, is part of the path. */
    readonly modelInPath?: true;
  };
  /** It answers the setting `prompt` with one of the labels that it is given: a chat model. */
  readonly prompted?: true;
  /** Keys of an endpoint.yaml that only this protocol reads. */
  readonly settings?: Own;
  /** Throws ModelError for an endpoint of another kind. */
  connect(endpoint: EndpointAccess<z.infer<z.ZodObject<Own>>>): Promise<Adapter>;
}

/** A fault that may pass: try again. */
export class PassingFault extends Error {
  /** Milliseconds for which the endpoint wants no requests; undefined if it does not say. */
  readonly wait: number | undefined;
  /** The endpoint gets too many requests. */
  readonly overload: boolean;
  /** Nothing listens there. */
  readonly absent: boolean;
  /** What it is once it did not pass. @default ENDPOINT_UNREACHABLE */
  readonly lasting: ErrorDetails | undefined;

  constructor(
    message: string,
    {
      wait,
      overload = false,
      absent = false,
      lasting,
      cause,
    }: {
      readonly wait?: number | undefined;
      readonly overload?: boolean;
      readonly absent?: boolean;
      readonly lasting?: ErrorDetails;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause });
    this.wait = wait;
    this.overload = overload;
    this.absent = absent;
    this.lasting = lasting;
  }
}

/** A complete answer without usable scores. It may pass; if it does not for one text alone, that text is at fault. */
export class UnusableScores extends PassingFault {}

/** The JSON of an answer. Throws PassingFault if it is not JSON, for example because it was cut short. */
export const jsonOf = ({ bytes }: WireAnswer): unknown =>
  jsonIn(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));

/** As `jsonOf`, of text. */
export function jsonIn(text: string): unknown {
  try {
    return parseAnswer(text);
  } catch (cause) {
    throw malformed(`JSON (${messageOf(cause)})`, text.slice(0, 60));
  }
}

/** An answer of another shape than the protocol's. */
export const malformed = (expected: string, got: unknown): PassingFault =>
  new PassingFault(`expected ${expected}, got ${typeof got === 'string' ? `"${got}"` : excerpt(got)}`);

/** Rows of finite numbers, one a question. Throws PassingFault, UnusableScores. */
export function checkRows(rows: readonly unknown[], questions: number, width?: number): readonly Float32Array[] {
  if (rows.length !== questions) throw malformed(`${questions} rows for as many texts`, `${rows.length} rows`);
  return rows.map((row) => {
    if (!Array.isArray(row) || row.length === 0) throw malformed('a list of scores for each text', row);
    if (width !== undefined && row.length !== width) throw malformed(`${width} scores for each text`, row);
    const values = Float32Array.from(row as number[]);
    if (row.every((each) => typeof each === 'number') && values.every(Number.isFinite)) return values;
    throw new UnusableScores(`expected finite numbers as scores, got ${excerpt(row)}`);
  });
}

/** An endpoint that this protocol cannot query, whatever is sent. */
export const unsuitable = (message: string, hint: string, code: ErrorCode = 'ENDPOINT_MISMATCH'): ModelError =>
  new ModelError(message, { code, hint });
