/** @file Reading files from rooms outside: the types of these functions need none of Node's, as all types of the package. */
import * as read from './read.js';

/** As `openToRead` of read.ts. */
export const openToRead: (path: string) => number = read.openToRead;

/** As `createReadStream` of read.ts. */
export const createReadStream: (
  path: string,
  options?: { readonly start?: number; readonly highWaterMark?: number },
) => AsyncIterable<Uint8Array> = read.createReadStream;
