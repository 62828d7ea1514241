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

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** Whether only programs on this machine reach a server at this address. */
export const isLoopback = (host: string): boolean =>
  [...LOOPBACK, '::1'].includes(host.toLowerCase()) || /^127(?:\.\d+){3}$/.test(host);

/**
 * Whether a Host header names this machine at this port (RFC 9110, section 7.2). The header of a page whose site's name was pointed at this
 * machine afterwards (DNS rebinding) does not.
 */
export const isOwnHost = (header: string | undefined, port: number): boolean => {
  const [, name = '', at = '80'] = /^(.*?)(?::(\d+))?$/.exec(header?.toLowerCase() ?? '') ?? [];
  return LOOPBACK.includes(name) && Number(at) === port;
};

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
