import { z } from 'zod';
import type { DefencePlugin } from '../core/defence.js';
import { Draft } from '../core/draft.js';
import { getOrCompute } from '../core/get-or-compute.js';
import { matchCase } from '../language/match-case.js';
import { neighbourhood } from '../language/neighbourhood.js';
import { countVotes, voteShares, votes } from './votes.js';

const options = z.strictObject({
  samples: z.int().min(1).default(50).describe('versions that vote'),
  synonyms: z.int().min(1).default(8).describe('most synonyms a word may become'),
});

/** Versions with random synonyms vote. */
export const safer: DefencePlugin<z.infer<typeof options>> = {
  kind: 'defence',
  name: 'safer',
  summary: 'Swaps every word for a random synonym and lets many such versions of a text vote.',
  paper: {
    title:
      'Ye, Gong, Liu: SAFER: A Structure-free Approach for Certified Robustness to Adversarial Word Substitutions, ACL 2020',
    url: 'https://arxiv.org/abs/2005.14424',
  },
  options,
  language: ['synonyms', 'antonyms', 'stopWords'],
  create: ({ samples, synonyms }, { language }) => {
    const neighbours = neighbourhood(language);
    const known = new Map<string, readonly string[]>();
    const withSynonyms = (word: string): readonly string[] => {
      const others = neighbours(word).filter((other) => /^[a-z]{2,}$/.test(other));
      return [word, ...others.slice(0, synonyms)];
    };
    const setOf = (word: string): readonly string[] => getOrCompute(known, word, withSynonyms);
    return {
      conditions: `vote of ${samples} versions, each word a random one of itself and up to ${synonyms} WordNet synonyms; not certified`,
      vote: async (text, victim, random) => {
        const draft = Draft.of(text);
        const versions = Array.from({ length: samples }, () => {
          const words = draft.words.flatMap((word, slot): [number, string][] => {
            const lower = word.toLowerCase();
            const choice = random.pick(setOf(lower));
            return choice === lower ? [] : [[slot, matchCase(choice, word)]];
          });
          return draft.replaceAll(new Map(words)).text;
        });
        return voteShares(countVotes(await votes(versions, victim), victim.labels.length), samples);
      },
    };
  },
};
