/**
 * PSO: a particle swarm of rewrites, each moving towards its own best and the swarm's best.
 *
 * Threat: someone with many queries who wants the fewest changed words.
 * Example: "the movie is a risky bet" -> "the film is a dangerous bet"
 * Readable because: each word changes into a synonym of the intended meaning, correctly inflected; never an opposite.
 * Paper: Yuan Zang, Fanchao Qi, Chenghao Yang, Zhiyuan Liu, Meng Zhang, Qun Liu and Maosong Sun, "Word-level Textual
 * Adversarial Attacking as Combinatorial Optimization", ACL 2020, section 4; https://aclanthology.org/2020.acl-main.540
 * Differs: the paper's candidates share a word's sememes in HowNet, whose licence forbids redistribution; ours are
 * WordNet's. `constraints=textattack` takes all lemmas, as the search benchmark of Yoo et al. 2020 does for its WordNet
 * rows. Particles begin as rewrites of one word, drawn by their gain.
 */
import { presetAttack, swarm, z } from '../src/plugin.js';

const options = {
  population: z.int().min(2).default(60).describe('texts in the swarm (paper: 60)'),
  rounds: z.int().min(1).default(20).describe('rounds (paper: 20)'),
};

export const pso = presetAttack({
  name: 'pso',
  summary: 'Searches rewrites by a particle swarm with many queries: "a risky bet" -> "a dangerous bet".',
  paper: {
    title: 'Word-level Textual Adversarial Attacking as Combinatorial Optimization',
    url: 'https://aclanthology.org/2020.acl-main.540',
  },
  options,
  search: ({ population, rounds }) => swarm({ population, rounds }),
});
