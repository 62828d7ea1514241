/** @file Texts inside a prompt: the encoder of a generative guard, which reads each text between two fixed parts. */
import type { Token } from '../../core/classifier.js';
import { ModelError, must } from '../../core/errors.js';
import { type Encoded, type Encoder, sharedTokens } from './encoder.js';

/** Stands for the text in a prompt. */
export const TEXT_MARK = '{{text}}';

/** How texts begin: what the tokens of all these share belongs to the prompt, though its last characters may merge with a text. */
const BEGINNINGS = ['a', 'The', '1', ' ', '\n', '.', '"', '<', 'É', '中', '🙂'];

/** `inner`: the tokenizer, without a maximum. A text that is too long loses its end, never the prompt. Throws ModelError (PROMPT_INVALID). */
export function promptedEncoder(inner: Encoder, prompt: string, maximum: number, name: string): Encoder {
  const at = prompt.indexOf(TEXT_MARK);
  const [before, after] = [prompt.slice(0, at), prompt.slice(at + TEXT_MARK.length)];
  const whole = (text: string): Encoded => inner.encode(before + text + after);
  const least = whole('').ids.length;
  if (least >= maximum)
    throw new ModelError(`${name}: expected a prompt of less than ${maximum} tokens, got one of ${least}`, {
      code: 'PROMPT_INVALID',
      hint: 'Shorten the prompt, or take a model that reads longer texts.',
    });
  /** The longest beginning of a text that fits, in whole characters. */
  const fitting = (text: string): string => {
    const characters = Array.from(text);
    let [fits, tooMany] = [0, characters.length + 1];
    while (tooMany - fits > 1) {
      const middle = Math.floor((fits + tooMany) / 2);
      if (whole(characters.slice(0, middle).join('')).ids.length <= maximum) fits = middle;
      else tooMany = middle;
    }
    return characters.slice(0, fits).join('');
  };
  const lone = (second: string | undefined): void => {
    if (second === undefined) return;
    throw new ModelError(`${name}: expected lone texts, got a pair: a prompt has one place for a text`, {
      code: 'PAIRS_UNSUPPORTED',
      hint: 'Give one text by --columns text=NAME.',
    });
  };
  const beginning = BEGINNINGS.map((text) => whole(text).ids).reduce((all, ids) =>
    all.subarray(0, sharedTokens(all, ids)),
  );
  return {
    kind: 'tokenizer',
    maximum: maximum - least,
    prompt: beginning,
    encode(text, second) {
      lone(second);
      const all = whole(text);
      return all.ids.length <= maximum ? all : { ...whole(fitting(text)), truncated: true };
    },
    tokens(text, second) {
      lone(second);
      const kept = whole(text).ids.length <= maximum ? text : fitting(text);
      return inner.tokens(before + kept + after).map((token) => within(token, before.length, kept.length));
    },
    tokenText: (id) => inner.tokenText(id),
    ...(inner.unknownShare && { unknownShare: (text: string) => must(inner.unknownShare)(text) }),
    words: () => inner.words(),
  };
}

/** A token's place in the text; those of the prompt are special. */
function within(token: Token, from: number, length: number): Token {
  const place = (at: number): number => Math.min(length, Math.max(0, at - from));
  const [start, end] = [place(token.start), place(token.end)];
  return { ...token, start, end, ...(start === end && { special: true }) };
}
