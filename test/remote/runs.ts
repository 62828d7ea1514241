/** Runs against endpoints beside the same run against the model itself. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EndpointCounts } from '../../src/core/endpoint.js';
import type { ProtocolName } from '../../src/remote/settings.js';
import { folder } from '../commands/cli.js';

/** A file of the latest run in a folder. */
function runFile(cwd: string, name: string): string {
  const run = readFileSync(join(cwd, '.robust/runs/latest'), 'utf8').trim();
  return readFileSync(join(cwd, '.robust/runs', run, name), 'utf8');
}

export const journal = (cwd: string): string => runFile(cwd, 'results.jsonl');

/** What its record says was asked of an endpoint. */
export const askedOf = (cwd: string): EndpointCounts => JSON.parse(runFile(cwd, 'run.json')).endpoint;

/** The word for `--model` that names a file with this description of an endpoint. */
export const endpointFile = (description: object): string =>
  `http:${join(folder({ 'endpoint.json': JSON.stringify(description) }), 'endpoint.json')}`;

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
