/** @file A server's beginning and end. */
import type { Server } from 'node:http';
import { UsageError } from '../core/errors.js';

const ELSEWHERE = 'Give another one: --port N (0: any that is free), or --host where the command has it.';

/** Throws UsageError (ADDRESS_UNAVAILABLE) with `hint` where it cannot listen. */
export function listening(server: Server, host: string, port: number, hint = ELSEWHERE): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void => reject(unavailable(host, port, error, hint));
    server.once('error', failed);
    server.listen(port, host, () => {
      server.off('error', failed);
      resolve();
    });
  });
}

function unavailable(host: string, port: number, error: NodeJS.ErrnoException, hint: string): UsageError {
  const why: Readonly<Record<string, string>> = {
    EADDRINUSE: 'another program listens there',
    EACCES: 'the system allows it to other users only',
    EADDRNOTAVAIL: 'no interface of this machine has that address',
    ENOTFOUND: 'no address is known by that name',
  };
  return new UsageError(`expected to listen at ${host}:${port}, but ${why[error.code ?? ''] ?? error.message}`, {
    code: 'ADDRESS_UNAVAILABLE',
    hint,
    cause: error,
  });
}

/** Takes no more connections, and cuts those that last longer than so many seconds. */
export function closed(server: Server, grace: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), grace * 1000);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
  });
}
