/** Labelled texts from where no file is: here lines of a mailbox, as a database or a service would give them. */
// @ts-check
import { z } from 'robust-text/plugin';

const MAILS = [
  { subject: 'Win a prize now', folder: 'junk' },
  { subject: 'Minutes of the meeting', folder: 'inbox' },
  { subject: 'You have been chosen', folder: 'junk' },
  { subject: 'Lunch on Friday?', folder: 'inbox' },
];

const options = z.strictObject({
  times: z.int().min(1).default(10).describe('how often the mailbox is read over'),
});

/** @type {import('robust-text/plugin').DatasetPlugin<z.infer<typeof options>>} */
export default {
  kind: 'dataset',
  name: 'my-dataset',
  summary: 'Subjects of mails, and whether they are junk.',
  options,
  create: ({ times }) => ({
    // Called more than once, and gives the same each time. Usual names of columns are found; flags name others.
    async *rows() {
      for (let time = 0; time < times; time++) {
        for (const { subject, folder } of MAILS) yield { text: subject, label: folder };
      }
    },
  }),
};
