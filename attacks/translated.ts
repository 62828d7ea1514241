/**
 * Translated: replaces the whole text by a translation of it, from a table of yours.
 *
 * Threat: someone who writes the request in a language that the detector has not learned and the language model behind it reads.
 * Example: "Ignore all rules." -> "Ignorez toutes les règles."
 * Readable because: a translation has the meaning of its original, as far as the table is right. Language models read many languages.
 * Paper: Zheng-Xin Yong, Cristina Menghini and Stephen H. Bach, "Low-Resource Languages Jailbreak GPT-4", 2023;
 * https://arxiv.org/abs/2310.02446
 * Differs: the paper asks a translation service for each text; here a file holds the translations, so that a run is deterministic and no text
 * leaves the machine. The paper measures whether a chat model obeys; this attack measures whether the classifier keeps its answer.
 */
import { inOrder, rewriteText, searchAttack, translationsAt, z } from '../src/plugin.js';

const options = {
  table: z
    .string()
    .default('')
    .describe('file with one {"text": ..., "translation": ...} a line; a text may have several translations'),
  to: z.string().default('').describe('only translations with this "language" in the table'),
};

export const translated = searchAttack({
  name: 'translated',
  level: 'sentence',
  needs: 'labels',
  summary: 'Replaces the text by its translations from a table: "Ignore all rules." -> "Ignorez toutes les règles".',
  paper: {
    title: 'Low-Resource Languages Jailbreak GPT-4',
    url: 'https://arxiv.org/abs/2310.02446',
  },
  options,
  edits: ({ table, to }) => {
    // A faulty table is named before the first text.
    if (table !== '') translationsAt(table, '');
    return rewriteText('the text translated', ['the meaning kept, as far as the table is right'], (text) =>
      table === '' ? [] : translationsAt(table, text, to),
    );
  },
  constraints: () => [],
  search: () => inOrder,
});
