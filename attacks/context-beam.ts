/**
 * Context beam: searches what to add around the text: sentences, questions, tags and everyday words that judge nothing.
 *
 * Threat: someone who may query as often as they like and hides a text among words that change nothing about it.
 * Example: "a dull film" -> "a dull film I saw it on a Tuesday. Do you see? bicycle"
 * Readable because: the text itself stays, word for word, and at most three things are added, none of which judges it.
 * Paper: none; the idea is that of Robin Jia and Percy Liang, "Adversarial Examples for Evaluating Reading Comprehension
 * Systems", EMNLP 2017, section 3 (AddAny, AddSent); https://arxiv.org/abs/1707.07328
 * Differs: a beam combines additions before the text, behind it and between its sentences, several times if need be. Everyday words come
 * behind the text only, as a suffix.
 */
import { beam, languagePart, type Random, rewriteText, searchAttack } from '../src/plugin.js';
import type { TextContext } from '../src/search/in-order.js';

/** Things added to one text. */
export const MOST_ADDITIONS = 3;
/** Of each kind, as many are drawn for a text. */
const DRAWN = { clauses: 6, questions: 4, tags: 4, words: 30 };

const asSentence = (clause: string, mark: string): string =>
  `${clause.charAt(0).toUpperCase()}${clause.slice(1)}${mark}`;

/** A text with one addition more: each addition at each place. The stream of an example draws the same additions in every round. */
export function* withAddition(
  text: string,
  stream: Random,
  { language }: Pick<TextContext, 'language'>,
): Iterable<string> {
  const phrases = languagePart(language, 'phrases');
  const random = stream.split('additions');
  const clauses = Array.from({ length: DRAWN.clauses }, () => asSentence(phrases.clause(random, 'main'), '.'));
  const asked = random.shuffle(phrases.questions).slice(0, DRAWN.questions);
  const tags = random.shuffle(phrases.hashtags).slice(0, DRAWN.tags);
  const words = random.shuffle(language.everydayWords ?? []).slice(0, DRAWN.words);
  const between = [...text.matchAll(/[.!?]\s+(?=\S)/g)].map(({ index }) => index + 1);
  const places = [0, text.length, ...random.shuffle(between).slice(0, 2)];
  const additions = [
    ...phrases.sentences,
    ...clauses,
    ...asked.map((each) => asSentence(each, '?')),
    ...tags.map((tag) => `#${tag}`),
  ];
  for (const added of additions)
    for (const at of places) yield `${text.slice(0, at)} ${added} ${text.slice(at).trimStart()}`.trim();
  for (const word of words) yield `${text.trimEnd()} ${word}`;
}

export const KEPT = ['the text itself kept', `at most ${MOST_ADDITIONS} things added`] as const;

export const contextBeam = searchAttack({
  name: 'context-beam',
  level: 'sentence',
  summary: 'Searches what to add before, behind and within the text: "... Do you see? bicycle".',
  edits: () => rewriteText('additions around the text', KEPT, withAddition, ['phrases']),
  constraints: () => [],
  search: () => beam(4, MOST_ADDITIONS),
});
