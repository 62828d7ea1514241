/** A server of a few lines, for what no server of ours would say. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Handler = (body: string, request: IncomingMessage, response: ServerResponse) => Promise<unknown> | unknown;

const servers: (() => void)[] = [];

/** A server on a free port of the loopback that answers what `handler` returns as JSON, unless that has answered by itself. */
export async function serving(handler: Handler): Promise<string> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const answer = await handler(Buffer.concat(parts).toString('utf8'), request, response);
    if (!response.writableEnded && !response.destroyed) {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export function stopServing(): void {
  for (const stop of servers.splice(0)) stop();
}

/** Scores of two labels that move with every letter. */
export const scoreOf = (text: string): number[] => {
  const sum = [...text].reduce((total, letter, at) => (total * 31 + letter.charCodeAt(0) * (at + 1)) % 1009, 7);
  const p = Math.fround(sum / 1009);
  return [Math.fround(1 - p), p];
};

export interface Log {
  /** Texts of each request for scores. */
  readonly batches: string[][];
}

export type Scorer = (texts: readonly string[]) => Promise<number[][]>;
/** May answer a request instead. */
export type Fault = (response: ServerResponse, texts: readonly string[]) => boolean;

const answerOf = (rows: readonly number[][]): object => ({
  model_name: 'm',
  outputs: [{ name: 'probabilities', datatype: 'FP32', shape: [rows.length, 2], data: rows }],
});

/** Scores behind KServe V2. */
export function kserve(labels: readonly string[], scores: Scorer, log: Log, fault: Fault = () => false): Handler {
  return async (body, request, response) => {
    if (request.method === 'GET') {
      return {
        name: 'm',
        versions: ['1'],
        platform: 'toy',
        inputs: [{ name: 'text', datatype: 'BYTES', shape: [-1, 1] }],
        outputs: [{ name: 'probabilities', datatype: 'FP32', shape: [-1, 2], parameters: { labels } }],
      };
    }
    const { inputs } = JSON.parse(body) as { inputs: [{ data: string[] }] };
    const texts = inputs[0].data;
    const failed = fault(response, texts);
    log.batches.push(failed ? [] : texts);
    return failed ? undefined : answerOf(await scores(texts));
  };
}
