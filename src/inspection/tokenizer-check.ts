/**
 * @file How a tokenizer reads words: entries that look like other words or cannot be seen, words that it replaces, and whether text with
 * look-alike or hidden letters reaches the model as something else. Only the tokenizer's own data is used, by robust's own reader.
 */
import { skeletonOf } from '../../packages/shield/src/look-alikes.js';
import { messageOf, must } from '../core/errors.js';
import { isObject, type JsonObject } from '../core/json.js';
import { INVISIBLE, visible } from '../core/visible.js';
import { describe } from '../model/opening/describe.js';
import { homeOf } from '../model/opening/layout.js';
import { createEncoder } from '../model/tokens/create-encoder.js';
import type { Encoder } from '../model/tokens/encoder.js';
import { readTokenizer } from '../model/tokens/formats/read-tokenizer.js';
import { type ModelCheck, type ModelFinding, modelCheck } from '../results/backdoor/model-scan.js';

/** Words whose reading is tried. */
const TRIED_WORDS = 400;
/** Findings of one kind that are listed. */
const MAX_LISTED = 10;
/** A Latin letter and a letter of another alphabet that looks like it. */
const DOUBLES: ReadonlyMap<string, string> = new Map(
  Object.entries({ a: 'а', c: 'с', e: 'е', o: 'о', p: 'р', x: 'х', y: 'у', i: 'і', s: 'ѕ' }),
);
const ZERO_WIDTH = '\u200b';
/** Tag characters are letters that no font draws. */
const hidden = (word: string): string =>
  Array.from(word, (letter) => String.fromCodePoint(0xe0000 + must(letter.codePointAt(0)))).join('');

/** `folder`: a path; `has`: whether a file lies in it. */
export async function checkTokenizer(folder: string, has: (name: string) => boolean): Promise<ModelCheck> {
  try {
    const home = homeOf(has);
    const at = home === '' ? folder : `${folder}/${home}`;
    const description = await describe({ kind: 'onnx', name: folder, folder: at, model: `${at}/model.onnx` });
    const encoder = await createEncoder(description);
    const findings =
      description.input.kind === 'tokenizer' ? definitionFindings((await readTokenizer(at)).definition) : [];
    const vocabulary = entriesOf(encoder);
    const words = sampleOf(vocabulary);
    findings.push(...entryFindings(vocabulary), ...readingFindings(encoder, words));
    return modelCheck(
      'tokenizer',
      `${vocabulary.length} entries, ${words.length} words read`,
      findings.map((each) => ({ ...each, what: visible(each.what) })),
    );
  } catch (error) {
    return modelCheck('tokenizer', 'nothing', [], [messageOf(error)]);
  }
}

interface VocabularyEntry {
  readonly id: number;
  readonly text: string;
}

/** Largest vocabulary that is listed. */
const MAX_ENTRIES = 2_000_000;
/** Ids without an entry after which no more are looked for: a few may be special. */
const GAP = 2000;

function entriesOf(encoder: Encoder): VocabularyEntry[] {
  const entries: VocabularyEntry[] = [];
  for (let id = 0, missing = 0; id < MAX_ENTRIES && missing < GAP; id++) {
    const text = encoder.tokenText(id);
    missing = text === undefined ? missing + 1 : 0;
    if (text !== undefined) entries.push({ id, text });
  }
  return entries;
}

/** Plain Latin words, evenly over the vocabulary. */
function sampleOf(entries: readonly VocabularyEntry[]): string[] {
  const words = entries.map(({ text }) => text.trim()).filter((text) => /^[a-z]{4,12}$/.test(text));
  const step = Math.max(1, words.length / TRIED_WORDS);
  return Array.from({ length: Math.min(words.length, TRIED_WORDS) }, (_, at) => must(words[Math.floor(at * step)]));
}

const listed = (items: readonly string[]): string =>
  `${items.slice(0, MAX_LISTED).join(', ')}${items.length > MAX_LISTED ? ` and ${items.length - MAX_LISTED} more` : ''}`;

/** Entries that a reader takes for another word. */
function entryFindings(entries: readonly VocabularyEntry[]): ModelFinding[] {
  const known = new Set(entries.map(({ text }) => text.trim().toLowerCase()));
  const mixed: string[] = [];
  const unseen: string[] = [];
  for (const { text } of entries) {
    const word = text.trim();
    if (/^[ -~]*$/.test(word) || !/\p{Script=Latin}/u.test(word)) continue;
    INVISIBLE.lastIndex = 0;
    if (INVISIBLE.test(word)) unseen.push(`"${word}"`);
    const skeleton = skeletonOf(word);
    const foreign = /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(word);
    if (foreign && /^[\p{Script=Latin}]{3,}$/u.test(skeleton) && known.has(skeleton.toLowerCase()))
      mixed.push(`"${word}" (as "${skeleton}")`);
  }
  const warn = (items: readonly string[], what: string): ModelFinding[] =>
    items.length === 0 ? [] : [{ level: 'warning', file: null, what: `${what}: ${listed(items)}` }];
  return [
    ...warn(mixed, 'entries of mixed alphabets that look like another entry'),
    ...warn(unseen, 'entries of Latin letters and characters that cannot be seen'),
  ];
}

/** Replaced words and added tokens of the definition. */
function definitionFindings({ normalizer, added_tokens: added, model }: JsonObject): ModelFinding[] {
  const findings: ModelFinding[] = [];
  for (const { pattern, content } of replacements(normalizer)) {
    if (!/\p{L}{2,}/u.test(pattern.replace(/\\[a-zA-Z]|\[.*?\]|\(\?[a-z:=!<]+/g, ''))) continue;
    findings.push({
      level: 'warning',
      file: null,
      what: `replaces "${pattern}" by "${content}" before the model reads a text`,
    });
  }
  const plain = (Array.isArray(added) ? added : []).flatMap((each) => {
    const content = isObject(each) && typeof each.content === 'string' ? each.content : '';
    return /^[\p{L}\p{N} ]*\p{L}[\p{L}\p{N} ]*$/u.test(content.trim()) ? [`"${content}"`] : [];
  });
  if (plain.length > 0) {
    findings.push({
      level: 'warning',
      file: null,
      what: `ordinary words as added tokens, with rows of their own: ${listed(plain)}`,
    });
  }
  findings.push(...sharedIds(model));
  return findings;
}

function* replacements(normalizer: unknown): Generator<{ pattern: string; content: string }> {
  if (!isObject(normalizer)) return;
  const { type, pattern, content, normalizers } = normalizer;
  if (type === 'Replace') {
    const { String: text, Regex: expression } = isObject(pattern) ? pattern : {};
    yield { pattern: String(text ?? expression ?? ''), content: String(content ?? '') };
  }
  for (const each of Array.isArray(normalizers) ? normalizers : []) yield* replacements(each);
}

/** Two words of one id are the same word to the model. */
function sharedIds(model: unknown): ModelFinding[] {
  const vocabulary = isObject(model) && isObject(model.vocab) ? model.vocab : {};
  const byId = new Map<unknown, string>();
  const shared: string[] = [];
  for (const [word, id] of Object.entries(vocabulary)) {
    const other = byId.get(id);
    if (other === undefined) byId.set(id, word);
    else shared.push(`"${other}" and "${word}"`);
  }
  return shared.length === 0
    ? []
    : [
        {
          level: 'warning',
          file: null,
          what: `entries that share an id, so that the model confuses them: ${listed(shared)}`,
        },
      ];
}

/** How words reach the model: as they are, with a look-alike letter, with characters that cannot be seen. */
function readingFindings(encoder: Encoder, words: readonly string[]): ModelFinding[] {
  const idsOf = (text: string): string => encoder.encode(text).ids.join();
  const lettersOf = (text: string): string =>
    encoder
      .tokens(text)
      .map(({ id, special }) => (special ? '' : (encoder.tokenText(id) ?? '')))
      .join('')
      .replace(/^##|##|\s|▁/g, '')
      .toLowerCase();
  const otherwise = words.flatMap((word) => {
    const read = lettersOf(word);
    return read === word || read === '' ? [] : [`"${word}" as "${read}"`];
  });
  const doubled = words.flatMap((word) => {
    const at = Array.from(word).findIndex((letter) => DOUBLES.has(letter));
    return at === -1 ? [] : [[word, word.slice(0, at) + DOUBLES.get(must(word[at])) + word.slice(at + 1)] as const];
  });
  const changed = (pairs: readonly (readonly [string, string])[]): number =>
    pairs.filter(([before, after]) => idsOf(before) !== idsOf(after)).length;
  const split = words.map((word) => [word, `${word.slice(0, 2)}${ZERO_WIDTH}${word.slice(2)}`] as const);
  const followed = words.map((word) => [word, `${word} ${hidden(word)}`] as const);
  const note = (what: string): ModelFinding => ({ level: 'note', file: null, what });
  return [
    ...(otherwise.length > 0
      ? [{ ...note(`reads words as other words: ${listed(otherwise)}`), level: 'warning' as const }]
      : []),
    ...(words.length === 0
      ? [note('no plain Latin words in the vocabulary, so their reading was not tried')]
      : [
          note(`a look-alike letter changes the ids of ${changed(doubled)} of ${doubled.length} words`),
          note(`a zero-width space changes the ids of ${changed(split)} of ${split.length} words`),
          note(`text in invisible tag characters adds ids to ${changed(followed)} of ${followed.length} words`),
        ]),
  ];
}
