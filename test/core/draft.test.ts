import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Draft, wordsOf } from '../../src/core/draft.js';
import { applyEdits } from '../../src/core/text-edit.js';
import { thrown } from '../refusal.js';

test.each([
  ["it 's a charming journey .", ['it', 's', 'a', 'charming', 'journey']],
  ["don't well-made f**k a@b.c", ["don't", 'well-made', 'f**k', 'a@b', 'c']],
  ['don’t naïve café Ελλάδα 1,000', ['don’t', 'naïve', 'café', 'Ελλάδα', '1', '000']],
  ['_private -- __ \u0000 \ud800 👩‍👩‍👧 !?', ['private']],
  ['שלום עולם', ['שלום', 'עולם']],
  ['', []],
])('%j has the words %j', (text, words) => {
  expect(wordsOf(text).map((word) => word.text)).toEqual(words);
  expect(Draft.of(text).words).toEqual(words);
});

/** Any string of UTF-16 code units, lone surrogates included, with enough spaces and letters to have words. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.oneof(fc.constantFrom(' ', '.', 'a', 'word', "'", '_', '👩‍👧', '\ud800', '\u0000', 'é', 'e\u0301', '\u202e')),
    )
    .map((parts) => parts.join('')),
);

test('the text of a split text is the text, code unit for code unit', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const draft = Draft.of(text);
      expect(draft.text).toBe(text);
      draft.words.forEach((word, at) => {
        expect(text.slice(draft.startOf(at), draft.startOf(at) + word.length)).toBe(word);
      });
    }),
    { numRuns: 500 },
  );
});

/** The same edits on plain arrays of words and gaps: what a draft must be equal to. */
test('edits in any order give the text that words and gaps written one after the other give', () => {
  const edit = fc.record({ at: fc.nat(20), what: fc.constantFrom('replace', 'join'), by: fc.string({ maxLength: 4 }) });
  fc.assert(
    fc.property(anyText, fc.array(edit, { maxLength: 12 }), (text, edits) => {
      let draft = Draft.of(text);
      if (draft.size < 2) return;
      const words = [...draft.words];
      const gaps = words.map((_, at) => draft.gapAfter(at));
      const lead = text.slice(0, draft.startOf(0));
      const edited = new Set<number>();
      for (const { at, what, by } of edits) {
        if (what === 'replace') {
          const slot = at % words.length;
          draft = draft.replace(slot, by);
          words[slot] = by;
          edited.add(slot);
        } else {
          const slot = at % (words.length - 1);
          draft = draft.join(slot, by);
          gaps[slot] = by;
          edited.add(slot).add(slot + 1);
        }
      }
      expect(draft.text).toBe(lead + words.map((word, at) => word + gaps[at]).join(''));
      expect(applyEdits(text, draft.edits)).toBe(draft.text);
      expect(draft.words).toEqual(words);
      expect(draft.words.map((_, at) => draft.word(at))).toEqual(words);
      expect([...draft.edited].sort()).toEqual([...edited].sort());
      words.forEach((word, at) => {
        expect(draft.text.startsWith(word, draft.startOf(at))).toBe(true);
      });
    }),
  );
});

test('an edit leaves the draft it was made from as it was', () => {
  const draft = Draft.of('good film');
  const first = draft.replace(0, 'great');
  expect([first.replace(1, 'movie').text, first.replace(1, 'book').text]).toEqual(['great movie', 'great book']);
  expect([draft.text, first.text]).toEqual(['good film', 'great film']);
});

test.each([
  ['the good film', 1, 'the film'],
  ['the good film', 0, 'good film'],
  ['the good film', 2, 'the good'],
  ["it 's a film", 1, "it ' a film"],
  ['(good) film', 0, '() film'],
  ['word', 0, ''],
])('%j without word %i is %j', (text, at, rest) => {
  expect(Draft.of(text).remove(at).text).toBe(rest);
});

test('edited remembers a word edited back, changed does not count it', () => {
  const back = Draft.of('good film').replace(0, 'bad').replace(0, 'good');
  expect([...back.edited]).toEqual([0]);
  expect(back.changed).toBe(0);
  expect(back.differences).toEqual([]);
});

test('words that were split, joined or removed with the gap beside them are one edit', () => {
  const draft = Draft.of('very slow film , or doing taxes');
  expect(draft.replace(1, 's l o w').replace(2, 'f.ilm').edits).toEqual([
    { start: 5, end: 9, text: 's l o w' },
    { start: 10, end: 14, text: 'f.ilm' },
  ]);
  expect(draft.join(3, '').edits).toEqual([{ start: 19, end: 20, text: '' }]);
  expect(draft.replace(3, 'nor').join(3, '').edits).toEqual([{ start: 17, end: 20, text: 'nor' }]);
  expect(draft.remove(1).edits).toEqual([{ start: 4, end: 9, text: '' }]);
});

test('a deleted word marks itself only; a merge marks both', () => {
  const draft = Draft.of('a good film');
  expect([...draft.remove(1).edited]).toEqual([1]);
  expect(draft.remove(1).changed).toBe(1);
  expect([...draft.join(1, '').edited]).toEqual([1, 2]);
  expect(draft.join(1, '').text).toBe('a goodfilm');
  expect(draft.join(1, '').changed).toBe(2);
});

test('many words replaced at once read as replaced one by one', () => {
  const draft = Draft.of('one two three').replace(1, '2');
  const all = draft.replaceAll(new Map([[2, '3'], [0, '1']])); // biome-ignore format: one line reads better
  expect(all.text).toBe('1 2 3');
  expect(all.text).toBe(draft.replace(0, '1').replace(2, '3').text);
});

test('what surrounds a text edits no word', () => {
  const draft = Draft.of('good film.').replace(0, 'bad').surround('So: ', ' End');
  expect(draft.text).toBe('So: bad film. End');
  expect([...draft.edited]).toEqual([0]);
  expect(Draft.of('!?').surround('a', 'b').text).toBe('a!?b');
});

test.each([-1, 2, 0.5, Number.NaN])('slot %d of two is refused', async (at) => {
  await thrown(() => Draft.of('good film').replace(at, 'x'));
});

const goldens = '../shared/goldens';

describe.skipIf(!existsSync(goldens))('against the outcomes of TextAttack (absent: ../shared/goldens)', () => {
  const rows = (recipe: string) =>
    readFileSync(`${goldens}/textattack-${recipe}.jsonl`, 'utf8')
      .trim()
      .split('\n')
      .map((line): { original: string; perturbed: string; words: number; status: string } => JSON.parse(line));

  // Its words include runs of backquotes (they are in its homoglyph table); ours do not, so that no attack "misspells" a quotation mark.
  const backquotes = (text: string) => text.match(/`+/g)?.length ?? 0;

  test.each(['pruthi', 'input-reduction', 'pwws', 'deepwordbug'])('as many words in the sentences of %s', (recipe) => {
    const differing = rows(recipe).filter(
      ({ original, words }) => Draft.of(original).size + backquotes(original) !== words,
    );
    expect(differing.map(({ original }) => original)).toEqual([]);
  });

  test('deleting words gives its texts, except for the space that remains after the last word', () => {
    const reduced = rows('input-reduction').filter((row) => row.status !== 'skipped' && backquotes(row.original) === 0);
    expect(reduced.length).toBeGreaterThan(100);
    const differing = reduced.filter(
      ({ original, perturbed }) =>
        !['forwards', 'backwards'].some((way) => reaches(original, perturbed.trimEnd(), way)),
    );
    expect(differing.map(({ original, perturbed }) => `${original} | ${perturbed}`)).toEqual([]);
  });

  /** Whether deleting some choice of words, one by one from the start or from the end, turns the text into `wanted`. */
  function reaches(text: string, wanted: string, way: string): boolean {
    const kept = wordsOf(wanted).map((word) => word.text);
    const size = Draft.of(text).size;
    const walk = (draft: Draft, seen: number, found: number): boolean => {
      if (seen === size) return found === kept.length && draft.text.trimEnd() === wanted;
      const slot = way === 'forwards' ? seen : size - 1 - seen;
      const next = way === 'forwards' ? found : kept.length - 1 - found;
      if (draft.word(slot) === kept[next] && walk(draft, seen + 1, found + 1)) return true;
      return size - seen > kept.length - found && walk(draft.remove(slot), seen + 1, found);
    };
    return walk(Draft.of(text), 0, 0);
  }
});

test('what stands between words, before the first and after the last is replaced, and marks the words beside it', () => {
  const draft = Draft.of('"well, done."');
  expect([0, 1, 2].map((at) => draft.gapBefore(at))).toEqual(['"', ', ', '."']);
  const edited = [0, 1, 2].map((at) => draft.withGap(at, '*'));
  expect(edited.map(({ text }) => text)).toEqual(['*well, done."', '"well*done."', '"well, done*']);
  expect(edited.map((each) => [...each.edited])).toEqual([[0], [0, 1], [1]]);
  expect(() => draft.withGap(3, '')).toThrow(RangeError);
  expect(() => draft.gapBefore(-1)).toThrow(RangeError);
});
