/** @file What a protocol is: how an endpoint tells of itself, how texts are asked of it, and where the scores stand in its answers. Types, and what adapters share. */
import { ModelError } from '../core/errors.js';
import { PassingFault, UnusableScores } from './faults.js';
import { parseAnswer, shown } from './json.js';
import type { RemoteSettings } from './settings.js';
import type { WireAnswer, WireRequest } from './transport.js';

/** A text, or both texts of a pair. */
export type Question = readonly [string] | readonly [string, string];

/** Scores of one text in the order of the columns; `refused`: the endpoint would not say. */
export type RawRow = readonly number[] | Float32Array | 'refused';

/** A request but for what all of an endpoint share. */
export type Ask = Pick<WireRequest, 'body'> & Partial<Pick<WireRequest, 'url' | 'method' | 'headers'>>;

/** How an endpoint is asked, once it has told what it is. */
export interface Adapter {
  /** Names of the columns, where the endpoint tells them. */
  readonly labels?: readonly string[] | undefined;
  /** What its scores are, where it tells. */
  readonly scores?: RemoteSettings['scores'];
  /** Its scores are of any number of labels, each by itself. */
  readonly multiLabel?: boolean;
  /** Most texts a request. */
  readonly batch: number;
  /** It takes pairs of texts. */
  readonly pairs?: boolean;
  /** What a server of robust says of its model besides, unchecked. */
  readonly announced?: unknown;
  /** Most tokens of a text, where it tells. */
  readonly maximumTokens?: number | undefined;
  /** What it is: model, version, hash. If one of these changes, it is another victim. */
  readonly facts: Readonly<Record<string, string>>;
  request(questions: readonly Question[]): Ask;
  /** One row a question. Throws PassingFault, UnusableScores. */
  rows(answer: WireAnswer, questions: readonly Question[]): readonly RawRow[];
}

/** What an adapter may ask while it finds out what the endpoint is. */
export interface Inquiry {
  readonly settings: RemoteSettings;
  /** The address without a slash at its end, its variables filled in. */
  readonly url: string;
  /** Label names from the robust.json or the command line, which win. */
  readonly labels: readonly string[] | undefined;
  /** Names of the tensors from the robust.json. */
  readonly input: string | undefined;
  readonly output: string | undefined;
  /** An address as messages show it. */
  shown(url: string): string;
  /** The JSON at an address. Throws ModelGone. */
  get(url: string): Promise<unknown>;
  /** As `get`; undefined where the endpoint does not know the address. */
  tryGet(url: string): Promise<unknown>;
}

export type Protocol = (inquiry: Inquiry) => Promise<Adapter>;

/** The body of an answer. Throws PassingFault for what is no JSON, as an answer that was cut short is. */
export function jsonOf({ bytes }: WireAnswer): unknown {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  try {
    return parseAnswer(text);
  } catch (cause) {
    throw garbled(`JSON (${(cause as Error).message})`, text.slice(0, 60));
  }
}

/** An answer of another shape than the protocol's. */
export const garbled = (expected: string, got: unknown): PassingFault =>
  new PassingFault(`expected ${expected}, got ${typeof got === 'string' ? `"${got}"` : shown(got)}`);

/** Rows of finite numbers, one a question. Throws PassingFault, UnusableScores. */
export function checkedRows(rows: readonly unknown[], questions: number, width?: number): readonly Float32Array[] {
  if (rows.length !== questions) throw garbled(`${questions} rows for as many texts`, `${rows.length} rows`);
  return rows.map((row) => {
    if (!Array.isArray(row) || row.length === 0) throw garbled('a list of scores for each text', row);
    if (width !== undefined && row.length !== width) throw garbled(`${width} scores for each text`, row);
    const values = Float32Array.from(row as number[]);
    if (row.every((each) => typeof each === 'number') && values.every(Number.isFinite)) return values;
    throw new UnusableScores(`expected finite numbers as scores, got ${shown(row)}`);
  });
}

/** An endpoint that cannot be asked in this way, whatever is sent. */
export const unfit = (message: string, hint: string, code = 'ENDPOINT_UNFIT'): ModelError =>
  new ModelError(message, { code, hint });
