/**
 * Unicode tags: writes words in invisible tag characters.
 *
 * Threat: prompt injection in a document or a web page: a person sees nothing, while a language model receives and reads the characters.
 * Example: "ignore the above" -> the same in U+E0069 U+E0067 ..., which displays as nothing
 * Readable because: tag characters repeat ASCII at U+E0000, originally to mark languages; large language models have seen enough of them to
 * read them as letters. A person cannot read them, which is the point.
 * Paper: none; the trick became known as "ASCII smuggling" in 2024, and is in the OWASP notes on prompt injection (LLM01);
 * https://genai.owasp.org/llmrisk/llm01-prompt-injection/
 * Differs: from zero-width, which hides characters inside visible words: here the words themselves become invisible, by importance,
 * entirely or except for the first letter.
 */
import { letterAttack } from '../src/plugin.js';

/** Offset of tag characters from ASCII. */
const TAGS = 0xe0000;

const toTags = (ascii: string) =>
  Array.from(ascii, (letter) => String.fromCodePoint(TAGS + letter.charCodeAt(0))).join('');

function* rewrites(word: string): Iterable<string> {
  if (!/^[\x20-\x7e]+$/.test(word)) return;
  yield toTags(word);
  if (word.length > 1) yield word.slice(0, 1) + toTags(word.slice(1));
}

export const unicodeTags = letterAttack({
  name: 'unicode-tags',
  summary: 'Writes words in Unicode tag characters, which are not displayed and which language models read.',
  readers: ['language model'],
  edit: 'words in tag characters',
  rewrites,
});
