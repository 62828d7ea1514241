/** @file The files of a TF.js model: model.json and the shards that it names, all of them in its folder. */
import { statSync } from 'node:fs';
import { basename, isAbsolute, join, normalize, sep } from 'node:path';
import type { io } from '@tensorflow/tfjs-core';
import { ModelError } from '../core/errors.js';
import { isObject, type JsonObject } from '../core/json.js';
import { ANY_SIZE, readFileSync } from '../files/read.js';

/** The file that makes a folder a model of TF.js. */
export const TFJS_FILE = 'model.json';

export const isTfjsFile = (path: string): boolean => basename(path) === TFJS_FILE;

/** Weight files named by a model.json; none if it is not JSON, which its reader reports. */
export function shardNames(text: string): string[] {
  try {
    const { weightsManifest } = JSON.parse(text);
    return weightsManifest.flatMap(({ paths }: { paths: unknown[] }) =>
      paths.filter((path) => typeof path === 'string'),
    );
  } catch {
    return [];
  }
}

/** The shards that a model.json names, absolute. Throws ModelError where one is missing or lies elsewhere: a stranger's model reads its own files. */
export const shardsOf = (path: string): string[] => groupsOf(path, readJson(path)).flatMap(({ files }) => files);

export interface TfjsFile {
  /** A graph of TensorFlow, rather than layers of Keras. */
  readonly isGraph: boolean;
  readonly json: JsonObject;
  /** What TF.js is given, so that it reads no file and reaches no address. */
  readonly artifacts: io.ModelArtifacts;
}

/** Throws ModelError where the file is damaged, or a shard is missing. */
export function readTfjs(path: string): TfjsFile {
  const json = readJson(path);
  const { format, modelTopology: top, signature, userDefinedMetadata } = json;
  if (!isObject(top)) throw damaged(path, 'no object under modelTopology');
  const groups = groupsOf(path, json);
  const bytes = Buffer.concat(groups.flatMap(({ files }) => files.map((file) => readFileSync(file, null, ANY_SIZE))));
  return {
    isGraph: format === 'graph-model' || Array.isArray(top.node),
    json,
    artifacts: {
      modelTopology: top,
      ...(isObject(signature) && { signature }),
      ...(isObject(userDefinedMetadata) && { userDefinedMetadata: userDefinedMetadata as Record<string, object> }),
      weightSpecs: groups.flatMap(({ weights }) => weights as io.WeightsManifestEntry[]),
      weightData: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer,
    },
  };
}

const damaged = (path: string, got: string, cause?: unknown): ModelError =>
  new ModelError(`${path}: expected a model of TF.js, got ${got}`, {
    code: 'MODEL_DAMAGED',
    hint: 'Fetch model.json and its shards again, or make them again with tensorflowjs_converter.',
    cause,
  });

function readJson(path: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw damaged(path, 'what is no JSON', cause);
  }
  if (isObject(value)) return value;
  throw damaged(path, 'JSON that is not an object');
}

function groupsOf(path: string, { weightsManifest }: JsonObject): { files: string[]; weights: readonly unknown[] }[] {
  if (!Array.isArray(weightsManifest)) throw damaged(path, 'no list under weightsManifest');
  return weightsManifest.map((group) => {
    const { paths, weights } = (group ?? {}) as JsonObject;
    if (!Array.isArray(paths) || !Array.isArray(weights) || !paths.every((each) => typeof each === 'string'))
      throw damaged(path, 'a group of weightsManifest without paths and weights');
    return { files: paths.map((name) => shard(path, name)), weights };
  });
}

function shard(path: string, name: string): string {
  const way = normalize(name);
  if (isAbsolute(name) || way === '..' || way.startsWith(`..${sep}`))
    throw new ModelError(`${path}: names the file "${name}", which lies outside the model's folder`, {
      code: 'MODEL_DAMAGED',
      hint: 'Put the file beside the model and name it without a path.',
    });
  const file = join(path, '..', way);
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) return file;
  throw new ModelError(`${path}: names the file of weights "${name}", which does not exist`, {
    code: 'MODEL_DAMAGED',
    hint: 'Put every shard that weightsManifest names beside model.json.',
  });
}
