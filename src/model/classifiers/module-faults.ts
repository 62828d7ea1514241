/**
 * @file Classifies the errors of a module. Code that queries a service meets temporary and permanent faults. A temporary fault is retried,
 * and a permanent one ends the run, which can be continued later. Only other errors are attributed to a text.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ModelGone } from '../../core/errors.js';
import { random } from '../../core/random.js';
import { isPassing, requestedWait } from '../../remote/index.js';

/** An error as modules may throw it; clients of services have some of it already. */
interface ModuleFault extends Error {
  /** It may pass: ask again. */
  readonly transient?: boolean;
  /** Permanent, whatever the request. */
  readonly fatal?: boolean;
  /** The HTTP status. */
  readonly status?: number;
  readonly statusCode?: number;
  /** The answer's headers, for Retry-After. */
  readonly headers?: Headers | Readonly<Record<string, string>>;
  readonly code?: string;
}

const RETRIES = 6;
const PAUSE_MS = 500;
const MAX_PAUSE_MS = 60_000;
const MAX_ASKED_WAIT_MS = 600_000;
/** Statuses that no other question would change. */
const LASTING = new Set([401, 402, 403, 404, 405, 410, 501]);
/** Errors of sockets and name servers, as Node.js and its fetch name them. */
const NETWORK = /^(ECONN|ENOTFOUND|EAI_|EPIPE|ETIMEDOUT|EHOST|ENET|UND_ERR_)/;

type FaultKind = 'passing' | 'lasting' | undefined;

function kindOf(error: ModuleFault): FaultKind {
  if (error.fatal === true) return 'lasting';
  if (error.transient === true) return 'passing';
  const status = error.status ?? error.statusCode;
  if (typeof status === 'number') return isPassing(status) ? 'passing' : LASTING.has(status) ? 'lasting' : undefined;
  const { cause } = error;
  const codes = [error.code, (cause as NodeJS.ErrnoException | undefined)?.code];
  return codes.some((code) => typeof code === 'string' && NETWORK.test(code)) ? 'passing' : undefined;
}

function headersOf({ headers }: ModuleFault): Record<string, string> {
  if (headers === undefined || headers === null) return {};
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value)]));
}

/**
 * Result of `call`, retried after temporary faults. Throws ModelGone (MODEL_UNREACHABLE) for permanent ones, and the call's other errors.
 */
export async function withoutFaults<T>(path: string, call: () => Promise<T>): Promise<T> {
  const jitter = random(0, 'back-off', path);
  for (let failures = 1; ; failures++) {
    try {
      return await call();
    } catch (thrown) {
      if (thrown instanceof ModelGone || !(thrown instanceof Error)) throw thrown;
      const wait = waitOf(thrown, path, failures);
      await sleep(wait ?? jitter.unit() * Math.min(MAX_PAUSE_MS, PAUSE_MS * 2 ** (failures - 1)));
    }
  }
}

/** Milliseconds to wait if the fault says so. Throws ModelGone for a permanent fault, and any other error unchanged. */
function waitOf(error: ModuleFault, path: string, failures: number): number | undefined {
  const kind = kindOf(error);
  if (kind === undefined) throw error;
  const wait = requestedWait(headersOf(error), Date.now());
  if (kind === 'lasting' || failures > RETRIES || (wait ?? 0) > MAX_ASKED_WAIT_MS) throw lasting(path, error, failures);
  return wait;
}

const lasting = (path: string, error: Error, failures: number): ModelGone =>
  new ModelGone(`${path}: ${error.message}${failures > 1 ? ` (${failures} attempts)` : ''}`, {
    code: 'MODEL_UNREACHABLE',
    hint: 'The module answers no text.',
    cause: error,
  });
