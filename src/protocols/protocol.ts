/** @file A protocol: how texts are sent to a server and scores come back. One file each, with both ends. */
import type { z } from 'zod';
import type { ClientEnd } from './client.js';
import type { ServerEnd } from './server.js';

export interface Protocol {
  readonly name: string;
  /** Absent if `--model` cannot name an endpoint of it. */
  readonly client?: ClientEnd;
  /** Absent if `robust serve` does not answer it. */
  readonly server?: ServerEnd;
}

/** Declares a protocol; `client.connect` gets the settings that `client.settings` declares. */
export const protocol = <Own extends z.ZodRawShape = Record<never, never>>(
  declared: Omit<Protocol, 'client'> & { readonly client?: ClientEnd<Own> },
): Protocol => declared;
