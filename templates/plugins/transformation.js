/** Repeats words: "a good film" -> "a good good film". */
// @ts-check
import { swapWords, transformation, z } from 'robust-text/plugin';

export default transformation({
  name: 'my-transformation',
  summary: 'Writes a word twice: "good" -> "good good".',
  options: { between: z.string().default(' ').describe('separator between the two') },
  create: ({ between }) => swapWords('a word written twice', (word) => [`${word}${between}${word}`]),
});
