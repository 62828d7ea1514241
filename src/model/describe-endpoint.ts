/** @file From what a user typed after `--model` to an endpoint: an address, a file that describes it, or a robust.json with `remote`. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { ModelError } from '../core/errors.js';
import { type Address, addressIn, remoteSettings } from '../remote/index.js';
import type { EndpointDescription } from './endpoint-model.js';
import { readJsonObject } from './json-file.js';
import { type Manifest, parseManifest } from './manifest.js';

/** Undefined for words that name something else. Throws UsageError, ModelError. */
export async function describedEndpoint(spec: string): Promise<EndpointDescription | undefined> {
  const path = manifestPath(spec);
  if (path !== undefined) {
    const json = await readJsonObject(path);
    // Whatever else is wrong with it is told when it is read as a model's.
    if (json.remote === undefined) return undefined;
    return ofManifest(parseManifest(json, path), basename(dirname(resolve(path))), path);
  }
  if (existsSync(spec)) return undefined;
  const address = addressIn(spec);
  if (address === undefined) return undefined;
  return address.kind === 'file' ? ofFile(address.path) : ofAddress(address, spec);
}

function manifestPath(spec: string): string | undefined {
  const at = statSync(spec, { throwIfNoEntry: false });
  if (at?.isFile() && basename(spec) === 'robust.json') return spec;
  const inside = join(spec, 'robust.json');
  return at?.isDirectory() && existsSync(inside) ? inside : undefined;
}

function ofManifest({ remote, ...manifest }: Manifest, name: string, where: string): EndpointDescription {
  const { input, ...rest } = manifest;
  return {
    kind: 'endpoint',
    name,
    where,
    settings: remote as NonNullable<Manifest['remote']>,
    manifest: { ...rest, ...(input && { input: { name: [input.name].flat()[0] } }) },
  };
}

/** Keys of a robust.json that stand beside those of `remote` in a file of its own. */
const BESIDE = ['labels', 'input', 'output', 'decision'];

/** The keys of `remote` and what else a robust.json may say of a model, side by side. */
async function ofFile(path: string): Promise<EndpointDescription> {
  const { parse } = await import('yaml');
  let value: unknown;
  try {
    value = parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new ModelError(`${path}: expected a file that describes an endpoint: ${(cause as Error).message}`, {
      code: existsSync(path) ? 'MANIFEST_INVALID' : 'MODEL_NOT_FOUND',
      hint: 'Write one as docs/remote.md shows: url, body, answer.',
      cause,
    });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ModelError(`${path}: expected keys such as url, body and answer, got ${typeof value}`, {
      code: 'MANIFEST_INVALID',
      hint: 'Write it as docs/remote.md shows.',
    });
  }
  const entries = Object.entries(value);
  const isBeside = ([key]: readonly [string, unknown]): boolean => BESIDE.includes(key);
  const remote = { protocol: 'http', ...Object.fromEntries(entries.filter((each) => !isBeside(each))) };
  const manifest = parseManifest({ ...Object.fromEntries(entries.filter(isBeside)), remote }, path);
  return ofManifest(manifest, basename(path, extname(path)), path);
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
