/** Labelled texts from a source other than a file: here a list of comments, in practice a database or a service. */
// @ts-check
import { z } from 'robust-text/plugin';

const COMMENTS = [
  { comment: 'The room was spotless and the staff could not have been kinder', stars: 5 },
  { comment: 'A dull film with a terrible plot', stars: 1 },
  { comment: 'Works perfectly, and the battery lasts for days', stars: 4 },
  { comment: 'It broke after a week and nobody answers my mails', stars: 1 },
];

const options = z.strictObject({
  times: z.int().min(1).default(10).describe('how often the comments are repeated'),
});

/** @type {import('robust-text/plugin').DatasetPlugin<z.infer<typeof options>>} */
export default {
  kind: 'dataset',
  name: 'my-dataset',
  summary: 'Comments of guests, and whether they are content.',
  options,
  create: ({ times }) => ({
    // Called more than once, and returns the same rows each time. Usual column names are recognised; flags name others.
    async *rows() {
      for (let time = 0; time < times; time++) {
        for (const { comment, stars } of COMMENTS) yield { text: comment, label: stars > 3 ? 'positive' : 'negative' };
      }
    },
  }),
};
