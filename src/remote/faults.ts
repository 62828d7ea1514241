/** @file The faults of a request, by how to treat them. */
import { type ErrorCode, ModelGone } from '../core/errors.js';
import { PassingFault } from '../protocols/client.js';

/** The endpoint does not take this request: smaller ones may do, and of one text it is the text. */
export class RefusedBatch extends Error {
  /** The fault is its size, whatever it contains. */
  readonly size: boolean;

  constructor(message: string, size = false) {
    super(message);
    this.size = size;
  }
}

/** Statuses that may pass. */
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504, 529]);
const OVERLOAD = new Set([429, 503, 529]);
/** Statuses of a request that the endpoint understood and does not accept. */
const REFUSED = new Set([400, 413, 422]);

export const isPassing = (status: number): boolean => PASSING.has(status);

/** The fault of a status for a request to `url`; `said`: the endpoint's message. */
export function faultOf(status: number, said: string, url: string, wait: number | undefined): Error {
  const what = `${url}: HTTP ${status}${said === '' ? '' : `, ${said}`}`;
  if (PASSING.has(status)) return new PassingFault(what, { wait, overload: OVERLOAD.has(status) });
  if (REFUSED.has(status)) return new RefusedBatch(what, status === 413);
  const [code, hint] = CURES[status] ?? OTHER;
  return new ModelGone(what, { code, hint });
}

const DENIED = `Give the key by a header whose value comes from an environment variable: "headers": { "authorization": "Bearer \${TOKEN}" } in a robust.json.`;
const OTHER = [
  'ENDPOINT_UNREACHABLE',
  'Check the address and the protocol, and what the endpoint says (docs/remote.md).',
] as const;

const CURES: Readonly<Record<number, readonly [code: ErrorCode, hint: string]>> = {
  401: ['ACCESS_DENIED', DENIED],
  402: ['ACCESS_DENIED', 'The account behind the key has no credit left.'],
  403: ['ACCESS_DENIED', `The key may not use this model. ${DENIED}`],
  404: ['ENDPOINT_NOT_FOUND', 'Check the address: its path, the name of the model and its version (docs/remote.md).'],
  405: ['ENDPOINT_NOT_FOUND', 'The address does not take requests of this kind: check the protocol before the +.'],
  410: ['ENDPOINT_NOT_FOUND', 'The model was taken away.'],
  424: ['TASK_MISMATCH', 'The endpoint serves another kind of model: give the address of a text classifier.'],
  501: ['ENDPOINT_UNREACHABLE', 'The endpoint does not know this request: check the protocol before the +.'],
};
