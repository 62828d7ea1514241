import { basename } from 'node:path';
import { ModelError, messageOf } from '../../core/errors.js';
import { isObject, type JsonObject, parseJson } from '../../core/json.js';
import { readFile } from '../../files/read.js';

/**
 * The parsed content of a JSON file that belongs to a model. Throws ModelError (MODEL_DAMAGED) where the file is larger
 * than the reader takes, is not UTF-8 JSON, or is not an object at its top.
 */
export async function readJsonObject(path: string): Promise<JsonObject> {
  const value = await readJson(path);
  if (isObject(value)) return value;
  throw invalid(path, `expected a JSON object, got ${Array.isArray(value) ? 'an array' : typeof value}`);
}

/** The same of a file that is an array at its top. */
export async function readJsonArray(path: string): Promise<unknown[]> {
  const value = await readJson(path);
  if (!Array.isArray(value)) throw invalid(path, `expected a JSON array, got ${typeof value}`);
  return value;
}

async function readJson(path: string): Promise<unknown> {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path)));
  } catch (cause) {
    throw invalid(path, `expected UTF-8 JSON: ${messageOf(cause)}`, cause);
  }
}

function invalid(path: string, what: string, cause?: unknown): ModelError {
  return new ModelError(`${path}: ${what}`, {
    code: 'MODEL_DAMAGED',
    hint: `Export the model again, or fetch ${basename(path)} afresh.`,
    cause,
  });
}
