/** @file From what a user typed after `--model` to an endpoint: an address, or a file that describes it. A folder is never one. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, extname, isAbsolute, relative, resolve } from 'node:path';
import { defined } from '../../core/defined.js';
import { ModelError, messageOf, must } from '../../core/errors.js';
import { isObject, type JsonObject } from '../../core/json.js';
import { readFileSync } from '../../files/read.js';
import { type Address, addressIn, checkListed, remoteSettings, replicasOf } from '../../remote/index.js';
import type { EndpointDescription } from '../classifiers/endpoint-model.js';
import { fileHash } from './fingerprint.js';
import { type EndpointManifest, parseEndpoint, parseProgram } from './manifest.js';

/** How often a program that ended, or answered what is none, is asked again. */
const RESTARTS = 3;

const PROGRAM_HINT = 'Write one as docs/reference/process.md shows: command: [python3, victim.py].';

/** Undefined for words that name something else. Throws RobustError, ModelError. */
export async function describedEndpoint(spec: string): Promise<EndpointDescription | undefined> {
  if (existsSync(spec)) return undefined;
  const address = addressIn(spec);
  if (address === undefined) return undefined;
  if (address.kind === 'program') return ofProgram(address.command);
  return address.kind === 'file' ? ofFile(address.path) : ofAddress(address, spec);
}

/** The words of a command, or a file that describes one, which then runs in the folder of that file. */
async function ofProgram(named: Extract<Address, { kind: 'program' }>['command']): Promise<EndpointDescription> {
  const path = 'path' in named ? named.path : undefined;
  const value = path === undefined ? {} : await readDescription(path, 'a program', PROGRAM_HINT);
  const written = parseProgram('words' in named ? { command: named.words } : value, path ?? 'cmd:');
  const folder = resolve(dirname(path ?? 'x'));
  // Which words are too long for names only the system knows.
  const found = written.command
    .map((word) => [word, resolve(folder, word)] as const)
    .filter(([, file]) => existsSync(file) && statSync(file).isFile());
  const hashes = await Promise.all(found.map(async ([word, file]) => [word, await fileHash(file)] as const));
  const program = { ...written, folder, files: Object.fromEntries(hashes) };
  const main = path ?? found.at(-1)?.[0] ?? must(written.command[0]);
  const { labels, batch, timeout, scores } = written;
  const url = `cmd:${written.command.join(' ')}`;
  return {
    kind: 'endpoint',
    name: basename(main, extname(main)),
    where: path ?? url,
    settings: {
      ...{ protocol: 'cmd', url },
      concurrency: replicasOf(program),
      retries: RESTARTS,
      program,
      ...defined({ batch, timeout, scores }),
    },
    manifest: defined({ labels }),
  };
}

/** Keys of a robust.json that accompany those of `remote` in a separate file. */
const BESIDE = ['$schema', 'schemaVersion', 'labels', 'input', 'output', 'decision', 'columns'];

/** The keys of `remote`, at the top or under that key, and what else a robust.json may say of a model. */
async function ofFile(path: string): Promise<EndpointDescription> {
  const value = await readDescription(path, 'an endpoint', 'Write one as docs/remote.md shows: url, body, answer.');
  const { remote, variables, ...manifest } = parseEndpoint(nested(value), path);
  checkListed(remote, variables, path);
  return describeManifest({ ...manifest, remote: { ...remote, ...promptBeside(remote.prompt, path) } }, path);
}

/** The keys and values of a YAML or JSON file. Throws ModelError. */
async function readDescription(path: string, what: string, hint: string): Promise<JsonObject> {
  const { parse } = await import('yaml');
  let value: unknown;
  try {
    value = parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new ModelError(`${path}: expected a file that describes ${what}: ${messageOf(cause)}`, {
      code: existsSync(path) ? 'MANIFEST_INVALID' : 'MODEL_NOT_FOUND',
      hint,
      cause,
    });
  }
  if (isObject(value)) return value;
  throw new ModelError(`${path}: expected keys and values, got ${typeof value}`, { code: 'MANIFEST_INVALID', hint });
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
