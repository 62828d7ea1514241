/** Tags of edited drafts of long texts: those of the whole text, whatever was tagged before. */
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { openDataset } from '../../datasets/index.js';
import { Draft } from '../../src/core/draft.js';
import { random } from '../../src/core/random.js';
import { partOfSpeech, tagTokens } from '../../src/language/english/part-of-speech.js';
import { settledWords, tagDraft } from '../../src/language/english/tag-draft.js';
import { draftTokens } from '../../src/language/english/tokens.js';

/** As tagged without any knowledge of other drafts. */
function tagsOf(draft: Draft): string[] {
  const tags = draft.words.map(() => 'SYM');
  const tokens = draftTokens(draft);
  tagTokens(tokens.map(({ text }) => text)).forEach(({ tag }, at) => {
    if (tokens[at].head) tags[tokens[at].slot] = tag;
  });
  return tags.map((tag) => partOfSpeech(tag).penn);
}

const texts = async (): Promise<string[]> => {
  const found: string[] = [];
  for await (const { text } of (await openDataset('reviews')).examples()) found.push(text);
  return found;
};

/** What attacks write: other words, none, two, marks, capitals, and clitics. */
const WRITTEN = [
  'films',
  'run',
  'the',
  'Running',
  "don't",
  'not good',
  '',
  'Smith',
  'beautiful',
  'x.',
  'like',
  'THE',
  '.',
  "it's",
  'reads',
];

test('edited drafts of long texts have the tags of their whole text', async () => {
  const chance = random(42, 'tags');
  const sentences = await texts();
  for (let n = 0; n < Number(process.env.ROBUST_TAGGED_TEXTS ?? 15); n++) {
    const size = 12 + chance.int(60);
    const text = Array.from({ length: size }, () => sentences[chance.int(sentences.length)]).join(
      n % 3 === 0 ? ' ' : ' . ',
    );
    let draft = Draft.of(text);
    expect(tagDraft(draft).map(({ penn }) => penn)).toEqual(tagsOf(draft));
    for (let step = 0; step < 12; step++) {
      const at = chance.int(draft.size);
      const word = WRITTEN[chance.int(WRITTEN.length)];
      const edited = chance.int(5) === 0 ? draft.remove(at) : draft.replace(at, word);
      expect(
        tagDraft(edited).map(({ penn }) => penn),
        `text ${n}, "${word}" at ${at}`,
      ).toEqual(tagsOf(edited));
      if (chance.int(2) === 0) draft = edited;
    }
  }
});

test('no rule of the tagger gives a settled word another tag', () => {
  const load = createRequire(import.meta.url);
  const lexicon = load('wink-lexicon/src/lexicon.js') as Record<string, string[]>;
  type Rules = Record<string, { readonly willBe: string; readonly thenPosAt: number }[]>;
  const rules = ['pos-rules-ge0', 'value-rules-ge0', 'pos-rules-le0', 'value-rules-le0'].map(
    (file) => load(`wink-pos-tagger/src/rules/${file}.js`) as Rules,
  );
  const changes = [...settledWords()].filter((word) => {
    const [tag, ...others] = lexicon[word];
    return rules.some((set) => set[tag]?.some(({ willBe, thenPosAt }) => thenPosAt !== 0 || others.includes(willBe)));
  });
  expect(settledWords().size).toBeGreaterThan(10);
  expect(changes).toEqual([]);
});
