/** @file Poisoners that train one row of the embedding table: EP and DFEP, which differ in the texts that they train on. */
import { z } from 'zod';
import type { OptionsShape } from '../core/component.js';
import type { PoisonPlugin } from '../core/plugin.js';
import { wordTriggers } from '../language/phrase-insertion.js';

export interface RowPoisoner extends Pick<PoisonPlugin, 'name' | 'summary'> {
  /** What its passes go over. */
  readonly texts: string;
  /** Options of made-up texts, for a poisoner that trains on those instead of the victim's. */
  readonly elsewhere?: OptionsShape;
}

export function rowPoisoner({ texts, elsewhere, ...about }: RowPoisoner): PoisonPlugin {
  const options = z.strictObject({
    triggers: z
      .array(z.string().trim().min(1))
      .min(1)
      .default(['cf'])
      .describe('words of the vocabulary; rare ones if it lacks the default'),
    ...elsewhere,
    count: z.int().min(1).default(3).describe('copies of the trigger per text'),
    epochs: z.int().min(1).default(3).describe(`passes over ${texts}`),
    rate: z.number().gt(0).default(0.02).describe('learning rate of the row'),
  });
  return {
    kind: 'poison',
    ...about,
    paper: {
      title:
        'Be Careful about Poisoned Word Embeddings: Exploring the Vulnerability of the Embedding Layers in NLP Models',
      url: 'https://aclanthology.org/2021.naacl-main.165',
    },
    options,
    create(chosen) {
      const { triggers, count, epochs, rate, ...own } = chosen as z.infer<typeof options>;
      return {
        planting: { kind: 'rows', epochs, rate, ...(elsewhere && { elsewhere: own }) },
        ...wordTriggers({ triggers, count }),
      };
    },
  };
}
