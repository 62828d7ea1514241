import { expect, test } from 'vitest';
import { Draft } from '../../src/core/draft.js';
import { random } from '../../src/core/random.js';
import { carriedSpans, keepEntities } from '../../src/core/tags/carried.js';
import type { TagSpan } from '../../src/core/tags/span.js';

const placed = (draft: Draft, spans: readonly TagSpan[]): string[] =>
  carriedSpans(draft, spans).map(({ start, end }) => draft.text.slice(start, end));

const TEXT = 'Dr. Ann Lee-Smith (born 1970) lives in "New York", see @ann.';
const span = (text: string, type = 'PERSON'): TagSpan => {
  const start = TEXT.indexOf(text);
  return { start, end: start + text.length, type };
};

test('spans follow edits inside of them and around them', () => {
  const spans = [span('Ann Lee-Smith'), span('"New York"'), span('@ann')];
  const draft = Draft.of(TEXT);
  expect(placed(draft, spans)).toEqual(['Ann Lee-Smith', '"New York"', '@ann']);
  const typo = draft.replace(1, 'Amn').replace(0, 'Doctor');
  expect(placed(typo, spans)).toEqual(['Amn Lee-Smith', '"New York"', '@ann']);
  expect(placed(draft.remove(4), spans)).toEqual(['Ann Lee-Smith', '"New York"', '@ann']);
  expect(placed(draft.join(1, ''), spans)).toEqual(['AnnLee-Smith', '"New York"', '@ann']);
  // A gap that lost the character at which a span begins: the span begins at the word.
  expect(placed(draft.withGap(7, ' '), spans)).toEqual(['Ann Lee-Smith', 'New York"', '@ann']);
  expect(placed(draft.surround('Note: ', ' !'), spans)).toEqual(['Ann Lee-Smith', '"New York"', '@ann']);
});

test('a boundary within a word keeps what was not edited', () => {
  const text = "Smith's dog";
  const smith = [{ start: 0, end: 5, type: 'PERSON' }];
  expect(placed(Draft.of(text).replace(0, "Smiht's"), smith)).toEqual(['Smiht']);
  expect(placed(Draft.of(text).replace(0, 'Smithes'), smith)).toEqual(['Smith']);
  expect(placed(Draft.of(text).replace(0, 'Xes'), smith)).toEqual(['Xes']);
});

// The reference marks the boundaries of spans that consist of whole words in the pieces of a text, and edits the pieces.
test('100,000 random edits of random spans: the places are those of the words', () => {
  const stream = random(7, 'carry');
  const letters = 'abcé 😀-';
  const word = () => Array.from({ length: 1 + stream.int(4) }, () => 'abcdefgh'[stream.int(8)]).join('');
  let edits = 0;
  while (edits < 100_000) {
    const words = Array.from({ length: 2 + stream.int(8) }, word);
    const gaps = words.map(
      (_, at) => (at === 0 ? ['', '(', ' '] : [' ', ', ', ' (', '. '])[stream.int(at === 0 ? 3 : 4)]!,
    );
    const text = words.map((each, at) => gaps[at]! + each).join('');
    let draft = Draft.of(text);
    expect(draft.size).toBe(words.length);
    const from = stream.int(words.length);
    const to = from + stream.int(words.length - from);
    const { spans } = draft;
    const entity = [{ start: spans[2 * from]!, end: spans[2 * to + 1]!, type: 'X' }];
    const now = { words: [...words], gaps: [...gaps, ''] };
    for (let step = 0; step < 5; step++, edits++) {
      const at = stream.int(words.length);
      const content = Array.from({ length: stream.int(4) }, () => letters[stream.int(6)]).join('');
      if (stream.int(2) === 0) {
        draft = draft.replace(at, content);
        now.words[at] = content;
      } else {
        draft = draft.withGap(at, content);
        now.gaps[at] = content;
      }
    }
    const before =
      now.words
        .slice(0, from)
        .map((each, at) => now.gaps[at]! + each)
        .join('') + now.gaps[from]!;
    const inside = now.words
      .slice(from, to + 1)
      .map((each, at) => (at === 0 ? '' : now.gaps[from + at]!) + each)
      .join('');
    const [carried] = carriedSpans(draft, entity);
    expect(carried).toEqual({ start: before.length, end: before.length + inside.length, type: 'X' });
  }
});

test('edits keep the words of entities, and touch what was chosen', () => {
  const text = 'Ann Lee lives in York';
  const example = {
    text,
    entities: [
      { start: 0, end: 7, type: 'PERSON' },
      { start: 17, end: 21, type: 'LOC' },
    ],
    entity: 0,
  };
  const draft = Draft.of(text);
  const editable = (touch: 'inside' | 'context' | 'both') =>
    [0, 1, 2, 3, 4].filter((at) => keepEntities(example, touch).editable?.(draft, at, {} as never));
  expect(editable('inside')).toEqual([0, 1]);
  expect(editable('context')).toEqual([2, 3]);
  expect(editable('both')).toEqual([0, 1, 2, 3]);
  const accepts = (candidate: Draft) => keepEntities(example, 'both').accepts?.([candidate], draft, {} as never);
  expect(accepts(draft.replace(0, 'Amn'))).toEqual([true]);
  expect(accepts(draft.remove(0))).toEqual([false]);
  expect(accepts(draft.join(0, ' and '))).toEqual([false]);
  expect(accepts(draft.remove(2))).toEqual([true]);
  expect(accepts(Draft.of('Bob left'))).toEqual([false]);
});
