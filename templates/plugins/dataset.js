/** Labelled texts from a source other than a file: here a list of comments, in practice a database or a service. */
// @ts-check
import { z } from 'robust-text/plugin';

const THINGS = ['room', 'breakfast', 'pool', 'bed', 'view', 'service', 'garden', 'shower'];
const STARS = { wonderful: 5, 'clean and quiet': 4, 'a pleasant surprise': 4, awful: 1, 'dirty and noisy': 2 };

const options = z.strictObject({
  things: z.int().min(1).default(THINGS.length).describe('how many things are commented on'),
});

/** @type {import('robust-text/plugin').DatasetPlugin<z.infer<typeof options>>} */
export default {
  kind: 'dataset',
  name: 'my-dataset',
  summary: 'Comments of guests, and whether they are content.',
  options,
  create: ({ things }) => ({
    // Called more than once, and returns the same rows each time. Usual column names are recognised; flags name others.
    async *rows() {
      for (const thing of THINGS.slice(0, things)) {
        for (const [found, stars] of Object.entries(STARS)) {
          yield { text: `The ${thing} was ${found}, and I stayed a week.`, label: stars > 3 ? 'positive' : 'negative' };
        }
      }
    },
  }),
};
