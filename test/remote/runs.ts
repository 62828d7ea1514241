/** Runs against endpoints beside the same run against the model itself. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EndpointCounts } from '../../src/core/endpoint.js';
import { servedProtocols } from '../../src/protocols/index.js';
import { addressIn } from '../../src/remote/index.js';
import { folder } from '../commands/cli.js';

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

const answered = servedProtocols.filter(
  ({ client, server }) => client && server.path && !server.carries?.includes('spans'),
);

/** Every protocol that both ends speak, and any JSON API. */
export const ENDPOINTS: readonly TestEndpoint[] = [
  ...answered.map(({ name, server }) => ({
    protocol: name,
    remote(url: string, model: string): object {
      const address = addressIn(`${name}+${url}${server.path?.(model)}`);
      if (address?.kind !== 'settings') throw new Error(`${name}: expected an address`);
      return address.settings;
    },
  })),
  {
    protocol: 'http',
    remote: (url) => ({ protocol: 'http', url, body: { texts: '{{texts}}' }, answer: { rows: '/answers/*/scores' } }),
  },
];
