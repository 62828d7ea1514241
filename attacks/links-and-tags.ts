/**
 * Links and tags: adds a web address, a hashtag or a mention, as in social media posts.
 *
 * Threat: no attacker is needed: in social media, a link must not change the classification of a post.
 * Example: "A lovely film." -> "A lovely film. https://t.co/Vx3kPq81"
 * Readable because: every word of the text stays; readers ignore the addition.
 * Paper: Marco Tulio Ribeiro, Tongshuang Wu, Carlos Guestrin and Sameer Singh, "Beyond Accuracy: Behavioral Testing of NLP
 * Models with CheckList", ACL 2020, table 1 (adding URLs and handles); https://arxiv.org/abs/2005.04118
 * Differs: addresses and handles are random strings without words; hashtags express no opinion.
 */
import { languagePart, type Random, textAttack, z } from '../src/plugin.js';

const options = { each: z.int().min(1).default(3).describe('number of links, of mentions and of hashtags to try') };

const SIGNS = [...'ABCDEFGHJKMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz23456789'];

const code = (length: number, random: Random) => Array.from({ length }, () => random.pick(SIGNS)).join('');

export const linksAndTags = textAttack({
  name: 'links-and-tags',
  summary: 'Adds a link, a mention or a hashtag: "A lovely film." -> "A lovely film. https://t.co/Vx3kPq81".',
  paper: {
    title: 'Beyond Accuracy: Behavioral Testing of NLP Models with CheckList',
    url: 'https://arxiv.org/abs/2005.04118',
  },
  options,
  edit: () => ['a link, mention or hashtag', 'the text itself kept', 'one link, mention or hashtag added'],
  language: () => ['phrases'],
  *rewrites(text, { each }, random, { language }) {
    for (let i = 0; i < each; i++) yield `${text.trimEnd()} https://t.co/${code(8, random)}`;
    for (let i = 0; i < each; i++) yield `@${code(6, random)} ${text.trimStart()}`;
    for (const tag of random.shuffle(languagePart(language, 'phrases').hashtags).slice(0, each))
      yield `${text.trimEnd()} #${tag}`;
  },
});
