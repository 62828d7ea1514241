/**
 * @file Peak memory of gradient attacks on a DistilBERT-base-sized model: classify texts as a run does, take gradients, step
 * along their sign, classify the moved embeddings. Aim: below 1.5 GB for the whole process, black box and white box together.
 *
 *     npm run bench dist/bench/gradient-memory.js
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openWhiteBox } from '../src/gradient/white-box/white-box.js';
import { loadModel } from '../src/model/load.js';
import { DISTILBERT_BASE, writeFolder } from './models.js';

const TEXTS = 32;
const WORDS = 30;

const megabytes = (): number => process.resourceUsage().maxRSS / 1024;

async function attack(folder: string): Promise<void> {
  const texts = Array.from({ length: TEXTS }, (_, text) =>
    Array.from({ length: WORDS }, (_, at) => `w${(text * 31 + at * 7) % DISTILBERT_BASE.vocabulary}`).join(' '),
  );
  const model = await loadModel(folder);
  await model.classify(texts);
  const classified = megabytes();
  const box = await openWhiteBox(model);
  const opened = megabytes();
  const begun = performance.now();
  await Promise.all(
    texts.map(async (text) => {
      const { tokens, embeddings, values } = await box.gradient(text, 0);
      await box.classifyEmbeddings([embeddings.map((value, i) => value + 0.1 * Math.sign(values[i]))], tokens);
    }),
  );
  const seconds = (performance.now() - begun) / 1000;
  console.log(
    `peak memory: ${classified.toFixed(0)} MB once ${TEXTS} texts of ${WORDS} tokens are classified, ` +
      `${opened.toFixed(0)} MB once gradients are ready, ${megabytes().toFixed(0)} MB after ${TEXTS} FGSM steps (${seconds.toFixed(1)} s)`,
  );
  await box.close();
  await model.close();
}

const [given] = process.argv.slice(2);
if (given !== undefined) await attack(given);
else {
  const folder = mkdtempSync(join(tmpdir(), 'gradient-memory-'));
  try {
    writeFolder(folder, DISTILBERT_BASE);
    // In a process of its own, so that what made the model does not count.
    execFileSync(process.execPath, [fileURLToPath(import.meta.url), folder], { stdio: 'inherit' });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
