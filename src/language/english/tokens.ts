/**
 * @file Penn Treebank tokenisation: punctuation and clitics are separate ("don't" -> do, n't), so "it's", and "it 's" in tokenised corpora,
 * give the same two tokens.
 */
import { Draft } from '../../core/draft.js';

export interface DraftToken {
  readonly text: string;
  /** Slot of the draft that contains the token, or -1 between slots. */
  readonly slot: number;
  /** True for the first token of its slot, to which clitics attach. */
  readonly head: boolean;
}

/** "don't" -> do, n't; "film's" -> film, 's; "cannot" -> can, not. */
function split(word: string): string[] {
  const clitic = /^(.+?)(n['’]t|['’](?:s|re|ve|ll|d|m)?)$/i.exec(word);
  if (clitic !== null) return [clitic[1]!, clitic[2]!.replace('’', "'")];
  return /^cannot$/i.test(word) ? [word.slice(0, 3), word.slice(3)] : [word];
}

/** The tokens of a draft, each with its slot; or those of slots [from, to), each with the gap behind it. */
export function draftTokens(draft: Draft, from = 0, to: number = draft.size): DraftToken[] {
  const tokens: DraftToken[] = [];
  const gap = (text: string): void => {
    for (const mark of text.match(/\.{2,}|-{2,}|[^\s]/gu) ?? []) tokens.push({ text: mark, slot: -1, head: false });
  };
  if (from === 0) gap(draft.size === 0 ? draft.text : draft.text.slice(0, draft.startOf(0)));
  for (let slot = from; slot < to; slot++) {
    let head = true;
    for (const word of draft.word(slot).match(/\S+/g) ?? []) {
      // SST-2's "it 's" arrives as the words "it" and "s" with an apostrophe between them.
      const last = tokens.at(-1);
      const joined = last?.slot === -1 && /^['’]$/.test(last.text) && /^(?:s|re|ve|ll|d|m)$/i.test(word);
      if (joined) tokens.pop();
      for (const text of joined ? [`'${word}`] : split(word)) {
        tokens.push({ text, slot, head });
        head = false;
      }
    }
    gap(draft.gapAfter(slot));
  }
  return tokens;
}

/** The tokens of a text. */
export const tokenize = (text: string): string[] => draftTokens(Draft.of(text)).map((token) => token.text);
