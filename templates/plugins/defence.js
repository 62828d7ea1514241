/** Letters that are repeated more often than any word does are read once: "sooo goood" as "so good". */
// @ts-check
import { z } from 'robust-text/plugin';

const options = z.strictObject({
  most: z.int().min(1).default(2).describe('letters in a row that are left alone'),
});

/** @type {import('robust-text/plugin').DefencePlugin<z.infer<typeof options>>} */
export default {
  kind: 'defence',
  name: 'my-defence',
  summary: 'Reads a letter once that is repeated too often: "sooo" as "so".',
  options,
  create: ({ most }) => {
    const run = new RegExp(`(\\p{L})\\1{${most},}`, 'gu');
    return {
      conditions: `more than ${most} equal letters in a row read as one`,
      // Or `vote`, which answers in the victim's stead from several versions of the text.
      rewrite: (text) => text.replace(run, '$1'),
    };
  },
};
