/** Real model files cut short and with bytes flipped: each is refused or answers, and the process lives on. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ModelError } from '../../src/core/errors.js';
import { random } from '../../src/core/random.js';
import { loadModel } from '../../src/model/load.js';
import { haveShared, victims } from '../model/shared.js';

const root = mkdtempSync(join(tmpdir(), 'robust-fuzz-'));

/** The structure of a file lies at its two ends, the weights in between. */
const ENDS = 30_000;

test.skipIf(!haveShared).each(['berttiny-sst2', 'imdb-wordcnn', 'sms-tfidf'])(
  '%s',
  async (name) => {
    const folder = join(root, name);
    cpSync(join(victims, name), folder, { recursive: true, mode: 0 });
    const file = join(folder, 'model.onnx');
    const whole = readFileSync(file);
    const stream = random(1, name);
    const flipped = (): Buffer => {
      const bytes = Buffer.from(whole);
      for (let flips = 1 + stream.int(4); flips > 0; flips--) {
        const at = stream.int(Math.min(ENDS, bytes.length));
        bytes[stream.int(2) === 0 ? at : bytes.length - 1 - at] = stream.int(256);
      }
      return bytes;
    };
    const stumps = Array.from({ length: 50 }, (_, at) => whole.subarray(0, Math.floor((whole.length * at) / 50)));
    for (const bytes of [...stumps, ...Array.from({ length: 150 }, flipped)]) {
      rmSync(file);
      writeFileSync(file, bytes);
      const outcome = await loadModel(folder, { workers: 1 }).catch((error: unknown) => error);
      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(ModelError);
      else await (outcome as Awaited<ReturnType<typeof loadModel>>).close();
    }
  },
  300_000,
);
