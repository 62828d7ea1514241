/** @file From what a user typed after `--model` to an endpoint: an address, or a file that describes it. A folder is never one. */
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, extname, isAbsolute, relative, resolve } from 'node:path';
import { ModelError, messageOf } from '../../core/errors.js';
import { isObject, type JsonObject } from '../../core/json.js';
import { readFileSync } from '../../files/read.js';
import { type Address, addressIn, checkListed, remoteSettings } from '../../remote/index.js';
import type { EndpointDescription } from '../classifiers/endpoint-model.js';
import { type EndpointManifest, parseEndpoint } from './manifest.js';

/** Undefined for words that name something else. Throws RobustError, ModelError. */
export async function describedEndpoint(spec: string): Promise<EndpointDescription | undefined> {
  if (existsSync(spec)) return undefined;
  const address = addressIn(spec);
  if (address === undefined) return undefined;
  return address.kind === 'file' ? ofFile(address.path) : ofAddress(address, spec);
}

/** Keys of a robust.json that accompany those of `remote` in a separate file. */
const BESIDE = ['$schema', 'schemaVersion', 'labels', 'input', 'output', 'decision', 'columns'];

/** The keys of `remote`, at the top or under that key, and what else a robust.json may say of a model. */
async function ofFile(path: string): Promise<EndpointDescription> {
  const { parse } = await import('yaml');
  let value: unknown;
  try {
    value = parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new ModelError(`${path}: expected a file that describes an endpoint: ${messageOf(cause)}`, {
      code: existsSync(path) ? 'MANIFEST_INVALID' : 'MODEL_NOT_FOUND',
      hint: 'Write one as docs/remote.md shows: url, body, answer.',
      cause,
    });
  }
  if (!isObject(value))
    throw new ModelError(`${path}: expected keys such as url, body and answer, got ${typeof value}`, {
      code: 'MANIFEST_INVALID',
      hint: 'Write it as docs/remote.md shows.',
    });
  const { remote, variables, ...manifest } = parseEndpoint(nested(value), path);
  checkListed(remote, variables, path);
  return describeManifest({ ...manifest, remote: { ...remote, ...promptBeside(remote.prompt, path) } }, path);
}

/** The description with the endpoint's own keys under `remote`, wherever they were written. */
function nested(value: JsonObject): JsonObject {
  if (value.remote !== undefined) return value;
  const entries = Object.entries(value);
  const isBeside = ([key]: readonly [string, unknown]): boolean => [...BESIDE, 'variables'].includes(key);
  const remote = { protocol: 'http', ...Object.fromEntries(entries.filter((each) => !isBeside(each))) };
  return { ...Object.fromEntries(entries.filter(isBeside)), remote };
}

/** The prompt, read where it names a file beside the description or below it. Throws ModelError where it names another file: what is read is sent. */
function promptBeside(prompt: string | undefined, path: string): { prompt?: string } {
  if (prompt === undefined) return {};
  const folder = dirname(resolve(path));
  const file = resolve(folder, prompt);
  if (!existsSync(file) && !existsSync(prompt)) return { prompt };
  const within = existsSync(file) ? relative(realpathSync(folder), realpathSync(file)) : '..';
  if (within.startsWith('..') || isAbsolute(within))
    throw new ModelError(`${path}: prompt: expected a file in ${folder} or below it, got ${prompt}`, {
      code: 'MANIFEST_INVALID',
      hint: `The prompt is sent to the endpoint. Copy the file there, or name it on the command line: --prompt ${prompt}`,
    });
  return { prompt: readFileSync(file, 'utf8').trim() };
}

function describeManifest({ remote, input, ...rest }: EndpointManifest, path: string): EndpointDescription {
  return {
    kind: 'endpoint',
    name: basename(path) === 'robust.json' ? basename(dirname(resolve(path))) : basename(path, extname(path)),
    where: path,
    settings: remote,
    manifest: { ...rest, ...(input && { input: { name: [input.name].flat()[0] } }) },
  };
}

function ofAddress({ settings }: Extract<Address, { kind: 'settings' }>, spec: string): EndpointDescription {
  return {
    kind: 'endpoint',
    name: nameOf(settings),
    where: spec,
    settings: remoteSettings.parse(settings),
    manifest: {},
  };
}

/** `sst2@127.0.0.1:8000`, or the host alone where nothing names the model. */
function nameOf({ url, model }: { readonly url: string; readonly model?: string }): string {
  const { host, pathname } = new URL(url);
  const named =
    model ?? /\/models\/(.+?)(?:\/(?:versions|labels)\/[^/]+)?(?::predict|\/infer)?\/?$/.exec(pathname)?.[1];
  return named === undefined ? host : `${decodeURIComponent(named)}@${host}`;
}
