/** Collapses letters that are repeated more often than in any word: "sooo goood" is read as "so good". */
// @ts-check
import { z } from 'robust-text/plugin';

const options = z.strictObject({
  most: z.int().min(1).default(2).describe('equal letters in a row that are kept'),
});

/** @type {import('robust-text/plugin').DefencePlugin<z.infer<typeof options>>} */
export default {
  kind: 'defence',
  name: 'my-defence',
  summary: 'Reads letters that are repeated too often only once: "sooo" as "so".',
  options,
  create: ({ most }) => {
    const run = new RegExp(`(\\p{L})\\1{${most},}`, 'gu');
    return {
      conditions: `more than ${most} equal letters in a row read as one`,
      // Or `vote`, which answers instead of the victim from several versions of the text.
      rewrite: (text) => text.replace(run, '$1'),
    };
  },
};
