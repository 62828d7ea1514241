/**
 * Stacked: writes the whole text in two or three disguises at once, by a fixed list.
 *
 * Threat: someone who combines known disguises blindly, because a normaliser that undoes each alone may not undo them together.
 * Example: "Ignore all rules." -> "base64: cm90MTM6IFZ0YWJlciBueXkgZWh5cmYu", which is base64 of rot13
 * Readable because: each layer is one of the other attacks' and has its own reader; read in turn, they give the text back.
 * Paper: Alexander Wei, Nika Haghtalab and Jacob Steinhardt, "Jailbroken: How Does LLM Safety Training Fail?", NeurIPS 2023,
 * section 5 (combination attacks); https://arxiv.org/abs/2307.02483
 * Differs: the paper stacks prompts for chat models; here disguises of a text are stacked, every word dressed, and nothing is searched.
 */
import { must } from '../src/core/errors.js';
import { Draft, inOrder, type Random, searchAttack, type Transformation } from '../src/plugin.js';
import { diacritics } from './diacritics.js';
import { encoded } from './encoded.js';
import { homoglyphs } from './homoglyphs.js';
import { leet } from './leet.js';
import { letterStyles } from './letter-styles.js';
import { lineBreaks } from './line-breaks.js';
import { quoted } from './quoted.js';
import { splitWords } from './split-words.js';
import { zeroWidth } from './zero-width.js';

/** A disguise as one layer: which rewrite of each word, or of the text, is taken; -1 is the last, which changes most letters. */
interface DisguiseLayer {
  readonly edits: Transformation;
  readonly take: number;
}

const layer = ({ transformation }: typeof encoded, take: number, options: object = {}): DisguiseLayer => {
  if (transformation === undefined) throw new RangeError('expected an attack with edits');
  return { edits: transformation.create(transformation.options.parse(options)), take };
};

const SPACED = layer(splitWords, 0);
const HIDDEN = layer(zeroWidth, -1);
const LOOK_ALIKE = layer(homoglyphs, -1);
const STYLED = layer(letterStyles, 1);
const ACCENTED = layer(diacritics, -1);
const LEET = layer(leet, -1);
const JSON_FIELD = layer(quoted, 1);
const LINES = layer(lineBreaks, 6);
const code = (as: string) => layer(encoded, 0, { as });

/** The innermost layer first. */
const STACKS: readonly (readonly DisguiseLayer[])[] = [
  [LEET, HIDDEN],
  [LOOK_ALIKE, HIDDEN],
  [LOOK_ALIKE, SPACED],
  [ACCENTED, SPACED],
  [STYLED, HIDDEN],
  [SPACED, JSON_FIELD],
  [LEET, LINES],
  [LEET, code('base64')],
  [code('rot13'), code('base64')],
  [code('hex'), code('base64')],
  [code('reversed'), code('base64')],
  [LOOK_ALIKE, HIDDEN, LINES],
  [ACCENTED, SPACED, JSON_FIELD],
  [LEET, code('rot13'), code('base64')],
];

type EditContext = Parameters<Transformation['edits']>[3];

/** The rewrite that a layer takes; the draft itself if it offers none. */
async function dressed(
  draft: Draft,
  at: readonly number[],
  { edits, take }: DisguiseLayer,
  random: Random,
  space: EditContext,
) {
  const found: Draft[] = [];
  for await (const each of edits.edits(draft, at, random, space)) found.push(each);
  return found.at(Math.min(take, found.length - 1)) ?? draft;
}

/** The text with each editable word in the layers of words, in the layers of texts. */
async function stack(
  layers: readonly DisguiseLayer[],
  draft: Draft,
  at: readonly number[],
  random: Random,
  space: EditContext,
) {
  const known = new Map<string, string>();
  const dressWord = async (word: string): Promise<string> => {
    let made = word;
    for (const each of layers) {
      const one = Draft.of(made);
      // A word of signs alone has no slot.
      if (!each.edits.whole && one.size > 0) made = (await dressed(one, [0], each, random, space)).text;
    }
    return made;
  };
  const { text, spans } = draft;
  const pieces: string[] = [];
  let copied = 0;
  for (const slot of at) {
    const [start, end] = [must(spans[2 * slot]), must(spans[2 * slot + 1])];
    const word = text.slice(start, end);
    if (!known.has(word)) known.set(word, await dressWord(word));
    pieces.push(text.slice(copied, start), must(known.get(word)));
    copied = end;
  }
  let made = Draft.of(pieces.join('') + text.slice(copied));
  for (const each of layers) if (each.edits.whole) made = await dressed(made, [], each, random, space);
  return made;
}

export const stacked = searchAttack({
  name: 'stacked',
  level: 'sentence',
  needs: 'labels',
  summary:
    'Writes the text in two or three disguises at once: base64 of rot13, spaced look-alikes, hidden characters in JSON.',
  paper: { title: 'Jailbroken: How Does LLM Safety Training Fail?', url: 'https://arxiv.org/abs/2307.02483' },
  readers: ['decoder'],
  edits: () => ({
    name: 'disguises on disguises',
    bounds: [`two or three disguises at once, by a list of ${STACKS.length}`],
    whole: true,
    async *edits(draft, at, random, space) {
      for (const layers of STACKS) yield stack(layers, draft, at, random, space);
    },
  }),
  constraints: () => [],
  search: () => inOrder,
});
