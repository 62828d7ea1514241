/** A vocabulary of all training texts of SST-2, in the hands of two libraries. */
import { existsSync } from 'node:fs';
import { describe, test } from 'vitest';
import { expectAlike, SST2, textsOf } from '../train/alike.js';

describe.skipIf(!existsSync(SST2))('on SST-2 (absent: ../shared/data)', () => {
  test('the native tokenizers library and the JavaScript one encode alike with our file', async () => {
    await expectAlike(textsOf(`${SST2}/train-sentences.tsv`), textsOf(`${SST2}/dev.tsv`), 3000);
  });
});
