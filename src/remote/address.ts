/** @file The words behind `--model` that name an endpoint: `kserve+http://host/v2/models/m`, `hf-inference:org/name`, `http:./endpoint.yaml`. */
import { UsageError } from '../core/errors.js';
import { didYouMean } from '../core/suggest.js';
import type { ProtocolName } from './settings.js';

/** What may stand before `+http://`. */
const PREFIXES: Readonly<Record<string, ProtocolName>> = {
  kserve: 'kserve-v2',
  'kserve-v2': 'kserve-v2',
  'kserve-v1': 'kserve-v1',
  tei: 'tei',
  vllm: 'vllm',
  sglang: 'sglang',
  tfserving: 'tfserving',
  'hf-inference': 'hf-inference',
  'openai-moderation': 'openai-moderation',
  'openai-chat': 'openai-chat',
};

interface Known {
  readonly protocol: ProtocolName;
  readonly url: string;
  readonly variable: string;
}

/** What may stand before a name: services with one address for all. */
const SERVICES: Readonly<Record<string, Known>> = {
  'hf-inference': {
    protocol: 'hf-inference',
    url: 'https://router.huggingface.co/hf-inference/models',
    variable: 'HF_TOKEN',
  },
  'openai-moderation': {
    protocol: 'openai-moderation',
    url: 'https://api.openai.com/v1',
    variable: 'OPENAI_API_KEY',
  },
  'openai-chat': { protocol: 'openai-chat', url: 'https://api.openai.com/v1', variable: 'OPENAI_API_KEY' },
};

export type Address =
  /** Settings as an endpoint.yaml has them, without defaults. */
  | {
      readonly kind: 'settings';
      readonly settings: {
        readonly protocol: ProtocolName;
        readonly url: string;
        readonly model?: string;
        readonly headers?: Readonly<Record<string, string>>;
      };
    }
  | { readonly kind: 'file'; readonly path: string };

/** Undefined for words that name no endpoint. Throws UsageError for those that nearly do. */
export function addressIn(spec: string): Address | undefined {
  const [, prefix, url] = /^([\w.-]+)\+(https?:\/\/.+)$/i.exec(spec) ?? [];
  if (prefix !== undefined && url !== undefined) {
    // Both versions of KServe's protocol say in the path which they are.
    const first = /^kserve$/i.test(prefix) && /\/v1\/models\//.test(url);
    const protocol = first ? 'kserve-v1' : PREFIXES[prefix.toLowerCase()];
    if (protocol === undefined) throw unknownProtocol(spec, prefix);
    return { kind: 'settings', settings: { protocol, ...addressed(url, spec) } };
  }
  const [, file] = /^https?:(?!\/\/)(.+)$/i.exec(spec) ?? [];
  if (file !== undefined) return { kind: 'file', path: file };
  const [, service, name] = /^([a-z-]+):(?!\/\/)(.+)$/i.exec(spec) ?? [];
  const known = service === undefined ? undefined : SERVICES[service.toLowerCase()];
  if (known !== undefined && name !== undefined) return { kind: 'settings', settings: serviceOf(known, name, spec) };
  if (service !== undefined && /^https?:\/\//i.test(name ?? '')) throw unknownProtocol(spec, service);
  const [, bare] = /^([\w.+-]+):\/\//i.exec(spec) ?? [];
  // Pages of the Hub are another mistake.
  const meant = bare !== undefined && (/^https?$/i.test(bare) || bare in PREFIXES);
  if (meant && !/^https?:\/\/huggingface\.co\//.test(spec)) throw unknownProtocol(spec, bare);
  return undefined;
}

/** What stands behind # is the name of the model. */
function addressed(written: string, spec: string): { url: string; model?: string } {
  if (!URL.canParse(written)) {
    throw new UsageError(`expected an address, got "${written}" in "${spec}"`, {
      code: 'ENDPOINT_ADDRESS',
      hint: 'For example: kserve+http://127.0.0.1:8000/v2/models/NAME',
    });
  }
  const at = written.indexOf('#');
  if (at < 0) return { url: written };
  const model = decodeURIComponent(written.slice(at + 1));
  return { url: written.slice(0, at), ...(model === '' ? {} : { model }) };
}

function serviceOf({ protocol, url, variable }: Known, name: string, spec: string) {
  const headers = { authorization: `Bearer \${${variable}}` };
  if (protocol !== 'hf-inference') return { protocol, url, model: name, headers };
  if (!/^[\w.-]+\/[\w.-]+$/.test(name)) {
    throw new UsageError(`expected hf-inference:org/name, got "${spec}"`, {
      code: 'ENDPOINT_ADDRESS',
      hint: 'The name of the model as the Hub has it: hf-inference:distilbert/distilbert-base-uncased-finetuned-sst-2-english',
    });
  }
  return { protocol, url: `${url}/${name}`, headers };
}

function unknownProtocol(spec: string, prefix: string): UsageError {
  const known = Object.keys(PREFIXES);
  const plain = /^https?$/i.test(prefix);
  return new UsageError(
    plain
      ? `expected the protocol before the address "${spec}": what does the endpoint speak?`
      : `expected a protocol before the address, one of ${known.join(', ')}; got "${prefix}" in "${spec}"`,
    {
      code: 'ENDPOINT_PROTOCOL',
      hint: plain
        ? `One of ${known.join(', ')}: --model kserve+${spec}; any other JSON API is described by a file: --model http:./endpoint.yaml (docs/remote.md).`
        : didYouMean(prefix, known),
    },
  );
}

const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/i;

/** Nobody in between can read what is sent. */
export const isPrivate = ({ protocol, hostname }: URL): boolean => protocol === 'https:' || LOOPBACK.test(hostname);
