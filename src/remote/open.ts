/** @file The way into this room: an endpoint, found out and ready to be asked for raw scores. */
import { closingOnError } from '../core/closing-stack.js';
import { ModelGone, UsageError } from '../core/errors.js';
import { type Adapter, type ClientEnd, jsonOf } from '../protocols/client.js';
import { clientProtocols } from '../protocols/index.js';
import type { RemoteAccess } from './access.js';
import { isPrivate } from './address.js';
import { Endpoint } from './endpoint.js';
import { systemClock } from './pace.js';
import { checkAddress, checkHeaders, Secrets } from './secrets.js';
import type { RemoteSettings } from './settings.js';
import { milliseconds } from './units.js';

export interface EndpointNames {
  readonly labels: readonly string[] | undefined;
  readonly input: string | undefined;
  readonly output: string | undefined;
}

export interface EndpointHooks {
  warn(message: string): void;
  detail(line: string): void;
}

export interface OpenEndpoint {
  readonly endpoint: Endpoint;
  readonly adapter: Adapter;
  /** Its address without secrets. */
  readonly address: string;
}

/** The longest a timer can wait. */
const ANY_TIME_MS = 2 ** 31 - 1;
const USUAL_SECONDS = 60;

/** Asks an endpoint what it is. Throws UsageError for secrets that are written out or not set, ModelError. */
export async function openEndpoint(
  settings: RemoteSettings,
  names: EndpointNames,
  access: RemoteAccess,
  hooks: EndpointHooks,
): Promise<OpenEndpoint> {
  const written = settings.url.replace(/\/+$/, '');
  const asUrl = (text: string): URL => {
    if (URL.canParse(text) && /^https?:/.test(text)) return new URL(text);
    throw new UsageError(`expected an address that begins with http:// or https://, got "${settings.url}"`, {
      code: 'ENDPOINT_ADDRESS',
      hint: 'For example: http://127.0.0.1:8000/v2/models/NAME',
    });
  };
  checkHeaders(settings.headers ?? {});
  const secrets = new Secrets(access.variables);
  const filled = asUrl(secrets.fillIn(written, 'url'));
  if (/^https?:/.test(written) && URL.canParse(written)) checkAddress(new URL(written));
  const headers = Object.fromEntries(
    Object.entries(settings.headers ?? {}).map(([name, value]) => [
      name.toLowerCase(),
      secrets.fillIn(value, `header "${name}"`),
    ]),
  );
  if (!isPrivate(filled)) {
    hooks.warn(`${filled.host} is asked by http: everybody between here and there can read the texts and the key`);
  }
  const clock = access.clock ?? systemClock;
  // Most models lie on the disk: what speaks HTTP is loaded for those that do not.
  const { Transport } = await import('./transport.js');
  const transport = new Transport({
    timeout: timeoutOf(settings, access),
    connections: settings.concurrency,
    proxies: access.proxies ?? {},
    secrets,
    now: () => clock.now(),
  });
  const url = filled.href.replace(/\/+$/, '');
  const { pause, maxRequests } = access;
  const endpoint = new Endpoint({
    settings,
    url,
    headers,
    transport,
    clock,
    pause,
    maxRequests,
    onDetail: (line) => hooks.detail(line),
  });
  return closingOnError(endpoint, async () => {
    const get = async (at: string): Promise<unknown> => jsonOf(await endpoint.get(at));
    const { connect } = clientProtocols.find(({ name }) => name === settings.protocol) as ClientEnd;
    const adapter = await connect({
      settings,
      url,
      ...names,
      redact: (at) => secrets.redact(at),
      get,
      tryGet: (at) =>
        get(at).catch((error: unknown) => {
          if (error instanceof ModelGone && error.code === 'ENDPOINT_NOT_FOUND') return undefined;
          throw error;
        }),
    });
    endpoint.use(adapter);
    return { endpoint, adapter, address: written };
  });
}

function timeoutOf({ timeout }: RemoteSettings, access: RemoteAccess): number {
  if (typeof timeout === 'string') return milliseconds(timeout) as number;
  const seconds = timeout ?? access.timeout ?? USUAL_SECONDS;
  return seconds === 0 || seconds === Number.POSITIVE_INFINITY ? ANY_TIME_MS : seconds * 1000;
}
