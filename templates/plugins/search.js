/** Tries every rewrite of one word after the other in text order; the best one is the base for the next word. */
// @ts-check
import { search } from 'robust-text/plugin';

export default search({
  name: 'my-search',
  summary: 'Word by word in the order of the text, keeping the best rewrite of each.',
  create: () => ({
    name: 'word by word, in the order of the text',
    // The space applies the constraints, counts the queries and keeps the best draft; a search only chooses drafts to visit.
    async search(space) {
      for (const slot of space.editable(space.start.draft)) {
        if (space.done) return;
        await space.visit(await space.neighbours(space.best.draft, [slot]));
      }
    },
  }),
});
