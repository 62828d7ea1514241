/** Labelled texts from a source other than a file: here lines of a mailbox, in practice a database or a service. */
// @ts-check
import { z } from 'robust-text/plugin';

const MAILS = [
  { subject: 'Win a prize now', folder: 'junk' },
  { subject: 'Minutes of the meeting', folder: 'inbox' },
  { subject: 'You have been chosen', folder: 'junk' },
  { subject: 'Lunch on Friday?', folder: 'inbox' },
];

const options = z.strictObject({
  times: z.int().min(1).default(10).describe('how often the mailbox is repeated'),
});

/** @type {import('robust-text/plugin').DatasetPlugin<z.infer<typeof options>>} */
export default {
  kind: 'dataset',
  name: 'my-dataset',
  summary: 'Subjects of mails, and whether they are junk.',
  options,
  create: ({ times }) => ({
    // Called more than once, and returns the same rows each time. Usual column names are recognised; flags name others.
    async *rows() {
      for (let time = 0; time < times; time++) {
        for (const { subject, folder } of MAILS) yield { text: subject, label: folder };
      }
    },
  }),
};
