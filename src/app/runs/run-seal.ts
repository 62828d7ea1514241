/**
 * @file Whether this user made a record of settings. A record may come from anyone, and the settings in it may name code and addresses. So a
 * record whose settings do is signed with a key of the user who gave them, together with the place and the hash of each file of code.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { readKey, readOrCreateKey } from '../../files/own-key.js';
import { ANY_SIZE, readFile, readFileSync } from '../../files/read.js';
import { isPackageName, moduleFile } from '../../modules/own-module.js';
import type { SettingValues } from '../command-line.js';
import { namedBy, textsIn } from './named.js';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** The seal of a record whose settings name code or an address. */
export const sealSchema = z.object({
  /** Name in the settings -> the file it stood for, and its SHA-256. */
  files: z.record(z.string(), z.object({ path: z.string(), sha256 })),
  /** HMAC-SHA256 of the settings and the files, hex. */
  seal: sha256,
});
export type RunSeal = z.infer<typeof sealSchema>;

export interface SealedRecord {
  readonly settings: SettingValues;
  readonly named?: RunSeal | undefined;
}

/** The signature of settings that this user gave; undefined where no key can be kept, or where they name code that is not found. */
export async function sealOf(settings: SettingValues): Promise<RunSeal | undefined> {
  const key = readOrCreateKey(keyFile());
  const files = await filesOf(settings);
  return key && files && { files, seal: signature(key, settings, files) };
}

/** True where this user signed these settings, and each file of code is where it was and as it was. */
export async function isSealed({ settings, named }: SealedRecord): Promise<boolean> {
  const key = readKey(keyFile());
  if (named === undefined || key === undefined || !isDeepStrictEqual(await filesOf(settings), named.files))
    return false;
  return timingSafeEqual(Buffer.from(signature(key, settings, named.files), 'hex'), Buffer.from(named.seal, 'hex'));
}

/** The settings as the file of the record holds them. */
const signature = (key: Buffer, settings: SettingValues, files: RunSeal['files']): string =>
  createHmac('sha256', key)
    .update(JSON.stringify([sortKeys(settings), sortKeys(files)]))
    .digest('hex');

const sortKeys = (value: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Files that hold no code, and may be large. */
const DATA = /\.(tsv|csv|jsonl|txt|parquet|gz|zip|onnx|bin|ftz)$/i;

/** The files of code, and descriptions of endpoints, that the texts in settings name; undefined where one is not found. */
async function filesOf(settings: SettingValues): Promise<RunSeal['files'] | undefined> {
  const files: Record<string, { path: string; sha256: string }> = {};
  const texts = textsIn(settings);
  const named = texts.flatMap((text) => namedBy(text).files);
  if (named.some((names) => names.every((name) => !isPackageName(name) && !existsSync(name)))) return undefined;
  for (const name of new Set([
    ...texts.flatMap(partsOf),
    ...named.flat(),
    ...named.flat().flatMap(partsOfDescription),
  ])) {
    const path = await fileOf(name);
    if (path === 'missing') return undefined;
    if (path === undefined || Object.values(files).some((known) => known.path === path)) continue;
    const hash = createHash('sha256').update(await readFile(path, null, ANY_SIZE));
    files[name] = { path, sha256: hash.digest('hex') };
  }
  return sortKeys(files) as RunSeal['files'];
}

/** A text as it is, and whatever in it could be a name: of its options, of a recipe written as JSON. */
const partsOf = (text: string): string[] => [text, ...text.split(/[\s:=,"'{}[\]]+/)].filter((name) => name !== '');

/** What a description of an endpoint or a program could name: it is relative to its folder. */
function partsOfDescription(path: string): string[] {
  if (!/\.(ya?ml|json)$/i.test(path) || !existsSync(path)) return [];
  return partsOf(readFileSync(path, 'utf8'))
    .slice(1)
    .map((part) => join(dirname(path), part));
}

async function fileOf(name: string): Promise<string | 'missing' | undefined> {
  // Which names are too long only the system knows.
  const found = existsSync(name) ? statSync(name) : undefined;
  const isPackage = isPackageName(name) || (found?.isDirectory() && existsSync(join(name, 'package.json')));
  if (isPackage) return moduleFile(name, { what: 'a plugin', hint: '' }).catch(() => 'missing' as const);
  return found?.isFile() && !DATA.test(name) ? resolve(name) : undefined;
}

/** In the home folder, and not where runs or caches are, which are copied between machines. */
const keyFile = (): string => join(homedir(), '.local', 'state', 'robust', 'run.key');
