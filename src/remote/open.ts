/** @file The way into this room: an endpoint, found out and ready to be asked for raw scores. */
import { closingOnError } from '../core/closing-stack.js';
import { ModelGone, must, RobustError } from '../core/errors.js';
import type { TagReading } from '../core/output-reading.js';
import type { Adapter, ClientEnd } from '../protocols/client.js';
import { clientProtocols } from '../protocols/index.js';
import type { RemoteAccess } from './access.js';
import { isLocal, isPrivate } from './address.js';
import { Endpoint } from './endpoint.js';
import { systemClock } from './pace.js';
import type { Hello } from './programs.js';
import { checkAddress, checkHeaders, Secrets } from './secrets.js';
import type { RemoteSettings } from './settings.js';
import { milliseconds } from './units.js';

export interface EndpointNames {
  readonly labels: readonly string[] | undefined;
  readonly input: string | undefined;
  readonly output: string | undefined;
  readonly tags?: TagReading | undefined;
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
  /** Does no text leave this machine? */
  readonly local: boolean;
  /** The first line of a program. */
  readonly hello?: Hello;
}

/** The longest a timer can wait. */
const ANY_TIME_MS = 2 ** 31 - 1;
const USUAL_SECONDS = 60;
/** Characters of a command in messages. */
const MOST_SHOWN = 200;

/** Opens an endpoint and reads its description. Throws RobustError for secrets that are written out or not set, ModelError. */
export async function openEndpoint(
  settings: RemoteSettings,
  names: EndpointNames,
  access: RemoteAccess,
  hooks: EndpointHooks,
): Promise<OpenEndpoint> {
  const secrets = new Secrets(access.variables);
  const { program } = settings;
  if (program !== undefined) return openedProgram({ ...settings, program }, names, access, hooks, secrets);
  const { url, headers } = filledIn(settings, secrets);
  if (!isPrivate(url)) hooks.warn(`${url.host} is reached by http: the texts and the key can be read on their way`);
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
  const address = url.href.replace(/\/+$/, '');
  const { pause, maxRequests } = access;
  const onDetail = (line: string) => hooks.detail(line);
  const endpoint = new Endpoint({ settings, url: address, headers, transport, clock, pause, maxRequests, onDetail });
  return closingOnError(endpoint, async () => {
    const get = (at: string): Promise<unknown> => endpoint.get(at);
    const { connect } = clientProtocols.find(({ name }) => name === settings.protocol) as ClientEnd;
    const adapter = await connect({
      settings,
      url: address,
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
    return { endpoint, adapter, address: settings.url.replace(/\/+$/, ''), local: isLocal(url) };
  });
}

/** A program's processes, behind the same batches, retries and limits. */
async function openedProgram(
  settings: RemoteSettings & Required<Pick<RemoteSettings, 'program'>>,
  names: EndpointNames,
  access: RemoteAccess,
  { detail }: EndpointHooks,
  secrets: Secrets,
): Promise<OpenEndpoint> {
  const { openProgram } = await import('./program.js');
  const { url: address, program } = settings;
  const shown = address.length > MOST_SHOWN ? `${address.slice(0, MOST_SHOWN)}...` : address;
  const options = { address: shown, timeout: timeoutOf(settings, access), detail };
  const { programs, hello, adapter } = await openProgram(program, names.tags, options, access.variables, secrets);
  const { pause, maxRequests, clock = systemClock } = access;
  const wired = { settings, url: address, headers: {}, transport: programs, clock };
  const endpoint = new Endpoint({ ...wired, pause, maxRequests, onDetail: detail });
  endpoint.use(adapter);
  return { endpoint, adapter, address, local: true, hello };
}

/** The address and the headers with their variables filled in. Throws RobustError. */
function filledIn({ url, headers = {} }: RemoteSettings, secrets: Secrets) {
  checkHeaders(headers);
  const filled = secrets.fillIn(url.replace(/\/+$/, ''), 'url');
  if (!URL.canParse(filled) || !/^https?:/.test(filled))
    throw new RobustError(`expected an address that begins with http:// or https://, got "${url}"`, {
      code: 'ADDRESS_INVALID',
      hint: 'For example: http://127.0.0.1:8000/v2/models/NAME',
    });
  if (/^https?:/.test(url) && URL.canParse(url)) checkAddress(new URL(url));
  const named = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    secrets.fillIn(value, `header "${name}"`),
  ]);
  return { url: new URL(filled), headers: Object.fromEntries(named) as Readonly<Record<string, string>> };
}

function timeoutOf({ timeout }: RemoteSettings, access: RemoteAccess): number {
  if (typeof timeout === 'string') return must(milliseconds(timeout));
  const seconds = timeout ?? access.timeout ?? USUAL_SECONDS;
  return seconds === 0 || seconds === Number.POSITIVE_INFINITY ? ANY_TIME_MS : seconds * 1000;
}
