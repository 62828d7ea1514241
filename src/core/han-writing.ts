/**
 * @file What an edit must keep of a text in Han characters or kana, where one character is a word: what denies, and the writing, which is
 * traditional or simplified.
 */
import type { Draft } from './draft.js';

/** Chinese characters that deny, and the Japanese endings. Words that only contain one are kept as well. */
const DENIAL =
  /[不没沒未無无非别別莫勿否毋弗甭唔冇]|な(?:い|かっ|く|けれ|し|さそ|きゃ)|まい|ま(?:せ|へ)ん|[ずぬ]|ざる|ナ(?:イ|カッ|ク)/;
const DENIALS = new RegExp(DENIAL, 'gu');
const HAN = /\p{Script=Han}/u;

/** Letters without what separates or hides them, in their usual form. */
const lettersOf = (text: string): string[] => Array.from(text.normalize('NFKC').replace(/[^\p{L}\p{N}]/gu, ''));

/** Offsets of the characters of a text that deny, in UTF-16 code units. */
const denialsOf = (text: string): Set<number> =>
  new Set(Array.from(text.matchAll(DENIALS), ({ 0: found, index }) => Array.from(found, (_, at) => index + at)).flat());

/** Does a rewritten word keep each character that denies, at its place, and gain none? `denying`: offsets of those characters in the word. */
export function keepsDenials(word: string, now: string, denying?: (offset: number) => boolean): boolean {
  if (denying === undefined && !DENIAL.test(word)) return !DENIAL.test(now);
  const own = denialsOf(word);
  const isDenial = denying ?? ((offset: number) => own.has(offset));
  const kept: (string | undefined)[] = [];
  let offset = 0;
  for (const character of word) {
    for (const letter of lettersOf(character)) kept.push(isDenial(offset) ? letter : undefined);
    offset += character.length;
  }
  const letters = lettersOf(now);
  return letters.length === kept.length && kept.every((letter, at) => letter === undefined || letter === letters[at]);
}

/** The characters of a two-byte encoding. */
function charactersOf(encoding: string, [first, last]: readonly [number, number]): ReadonlySet<string> {
  const decoder = new TextDecoder(encoding);
  const found = new Set<string>();
  for (let lead = first; lead <= last; lead++)
    for (let trail = 0x40; trail <= 0xfe; trail++)
      // GB 2312 is the part of GBK with two high bytes.
      if (encoding !== 'gbk' || trail > 0xa0) found.add(decoder.decode(Uint8Array.of(lead, trail)));
  return found;
}

let standards: Readonly<Record<'simplified' | 'traditional' | 'japanese', ReadonlySet<string>>> | undefined;

/** Whether only this writing has the character, by the standards GB 2312, Big5 and JIS X 0208. */
export function isOnly(writing: 'simplified' | 'traditional' | 'japanese', character: string): boolean {
  standards ??= {
    simplified: charactersOf('gbk', [0xb0, 0xf7]),
    traditional: charactersOf('big5', [0xa4, 0xf9]),
    japanese: new Set([...charactersOf('shift_jis', [0x88, 0x9f]), ...charactersOf('shift_jis', [0xe0, 0xea])]),
  };
  const { simplified, traditional, japanese } = standards;
  if (!HAN.test(character)) return false;
  if (writing === 'japanese')
    return japanese.has(character) && !simplified.has(character) && !traditional.has(character);
  const [own, other] = writing === 'simplified' ? [simplified, traditional] : [traditional, simplified];
  return own.has(character) && !other.has(character);
}

/** Whether a rewrite keeps what denies and the writing of the original; undefined if there is nothing to keep. */
export function hanKept(original: Draft): ((candidate: Draft) => boolean) | undefined {
  const { text, spans } = original;
  const isHan = HAN.test(text);
  if (!isHan && !DENIAL.test(text)) return undefined;
  const denials = denialsOf(text);
  const count = (writing: 'simplified' | 'traditional'): number =>
    isHan ? Array.from(text).filter((character) => isOnly(writing, character)).length : 0;
  const surplus = count('traditional') - count('simplified');
  const foreign = surplus === 0 ? undefined : surplus > 0 ? 'simplified' : 'traditional';
  return (candidate) =>
    !candidate.sharesOriginalWith(original) ||
    [...candidate.edited].every((slot) => {
      const [word, now, start] = [original.word(slot), candidate.word(slot), spans[2 * slot]!];
      const denies = Array.from(word, (_, at) => at).some((at) => denials.has(start + at));
      if (!keepsDenials(word, now, denies ? (offset) => denials.has(start + offset) : undefined)) return false;
      return foreign === undefined || ![...now].some((each) => !word.includes(each) && isOnly(foreign, each));
    });
}
