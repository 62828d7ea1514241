/**
 * @file Where in the text each token stands. The tokenizer library gives ids only, so its steps are walked once more with
 * text that remembers its origin: added tokens are cut out, the rest is normalised, pre-tokenised and split into pieces.
 */
import type { Token } from '../../core/classifier.js';
import { must } from '../../core/errors.js';
import { AlignedText } from './aligned.js';
import { type AddedToken, BYTE_PIECE, type HfTokenizer, mayStand, type Normalizer } from './hf-tokenizer.js';
import { locateWord, type Spelling } from './locate-word.js';

/**
 * Finds a text's content tokens (without the surrounding special ones), in order. Spans exclude leading spaces. Added tokens in the text
 * are special and have the span of their spelling. `spelling`: of pre-tokens.
 */
export function spanFinder(tokenizer: HfTokenizer, spelling: Spelling): (text: string) => Token[] {
  const added = [...tokenizer.get_added_tokens_decoder().values()];
  const normaliseText = (content: string) => tokenizer.normalizer?.normalize(content) ?? content;
  const cutRaw = cutter(added.filter((token) => !token.normalized).map((token) => [token.content, token]));
  const cutNormalised = cutter(
    added.filter((token) => token.normalized).map((token) => [normaliseText(token.content), token]),
  );
  const addedToken = ({ text, added }: TextPart): Token | undefined =>
    added && { id: added.id, ...text.span(0, text.text.length), special: true };

  const partsOf = (outer: TextPart): readonly TextPart[] =>
    outer.added ? [outer] : cutNormalised(normalise(outer.text, tokenizer.normalizer));
  const tokensOf = (part: TextPart, section: number): readonly Token[] | undefined => {
    const whole = addedToken(part);
    return whole ? [whole] : contentTokens(tokenizer, part.text, section, spelling);
  };
  const find = (text: string): Token[] | undefined => {
    const sections = cutRaw(AlignedText.of(text));
    const found = sections.flatMap((outer, section) => partsOf(outer).map((part) => tokensOf(part, section)));
    return found.every((tokens) => tokens !== undefined) ? found.flat() : undefined;
  };

  return (text) => {
    const ids = tokenizer.encode(text, { add_special_tokens: false }).ids;
    const tokens = find(text);
    if (tokens?.length === ids.length && tokens.every((token, at) => token.id === ids[at])) return tokens;
    // Where our walk and the library part ways the ids are the library's, each standing for the whole text.
    return ids.map((id) => ({ id: id ?? 0, start: 0, end: text.length, special: false }));
  };
}

function normalise(text: AlignedText, normalizer: Normalizer | null): AlignedText {
  if (normalizer === null) return text;
  if (normalizer.normalizers) return normalizer.normalizers.reduce(normalise, text);
  if (normalizer.pattern) return text.replace(normalizer.pattern, normalizer.config.content ?? '');
  return text.rewrite((part) => normalizer.normalize(part));
}

/** A stretch of text, which may be an added token spelled out. */
interface TextPart {
  readonly text: AlignedText;
  readonly added?: AddedToken;
}

/** Cuts a text at the given contents, leftmost and longest first. */
function cutter(contents: readonly (readonly [string, AddedToken])[]): (text: AlignedText) => TextPart[] {
  const tokens = new Map(contents.filter(([content]) => content !== ''));
  if (tokens.size === 0) return (text) => [{ text }];
  const longestFirst = [...tokens.keys()].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(
    longestFirst.map((content) => content.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'),
    'g',
  );
  return (text) => {
    const parts: TextPart[] = [];
    let cursor = 0;
    for (const match of text.text.matchAll(pattern)) {
      const end = match.index + match[0].length;
      if (!mayStand(must(tokens.get(match[0])), text.text, match.index, end)) continue;
      if (match.index > cursor) parts.push({ text: text.slice(cursor, match.index) });
      parts.push({ text: text.slice(match.index, end), added: must(tokens.get(match[0])) });
      cursor = end;
    }
    if (cursor < text.text.length) parts.push({ text: text.slice(cursor, text.text.length) });
    return parts.map((part, at) => {
      if (part.added) return part;
      const from = parts[at - 1]?.added?.rstrip ? part.text.text.length - part.text.text.trimStart().length : 0;
      const to = parts[at + 1]?.added?.lstrip ? part.text.text.trimEnd().length : part.text.text.length;
      return { text: part.text.slice(from, Math.max(from, to)) };
    });
  };
}

/** Words are found one after the other in the normalised text, and pieces one after the other in their word. */
function contentTokens(
  tokenizer: HfTokenizer,
  text: AlignedText,
  section: number,
  spelling: Spelling,
): Token[] | undefined {
  if (text.text === '') return [];
  const words = tokenizer.pre_tokenizer?.pre_tokenize(text.text, { section_index: section }) ?? [text.text];
  const tokens: Token[] = [];
  let cursor = 0;
  for (const word of words) {
    const place = locateWord(text.text, cursor, word, spelling);
    if (place === undefined) return undefined;
    const pieces = tokenizer.model([word]);
    const parts = partsOf(tokenizer, pieces, word);
    pieces.forEach((piece, which) => {
      const [start, end] = place(...must(parts[which]));
      tokens.push({
        id: tokenizer.token_to_id(piece) ?? tokenizer.model.unk_token_id ?? -1,
        ...visible(text, start, end),
        special: false,
      });
    });
    cursor = Math.max(cursor, place(0, word.length)[1]);
  }
  return tokens;
}

/** The part of the word that each piece covers: UTF-16 units, end exclusive. */
function partsOf(tokenizer: HfTokenizer, pieces: readonly string[], word: string): [number, number][] {
  const parts: [number, number][] = [];
  const bytes = tokenizer.model.config.byte_fallback === true;
  let at = 0;
  /** Bytes still to come of the character that ends at `at`, and where it began. */
  let [missing, from] = [0, 0];
  pieces.forEach((piece, which) => {
    // A text may spell such a piece itself.
    if (bytes && BYTE_PIECE.test(piece) && (missing > 0 || !word.startsWith(piece, at))) {
      if (missing === 0) {
        const character = String.fromCodePoint(word.codePointAt(at) ?? 0);
        [missing, from] = [Buffer.byteLength(character), at];
        at += character.length;
      }
      missing--;
      parts.push([from, at]);
    } else {
      const to = at + pieceWidth(tokenizer, piece, which);
      parts.push([at, to]);
      at = to;
    }
  });
  // The letters of unknown pieces cannot be determined, so all pieces cover the whole word.
  return at === word.length ? parts : pieces.map(() => [0, word.length]);
}

/** Number of characters of the word that a piece covers. */
function pieceWidth({ model }: HfTokenizer, piece: string, at: number): number {
  const prefix = model.config.continuing_subword_prefix;
  const suffix = model.end_of_word_suffix;
  if (prefix && at > 0 && piece.startsWith(prefix)) return piece.length - prefix.length;
  return suffix && piece.endsWith(suffix) ? piece.length - suffix.length : piece.length;
}

/** The original span of [from, to) without the spaces before it, unless it is nothing but spaces. */
function visible(text: AlignedText, from: number, to: number): { start: number; end: number } {
  const spaces = /^[\p{White_Space}\u2581]*/u.exec(text.text.slice(from, to))?.[0].length ?? 0;
  return text.span(from + spaces < to ? from + spaces : from, to);
}
