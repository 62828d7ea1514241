/** Limits the length of a rewrite relative to the text. */
// @ts-check
import { constraint, z } from 'robust-text/plugin';

export default constraint({
  name: 'my-constraint',
  summary: 'Limits the added length to a share of the text.',
  main: 'share',
  options: { share: z.number().min(0).default(0.1).describe('of the letters of the text') },
  create: ({ share }) => ({
    name: `at most ${share * 100} % longer`,
    // One answer per candidate. `editable(draft, slot)` could exclude words from editing.
    accepts: (candidates, original) => candidates.map(({ text }) => text.length <= original.text.length * (1 + share)),
  }),
});
