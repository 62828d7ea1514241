/** A rewrite may be longer than the text by a share of its length at most. */
// @ts-check
import { constraint, z } from 'robust-text/plugin';

export default constraint({
  name: 'my-constraint',
  summary: 'A rewrite is longer than the text by a share of it at most.',
  main: 'share',
  options: { share: z.number().min(0).default(0.1).describe('of the letters of the text') },
  create: ({ share }) => ({
    name: `at most ${share * 100} % longer`,
    // One answer a candidate. `editable(draft, slot)` would say which words may be edited at all.
    accepts: (candidates, original) => candidates.map(({ text }) => text.length <= original.text.length * (1 + share)),
  }),
});
