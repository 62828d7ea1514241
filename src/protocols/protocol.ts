/** @file A protocol: how texts are sent to a server and scores come back. One file each. */
import type { z } from 'zod';
import type { ClientEnd } from './client.js';

export interface Protocol extends ClientEnd {
  readonly name: string;
}

/** Declares a protocol; `connect` gets the settings that `settings` declares. */
export const protocol = <Own extends z.ZodRawShape = Record<never, never>>(
  declared: ClientEnd<Own> & { readonly name: string },
): Protocol => declared;
