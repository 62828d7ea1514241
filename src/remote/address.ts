/** @file The words behind `--model` that name an endpoint: `kserve+http://host/v2/models/m`, `hf-inference:org/name`, `http:./endpoint.yaml`. */
import { RobustError } from '../core/errors.js';
import { didYouMean } from '../core/suggest.js';
import { clientProtocols } from '../protocols/index.js';
import { commandIn, isCommand } from './command.js';

const addressable = clientProtocols.filter(({ fileOnly }) => !fileOnly);

/** The words that may precede `+http://`. */
const PREFIXES = addressable.flatMap(({ name, prefix }) => (prefix === undefined ? [name] : [prefix, name]));

export type Address =
  /** Settings as an endpoint.yaml has them, without defaults. */
  | {
      readonly kind: 'settings';
      readonly settings: {
        readonly protocol: string;
        readonly url: string;
        readonly model?: string;
        readonly headers?: Readonly<Record<string, string>>;
      };
    }
  | { readonly kind: 'file'; readonly path: string }
  /** A program of the user's, which is run. */
  | { readonly kind: 'program'; readonly command: ReturnType<typeof commandIn> };

/** Undefined for words that name no endpoint. Throws RobustError for those that nearly do. */
export function addressIn(spec: string): Address | undefined {
  if (isCommand(spec)) return { kind: 'program', command: commandIn(spec) };
  const [, prefix, url] = /^([\w.-]+)\+(https?:\/\/.+)$/i.exec(spec) ?? [];
  if (prefix !== undefined && url !== undefined) {
    const known = addressable.find((each) => [each.name, each.prefix].includes(prefix.toLowerCase()));
    if (known === undefined) throw unknownProtocol(spec, prefix);
    return { kind: 'settings', settings: { protocol: known.name, ...addressed(url, spec) } };
  }
  const [, file] = /^https?:(?!\/\/)(.+)$/i.exec(spec) ?? [];
  return file === undefined ? serviceIn(spec) : { kind: 'file', path: file };
}

/** `hf-inference:org/name`. */
function serviceIn(spec: string): Address | undefined {
  const [, service, name = ''] = /^([a-z-]+):(?!\/\/)(.+)$/i.exec(spec) ?? [];
  const known = clientProtocols.find((each) => each.name === service?.toLowerCase());
  if (known?.service !== undefined)
    return { kind: 'settings', settings: { protocol: known.name, ...atService(known.service, name, spec) } };
  if (service !== undefined && /^https?:\/\//i.test(name)) throw unknownProtocol(spec, service);
  const [, bare] = /^([\w.+-]+):\/\//i.exec(spec) ?? [];
  // Pages of the Hub are another mistake.
  const meant = bare !== undefined && (/^https?$/i.test(bare) || PREFIXES.includes(bare));
  if (meant && !/^https?:\/\/huggingface\.co\//.test(spec)) throw unknownProtocol(spec, bare);
  return undefined;
}

type Service = NonNullable<(typeof clientProtocols)[number]['service']>;

/** The part after # is the name of the model. */
function addressed(written: string, spec: string): { url: string; model?: string } {
  if (!URL.canParse(written))
    throw new RobustError(`expected an address, got "${written}" in "${spec}"`, {
      code: 'ADDRESS_INVALID',
      hint: 'For example: kserve+http://127.0.0.1:8000/v2/models/NAME',
    });
  const at = written.indexOf('#');
  if (at < 0) return { url: written };
  const model = decodeURIComponent(written.slice(at + 1));
  return { url: written.slice(0, at), ...(model === '' ? {} : { model }) };
}

function atService({ url, variable, modelInPath }: Service, name: string, spec: string) {
  const headers = { authorization: `Bearer \${${variable}}` };
  if (!modelInPath) return { url, model: name, headers };
  if (!/^[\w.-]+\/[\w.-]+$/.test(name))
    throw new RobustError(`expected hf-inference:org/name, got "${spec}"`, {
      code: 'ADDRESS_INVALID',
      hint: 'The name of the model as the Hub has it: hf-inference:distilbert/distilbert-base-uncased-finetuned-sst-2-english',
    });
  return { url: `${url}/${name}`, headers };
}

function unknownProtocol(spec: string, prefix: string): RobustError {
  const plain = /^https?$/i.test(prefix);
  return new RobustError(
    plain
      ? `expected the protocol before the address "${spec}": what does the endpoint speak?`
      : `expected a protocol before the address, one of ${PREFIXES.join(', ')}; got "${prefix}" in "${spec}"`,
    {
      code: 'PROTOCOL_NOT_FOUND',
      hint: plain
        ? `One of ${PREFIXES.join(', ')}: --model kserve+${spec}; any other JSON API is described by a file: --model http:./endpoint.yaml (docs/remote.md).`
        : didYouMean(prefix, PREFIXES),
    },
  );
}

const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/i;

/** Does this address belong to this machine? */
export const isLocal = ({ hostname }: URL): boolean => LOOPBACK.test(hostname);

/** Requests to this address cannot be read on their way. */
export const isPrivate = (url: URL): boolean => url.protocol === 'https:' || isLocal(url);
