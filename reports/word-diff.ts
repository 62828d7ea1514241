/** @file Which words of a text were changed, for highlighting. */
import { diffArrays, diffChars } from 'diff';

export type Segment =
  | { readonly changed: false; readonly text: string }
  | { readonly changed: true; readonly from: string; readonly to: string };

/** Most differing tokens (words, and the spaces between them): a larger diff is unreadable and slow. */
const MOST_EDITS = 400;

const tokens = (text: string): string[] => text.split(/(\s+)/).filter((token) => token !== '');

/**
 * The two texts as segments that read as the first with `from` and as the second with `to`. Changed segments are whole words without the
 * punctuation they share: "idiot!" -> "idiit!" changes "idiot". Words an edit split or merged stay together in one segment.
 */
export function wordDiff(before: string, after: string): Segment[] {
  const changes = diffArrays(tokens(before), tokens(after), { maxEditLength: MOST_EDITS });
  if (changes === undefined) return [{ changed: true, from: before, to: after }];
  const segments: Segment[] = [];
  for (const { added, removed, value } of changes) {
    const text = value.join('');
    if (!added && !removed) segments.push({ changed: false, text });
    else append(segments, added ? '' : text, removed ? '' : text);
  }
  return splitWords(whole(segments)).flatMap((segment) =>
    segment.changed ? trim(segment.from, segment.to) : segment.text === '' ? [] : [segment],
  );
}

/** Adds a change, to the one before it where they touch. */
function append(segments: Segment[], from: string, to: string): void {
  const last = segments.at(-1);
  if (last?.changed) segments[segments.length - 1] = { changed: true, from: last.from + from, to: last.to + to };
  else segments.push({ changed: true, from, to });
}

/** Joins changes that only space parts where one of them lacks a side: a word split or merged. */
function whole(segments: readonly Segment[]): Segment[] {
  const joined: Segment[] = [];
  const oneSided = (segment: Segment): boolean => segment.changed && (segment.from === '' || segment.to === '');
  for (const segment of segments) {
    const [earlier, space] = joined.slice(-2);
    if (
      segment.changed &&
      earlier?.changed &&
      space?.changed === false &&
      space.text.trim() === '' &&
      (oneSided(earlier) || oneSided(segment))
    ) {
      joined.length -= 2;
      append(joined, earlier.from + space.text + segment.from, earlier.to + space.text + segment.to);
    } else joined.push(segment);
  }
  return joined;
}

/** Words of a stretch that is aligned word by word; the work grows with their product. */
const MOST_ALIGNED = 24;
/** Pieces that one word is split into at most. */
const MOST_PIECES = 8;

/** Changes in a row that only spaces part, aligned so that each word has the pieces it was split into: "go od", "f ilm". */
function splitWords(segments: readonly Segment[]): Segment[] {
  const found: Segment[] = [];
  for (let at = 0; at < segments.length; ) {
    let end = at;
    while (segments[end]?.changed && blank(segments[end + 1]) && segments[end + 2]?.changed) end += 2;
    const run = segments.slice(at, end + 1);
    const side = (of: 'from' | 'to') => run.map((each) => (each.changed ? each[of] : each.text)).join('');
    const [from, to] = [side('from'), side('to')];
    const last = /\s*$/.exec(from)?.[0] ?? '';
    const words = run.length > 1 && to.endsWith(last) && align(from.trimEnd(), to.slice(0, to.length - last.length));
    found.push(...(words ? [...words, { changed: false as const, text: last }] : run));
    at = end + 1;
  }
  return found;
}

const blank = (segment: Segment | undefined): boolean => segment?.changed === false && segment.text.trim() === '';

/** Each word beside its pieces, by the fewest letters that differ; undefined where the second text has no more words than the first, or differs by more. */
function align(from: string, to: string): Segment[] | undefined {
  const [words, pieces] = [from.split(/\s+/), to.split(/\s+/)];
  const most = Math.max(words.length, pieces.length);
  if (pieces.length <= words.length || most > MOST_ALIGNED || [...words, ...pieces].includes('')) return undefined;
  const apart = (one: string, other: string): number =>
    diffChars(one, other).reduce((sum, { added, removed, value }) => sum + (added || removed ? value.length : 0), 0);
  /** By pieces used: the cost of the words so far, and how many pieces each has. */
  let best = new Map<number, { cost: number; counts: readonly number[] }>([[0, { cost: 0, counts: [] }]]);
  for (const word of words) {
    const next: typeof best = new Map();
    for (const [used, { cost, counts }] of best) {
      for (let count = 1; count <= MOST_PIECES && used + count <= pieces.length; count++) {
        const total = cost + apart(word, pieces.slice(used, used + count).join(''));
        if (total < (next.get(used + count)?.cost ?? Number.POSITIVE_INFINITY))
          next.set(used + count, { cost: total, counts: [...counts, count] });
      }
    }
    best = next;
  }
  const found = best.get(pieces.length);
  if (found === undefined || found.cost > from.length) return undefined;
  const spacesOf = (text: string): readonly string[] => text.match(/\s+/g) ?? [];
  const [spacesFrom, spacesTo] = [spacesOf(from), spacesOf(to)];
  let used = 0;
  return words.flatMap((word, at): Segment[] => {
    const count = found.counts[at] as number;
    const group = pieces.slice(used, used + count);
    const text = group.map((piece, nth) => (nth === 0 ? piece : `${spacesTo[used + nth - 1]}${piece}`)).join('');
    used += count;
    const [before, after] = [spacesFrom[at] ?? '', spacesTo[used - 1] ?? ''];
    const change: Segment = word === text ? { changed: false, text } : { changed: true, from: word, to: text };
    if (before === '' && after === '') return [change];
    return [change, before === after ? { changed: false, text: before } : { changed: true, from: before, to: after }];
  });
}

/** A change without the spaces and punctuation both sides begin or end with. */
function trim(from: string, to: string): Segment[] {
  const [a, b] = [Array.from(from), Array.from(to)];
  const shared = (one: string | undefined, other: string | undefined): boolean =>
    one !== undefined && one === other && !/[\p{L}\p{N}\p{M}]/u.test(one);
  let start = 0;
  while (shared(a[start], b[start])) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && shared(a[a.length - 1 - end], b[b.length - 1 - end])) end++;
  const cut = (list: string[]): string => list.slice(start, list.length - end).join('');
  const segments: Segment[] = [
    { changed: false, text: a.slice(0, start).join('') },
    { changed: true, from: cut(a), to: cut(b) },
    { changed: false, text: a.slice(a.length - end).join('') },
  ];
  return segments.filter((segment) => segment.changed || segment.text !== '');
}

/**
 * The segments with long stretches cut to `context` characters beside each change, marked by an ellipsis. A text without changes keeps its
 * beginning.
 */
export function excerpt(segments: readonly Segment[], context: number): Segment[] {
  return segments.map((segment, i) => {
    if (segment.changed)
      return { changed: true, from: head(segment.from, 2 * context), to: head(segment.to, 2 * context) };
    const [first, last] = [i === 0, i === segments.length - 1];
    if (first && last) return { changed: false, text: head(segment.text, 2 * context) };
    if (segment.text.length <= (first || last ? context : 2 * context)) return segment;
    const text = (first ? '' : head(segment.text, context)) + (last ? '' : tail(segment.text, context));
    return { changed: false, text: text.replace('……', '…') };
  });
}

/** At most `length` characters from the start, ending between words where one ends near. */
function head(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
  const space = cut.lastIndexOf(' ');
  return `${space > length / 2 ? cut.slice(0, space + 1) : cut}…`;
}

/** At most `length` characters from the end, starting between words where one starts near. */
function tail(text: string, length: number): string {
  const cut = text.slice(-length).replace(/^[\uDC00-\uDFFF]/, '');
  const space = cut.indexOf(' ');
  return `…${space !== -1 && space < length / 2 ? cut.slice(space) : cut}`;
}
