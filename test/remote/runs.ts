/** Runs against endpoints beside the same run against the model itself. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EndpointCounts } from '../../src/core/endpoint.js';
import { addressIn } from '../../src/remote/index.js';
import { kserveAddress } from '../../src/serve/kserve-v2.js';
import { folder } from '../commands/cli.js';
import { DIALECTS } from './dialects.js';

/** A file of the latest run in a folder. */
function runFile(cwd: string, name: string): string {
  const run = readFileSync(join(cwd, '.robust/runs/latest'), 'utf8').trim();
  return readFileSync(join(cwd, '.robust/runs', run, name), 'utf8');
}

export const journal = (cwd: string): string => runFile(cwd, 'results.jsonl');

/** Counts of its record for an endpoint. */
export const askedOf = (cwd: string): EndpointCounts => JSON.parse(runFile(cwd, 'run.json')).endpoint;

/** The word for `--model` that names a file with this description of an endpoint. */
export const endpointFile = (description: object): string =>
  `http:${join(folder({ 'endpoint.json': JSON.stringify(description) }), 'endpoint.json')}`;

/** An endpoint that serves `model` in a protocol, as an endpoint.yaml describes it. */
export interface TestEndpoint {
  readonly protocol: string;
  remote(url: string, model: string): object;
}

/** The word behind `--model`, by protocol. */
export const ADDRESSES: readonly (readonly [protocol: string, address: (url: string, model: string) => string])[] = [
  ['kserve-v2', kserveAddress],
  ...Object.entries(DIALECTS).map(
    ([name, { path }]) => [name, (url: string, model: string) => `${name}+${url}${path(model)}`] as const,
  ),
];

/** Every protocol of labels that has addresses, and any JSON API. */
export const ENDPOINTS: readonly TestEndpoint[] = [
  ...ADDRESSES.map(([protocol, addressOf]) => ({
    protocol,
    remote(url: string, model: string): object {
      const address = addressIn(addressOf(url, model));
      if (address?.kind !== 'settings') throw new Error(`${protocol}: expected an address`);
      return address.settings;
    },
  })),
  {
    protocol: 'http',
    remote: (url) => ({ protocol: 'http', url, body: { texts: '{{texts}}' }, answer: { rows: '/answers/*/scores' } }),
  },
];
