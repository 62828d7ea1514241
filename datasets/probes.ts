/**
 * @file The bundled probes as minimal pairs, for behavioural tests in the manner of CheckList (Ribeiro et al. 2020, section 2).
 * Relations: INV, both sentences deserve the same label; DIR, the second moves towards its own label (and to it where
 * the labels differ); MFT, each sentence alone deserves its label.
 */
import { bundledPath } from './bundled.js';
import { readTsv } from './delimited.js';

export interface ProbeSentence {
  /** The example's id in the data set `probes`. */
  readonly id: string;
  readonly text: string;
  readonly label: string;
}

export interface ProbePair {
  readonly id: string;
  /** What it takes to get it right: "typo", "double negation". */
  readonly capability: string;
  readonly relation: 'INV' | 'DIR' | 'MFT';
  readonly original: ProbeSentence;
  readonly variant: ProbeSentence;
}

/** All pairs, in file order. */
export async function probePairs(): Promise<ProbePair[]> {
  const table = await readTsv(bundledPath('probes') as string, () => false);
  const pairs: ProbePair[] = [];
  let original: ProbeSentence | undefined;
  for await (const { cells } of table.rows(['id', 'text', 'label', 'pair', 'capability', 'relation'])) {
    const [id, text, label, pair, capability, relation] = cells as string[];
    const probe = { id, text, label } as ProbeSentence;
    if (original === undefined) {
      original = probe;
    } else {
      pairs.push({ id: pair, capability, relation, original, variant: probe } as ProbePair);
      original = undefined;
    }
  }
  return pairs;
}
