/** @file A user's own classifier: any JavaScript module whose default export has `labels` and `classify`. */
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ModelError } from '../core/errors.js';
import type { Classifier } from '../core/types.js';
import { Cached } from './cached.js';
import { fingerprint } from './fingerprint.js';
import type { LoadedModel, LoadOptions } from './load.js';
import type { ModuleFile } from './resolve.js';

/** Throws ModelError (MODULE_INVALID) where the module cannot be imported or exports something else. */
export async function openModule(file: ModuleFile, options: LoadOptions): Promise<LoadedModel> {
  const inner = await importClassifier(file.path);
  const labels = options.labels ?? inner.labels;
  let computed = 0;
  let batches = 0;
  let busy = 0;
  const cache = new Cached(async (text) => {
    const begun = performance.now();
    const [row] = await inner.classify([text]);
    busy += (performance.now() - begun) / 1000;
    computed++;
    batches++;
    return checked(row, labels, file.path);
  }, options.cacheEntries ?? 32_768);
  return {
    name: file.name,
    sha256: await fingerprint(dirname(file.path), [file.path]),
    paths: [file.path],
    labels,
    maximumTokens: Number.POSITIVE_INFINITY,
    classify: (texts) => Promise.all(texts.map((text) => cache.ask(text))),
    figures: () => ({
      computed,
      batches,
      meanBatch: batches === 0 ? 0 : computed / batches,
      paddingWaste: 0,
      secondsBusy: busy,
      truncated: 0,
    }),
    close: async () => {},
  };
}

async function importClassifier(path: string): Promise<Classifier> {
  let exported: unknown;
  try {
    exported = (await import(pathToFileURL(path).href)).default;
  } catch (cause) {
    throw invalid(path, `it cannot be imported: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
  if (!isClassifier(exported))
    throw invalid(path, `expected a default export { labels, classify }, got ${typeof exported}`);
  return exported;
}

function isClassifier(value: unknown): value is Classifier {
  if (typeof value !== 'object' || value === null || !('labels' in value) || !('classify' in value)) return false;
  const { labels, classify } = value;
  return Array.isArray(labels) && labels.every((label) => typeof label === 'string') && typeof classify === 'function';
}

function checked(row: unknown, labels: readonly string[], path: string): Float32Array {
  const values = row instanceof Float32Array ? row : Array.isArray(row) ? Float32Array.from(row) : undefined;
  if (values === undefined || values.length !== labels.length || !values.every((p) => p >= 0 && p <= 1)) {
    throw invalid(path, `expected ${labels.length} probabilities per text, got ${JSON.stringify(row)?.slice(0, 100)}`);
  }
  return values;
}

function invalid(path: string, what: string, cause?: unknown): ModelError {
  return new ModelError(`${path}: ${what}`, {
    code: 'MODULE_INVALID',
    hint: 'Export default { labels: ["negative", "positive"], async classify(texts) { return texts.map(() => new Float32Array([0.5, 0.5])) } }.',
    cause,
  });
}
