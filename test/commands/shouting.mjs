// A user's own attack, as one file: it shouts one word after the other.
import { compose, greedy, noRepeat, rankings, swapWords, z } from 'robust-text/plugin';

export default {
  kind: 'evasion',
  name: 'shouting',
  level: 'word',
  needs: 'scores',
  summary: 'Writes a word in capitals: "good" -> "GOOD".',
  options: z.strictObject({}),
  create: () =>
    compose({
      transformation: swapWords('a word in capitals', function* (word) {
        yield word.toUpperCase();
      }),
      constraints: [noRepeat],
      search: greedy(rankings.delete),
    }),
};
