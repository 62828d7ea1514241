/** @file The bundled data sets. */
import { join } from 'node:path';
import { must } from '../src/core/errors.js';
import { packaged, packageRoot } from '../src/core/package-root.js';

export interface BundledDataset {
  readonly name: string;
  readonly summary: string;
  /** Number of examples. */
  readonly size: number;
  /** Its texts have tagged spans: it needs --task tags. */
  readonly tags?: true;
}

interface Bundled {
  readonly summary: string;
  readonly file: string;
  readonly tags?: true;
}

const BUNDLED: Readonly<Record<string, Bundled>> = {
  reviews: {
    summary: 'English review sentences from many domains, negative or positive; the default data',
    file: 'reviews.tsv',
  },
  probes: {
    summary:
      'minimal pairs: typos, split words, synonyms, negation and double negation, with the relation a model must keep',
    file: 'probes.tsv',
  },
  prompts: {
    summary:
      'requests to a language model: harmless examples of ten families of prompt injection, and benign requests about the same topics',
    file: 'prompts.tsv',
  },
  notes: {
    summary: 'notes, tickets, appointments and mails with personal data of ten types, all invented; for --task tags',
    file: 'notes.jsonl',
    tags: true,
  },
};

/** Names accepted as `--data`. */
export const bundledNames: readonly string[] = Object.keys(BUNDLED);

/** The bundled data sets, for `robust list`. */
export function bundledDatasets(): BundledDataset[] {
  return bundledNames.map((name) => {
    const text = packaged('datasets', 'data', must(BUNDLED[name]).file);
    const { summary, tags } = must(BUNDLED[name]);
    // Tables have a header.
    const size = text.trimEnd().split('\n').length - (tags ? 0 : 1);
    return { name, summary, size, ...(tags && { tags }) };
  });
}

/** The file of a bundled data set, or undefined for other names. */
export function bundledPath(name: string): string | undefined {
  const bundled = Object.hasOwn(BUNDLED, name) ? BUNDLED[name] : undefined;
  return bundled && join(packageRoot, 'datasets', 'data', bundled.file);
}
