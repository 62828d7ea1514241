import type { Encoder } from './encoder.js';

/** For graphs that take the text itself and do their own splitting, such as scikit-learn exports. */
export function stringEncoder(): Encoder {
  const encoded = { ids: new Int32Array(0), truncated: false };
  return {
    kind: 'string',
    maximum: Number.POSITIVE_INFINITY,
    encode: () => encoded,
    tokens: () => [],
    tokenText: () => undefined,
    words: () => [],
  };
}
