/** The documents of the project: guides in docs/, generated and looked-up pages in docs/reference/, measurement notes in docs/research/. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../src/core/package-root.js';

/** Paths of all documents below the package, such as `docs/reference/metrics.md`, sorted. */
export const documents: readonly string[] = readdirSync(join(packageRoot, 'docs'), {
  recursive: true,
  encoding: 'utf8',
})
  .filter((file) => file.endsWith('.md'))
  .map((file) => `docs/${file}`)
  .sort();

/** The pages at the top of docs/: each leads one reader through one task. */
export const guides: readonly string[] = documents.filter((file) => !/^docs\/(?:reference|research)\//.test(file));

export const readDocument = (file: string): string => readFileSync(join(packageRoot, file), 'utf8');
