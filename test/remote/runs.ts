/** Runs against endpoints beside the same run against the model itself. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProtocolName } from '../../src/remote/settings.js';
import { folder } from '../commands/cli.js';

/** The journal of the latest run in a folder. */
export function journal(cwd: string): string {
  const run = readFileSync(join(cwd, '.robust/runs/latest'), 'utf8').trim();
  return readFileSync(join(cwd, '.robust/runs', run, 'results.jsonl'), 'utf8');
}

/** A folder with a robust.json, or an empty one. */
export const endpointFolder = (manifest?: object): string =>
  folder(manifest === undefined ? {} : { 'robust.json': JSON.stringify(manifest) });

/** What is said of an endpoint that serves `model` in a protocol, beside its address. */
export const ENDPOINTS: readonly (readonly [
  protocol: ProtocolName,
  path: (model: string) => string,
  others?: object,
])[] = [
  ['kserve-v2', (model) => `/v2/models/${model}`],
  ['kserve-v1', (model) => `/v1/models/${model}`],
  ['tei', () => ''],
  ['vllm', () => ''],
  ['tfserving', (model) => `/v1/models/${model}`],
  ['hf-inference', (model) => `/models/${model}`],
  ['openai-moderation', () => '/v1'],
  ['openai-chat', () => '/v1'],
  ['http', () => '', { body: { texts: '{{texts}}' }, answer: { rows: '/answers/*/scores' } }],
];
