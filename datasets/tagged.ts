/**
 * @file Texts with tagged spans: {text, spans: [{start, end, type}]} with offsets in code points, or tokens with a tag each (CoNLL, lists in
 * JSON lines and parquet). An example is a text with its entities; `perEntity` makes one of each entity.
 */
import { z } from 'zod';
import type { Dataset, Example } from '../src/core/dataset.js';
import { must, RobustError } from '../src/core/errors.js';
import { codePointOffsets } from '../src/core/tags/code-points.js';
import { spansOfTags } from '../src/core/tags/decode.js';
import { readTag } from '../src/core/tags/scheme.js';
import { NO_ENTITY, overlaps, type TagSpan } from '../src/core/tags/span.js';
import type { CheckedDataset, DatasetOptions } from './checked.js';
import { chooseColumns, type RowLayout } from './columns.js';
import { checkLabelMap, type LabelPlace, labelIndices, labelNames } from './labels.js';
import { changedError, type DataSource } from './source.js';
import { noRows, ReplacedTexts, type TableRow, writable } from './table.js';

/** A text with its spans as written. */
interface TaggedRow {
  readonly id: string;
  readonly text: string;
  readonly spans: readonly TagSpan[];
}

const offset = z.union([
  z.number(),
  z
    .string()
    .regex(/^\d+(\.\d+)?$/)
    .transform(Number),
]);
const SPAN = z.looseObject({});
const KEYS = {
  start: ['start', 'start_position', 'start_char', 'start_offset', 'begin'],
  end: ['end', 'end_position', 'end_char', 'end_offset'],
  type: ['type', 'label', 'entity_type', 'entity_group', 'tag'],
} as const;

/**
 * Opens texts with tagged spans. Labels are those of the model, or the types of the data, then one for no entity. The label map may map a
 * type to it, which drops these spans. Throws RobustError for spans that leave the text, overlap, or have a type that the model lacks.
 */
export async function openTagged(source: DataSource, options: DatasetOptions): Promise<CheckedDataset> {
  const { where, name, url, license } = source;
  const { labelMap = {} } = options;
  if (options.labels) checkLabelMap(labelMap, options.labels);
  const table = await source.open(() => false);
  const layout = chooseColumns(table.columns, { ...options, idColumn: options.idColumn ?? source.idColumn }, where);
  const names = table.labelNames?.get(must(layout.columns[must(layout.labels[0])]));
  const rows = async function* (): AsyncGenerator<{ row: TableRow; tagged: TaggedRow }> {
    let number = 0;
    for await (const row of table.rows(layout.columns, layout.columns))
      yield { row, tagged: taggedRow(row, layout, ++number, names) };
  };
  const places = new Map<string, LabelPlace>();
  const ids = new Set<string>();
  const replaced = new ReplacedTexts();
  const cuts = new CutWords();
  let size = 0;
  for await (const { row, tagged } of rows()) {
    size++;
    cuts.look(tagged, `${row.path}:${row.line}`);
    replaced.look(row, [layout.text]);
    if (ids.has(tagged.id)) throw sameId(row, tagged.id);
    if (layout.id !== undefined) ids.add(tagged.id);
    for (const { type } of tagged.spans) if (!places.has(type)) places.set(type, row);
  }
  if (size === 0) throw noRows(where, 'a file without texts');
  replaced.say(options.onWarning);
  cuts.check();
  const labels = options.labels ?? [
    ...labelNames(places.keys(), labelMap).filter((label) => label !== NO_ENTITY),
    NO_ENTITY,
  ];
  const indices = labelIndices(places, labels, labelMap);
  const none = labels.indexOf(NO_ENTITY);
  const sha256 = await source.sha256();
  return {
    name,
    labels,
    size,
    tagged: true,
    source: { url, license, sha256 },
    async *examples() {
      source.check();
      for await (const { row, tagged } of rows()) {
        const entities = tagged.spans.flatMap((span) => {
          const label = indices.get(span.type);
          if (label === undefined) throw changedError(row.path);
          return label === none ? [] : [{ ...span, type: must(labels[label]) }];
        });
        yield { id: tagged.id, text: tagged.text, label: none, entities };
      }
    },
  };
}

/** A letter of a script that separates words by spaces. */
const LETTER = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}]/u;

/** Spans that begin or end within a word: a share of them means that their offsets count something else. */
class CutWords {
  #spans = 0;
  #cut = 0;
  /** Of both those behind an emoji. */
  #shifted = 0;
  #shiftedCut = 0;
  /** Of those cut, how many would not be if offsets counted UTF-16 units or bytes. */
  readonly #whole = { 'UTF-16 units, as JavaScript and Java do': 0, 'bytes of UTF-8': 0 };
  #first = '';

  look({ text, spans }: TaggedRow, where: string): void {
    // Where one span ends and the next begins, somebody cut the word on purpose.
    const starts = new Set(spans.map(({ start }) => start));
    const ends = new Set(spans.map(({ end }) => end));
    const isMeant = (at: number): boolean => starts.has(at) && ends.has(at);
    const isCut = (start: number, end: number): boolean =>
      [start, end].some((at) => !isMeant(at) && LETTER.test(text[at - 1] ?? '') && LETTER.test(text[at] ?? ''));
    const codePoints = (at: number): number => [...text.slice(0, at)].length;
    for (const { start, end } of spans) {
      this.#spans++;
      const shifted = codePoints(start) !== start;
      if (shifted) this.#shifted++;
      if (!isCut(start, end)) continue;
      if (shifted) this.#shiftedCut++;
      if (this.#cut++ === 0) this.#first = `${where}: ${JSON.stringify(text.slice(start, end))}`;
      const [from, to] = [codePoints(start), codePoints(end)];
      if (!isCut(from, to)) this.#whole['UTF-16 units, as JavaScript and Java do']++;
      const bytes = Buffer.from(text);
      const unit = (at: number): number => bytes.subarray(0, at).toString().length;
      if (!isCut(unit(from), unit(to))) this.#whole['bytes of UTF-8']++;
    }
  }

  /** Throws RobustError if half of the spans cut a word. */
  check(): void {
    const most = (cut: number, of: number): boolean => cut > 0 && cut >= Math.max(of > 3 ? 2 : 1, of / 2);
    if (!most(this.#cut, this.#spans) && !most(this.#shiftedCut, this.#shifted)) return;
    const cause = Object.entries(this.#whole).find(([, whole]) => whole > this.#cut / 2)?.[0];
    throw invalid(
      `${this.#first}: expected spans of whole words, got ${this.#cut} of ${this.#spans} that begin or end within one`,
      cause === undefined
        ? 'Offsets count code points from 0, in the text as it is in the file; the end is behind the last one.'
        : `Offsets count code points; these seem to count ${cause}.`,
    );
  }
}

/**
 * Examples of single entities: for each of the first `texts` texts its entities, then the rest of the text. 0 = all. `whole`: each text is one
 * example, with the type of its first entity.
 */
export function perEntity<D extends Dataset>(dataset: D, texts: number, whole = false): D {
  const { labels } = dataset;
  const examplesOf = whole ? wholeText : eachEntity;
  return {
    ...dataset,
    async *examples(): AsyncGenerator<Example> {
      let read = 0;
      for await (const example of dataset.examples()) {
        yield* examplesOf(example, labels);
        if (++read === texts) return;
      }
    },
  };
}

const restOf = (example: Example, labels: readonly string[]): Example => ({
  ...example,
  id: `${example.id}#rest`,
  label: labels.indexOf(NO_ENTITY),
  entities: example.entities ?? [],
});

function eachEntity(example: Example, labels: readonly string[]): Example[] {
  const { id, entities = [] } = example;
  const own = entities.map(({ type }, entity) => ({
    ...example,
    id: `${id}#${entity + 1}`,
    label: labels.indexOf(type),
    entities,
    entity,
  }));
  return [...own, restOf(example, labels)];
}

function wholeText(example: Example, labels: readonly string[]): Example[] {
  const [first] = example.entities ?? [];
  if (first === undefined) return [restOf(example, labels)];
  return [{ ...example, id: `${example.id}#text`, label: labels.indexOf(first.type) }];
}

function taggedRow(
  { path, line, cells }: TableRow,
  layout: RowLayout,
  number: number,
  names: readonly string[] | undefined,
): TaggedRow {
  const where = `${path}:${line}`;
  const [written, tags] = [cells[layout.text], cells[must(layout.labels[0])]];
  const id = layout.id === undefined ? String(number) : (cells[layout.id] ?? '');
  const missing = written === undefined ? layout.text : tags === undefined ? must(layout.labels[0]) : layout.id;
  if (written === undefined || tags === undefined || id === '')
    throw invalid(`${where}: expected a value for "${layout.columns[missing ?? 0]}", got none`, FILL_IN);
  const list = listIn(tags);
  if (list === undefined)
    throw invalid(`${where}: expected a list of spans or of tags, got ${JSON.stringify(tags.slice(0, 40))}`, SHAPES);
  const tokens = listIn(written);
  const ofTokens =
    tokens !== undefined && (/^(tokens|words)$/i.test(must(layout.columns[layout.text])) || list.some(isTag));
  if (ofTokens) return { id, ...ofTokenTags(textsIn(tokens, where), textsIn(list, where), names, where) };
  if (list.some(isTag))
    throw invalid(`${where}: expected a list of tokens beside the list of tags, got one text`, SHAPES);
  return { id, ...ofSpans(writable(written), list, where) };
}

const isTag = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number';

function textsIn(list: readonly unknown[], where: string): string[] {
  const odd = list.find((value) => !isTag(value));
  if (odd === undefined) return list.map(String);
  throw invalid(`${where}: expected tokens and their tags, got ${JSON.stringify(odd).slice(0, 40)}`, SHAPES);
}

function listIn(cell: string): unknown[] | undefined {
  if (!cell.startsWith('[')) return undefined;
  try {
    const value: unknown = JSON.parse(cell);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The tokens with a space between them. */
function ofTokenTags(
  given: readonly string[],
  tags: readonly string[],
  names: readonly string[] | undefined,
  where: string,
): Omit<TaggedRow, 'id'> {
  if (given.length !== tags.length)
    throw invalid(`${where}: expected a tag for each of ${given.length} tokens, got ${tags.length} tags`, SHAPES);
  const tokens = given.map(writable);
  let end = -1;
  const places = tokens.map((token) => {
    const start = end + 1;
    end = start + token.length;
    return { start, end };
  });
  const read = tags.map((tag) => {
    const name = /^\d+$/.test(tag) ? names?.[Number(tag)] : tag;
    if (name === '' || /^[BIMELSU][-_]$/.test(name ?? ''))
      throw invalid(`${where}: expected a tag such as B-PERSON or O, got ${JSON.stringify(name)}`, SHAPES);
    if (name !== undefined) return readTag(name);
    throw invalid(
      `${where}: expected the names of the tags, got the number ${tag}`,
      'Write names such as B-PERSON, or keep the names in the metadata of the parquet file (ClassLabel).',
    );
  });
  const [text, spans] = [tokens.join(' '), spansOfTags(places, read)];
  for (const span of spans) checkVisible(text, span, where);
  return { text, spans };
}

function ofSpans(text: string, list: readonly unknown[], where: string): Omit<TaggedRow, 'id'> {
  const offsets = codePointOffsets(text);
  const length = offsets.length - 1;
  const spans = list.map((value, at) => {
    const { start, end, type } = spanOf(value, `${where}: spans[${at}]`);
    if (!(Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start < end && end <= length))
      throw invalid(
        `${where}: spans[${at}]: expected 0 <= start < end <= ${length}, the text's length in code points, got ${start} to ${end}`,
        `Offsets count code points from 0; the end is behind the last one.${end <= text.length ? ' These may count UTF-16 units, as JavaScript and Java do: an emoji is two.' : ''}`,
      );
    return { start: must(offsets[start]), end: must(offsets[end]), type };
  });
  const sorted = spans.sort((a, b) => a.start - b.start || a.end - b.end);
  for (const [at, span] of sorted.entries()) {
    const before = sorted[at - 1];
    if (before !== undefined && overlaps(before, span)) throw overlapping(text, before, span, where);
    checkVisible(text, span, where);
  }
  return { text, spans: sorted };
}

function checkVisible(text: string, { start, end, type }: TagSpan, where: string): void {
  if (!/[\p{L}\p{N}\p{P}\p{S}\p{M}]/u.test(text.slice(start, end)))
    throw invalid(`${where}: expected a span with visible characters, got only spaces (${type})`, FILL_IN);
}

function spanOf(value: unknown, where: string): TagSpan {
  // doccano and spaCy write [0, 3, "PER"].
  const [start0, end0, type0] = Array.isArray(value) ? value : [];
  const fields = Array.isArray(value) ? { start: start0, end: end0, type: type0 } : (SPAN.safeParse(value).data ?? {});
  const field = (key: keyof typeof KEYS): unknown =>
    (fields as Record<string, unknown>)[KEYS[key].find((name) => name in fields) ?? ''];
  const [start, end] = [offset.safeParse(field('start')).data, offset.safeParse(field('end')).data];
  const type = z.string().min(1).safeParse(field('type')).data;
  if (start !== undefined && end !== undefined && type !== undefined) return { start, end, type };
  throw invalid(`${where}: expected start, end and type, got ${JSON.stringify(value).slice(0, 60)}`, SHAPES);
}

function overlapping(text: string, a: TagSpan, b: TagSpan, where: string): RobustError {
  const show = ({ start, end, type }: TagSpan): string => `${JSON.stringify(text.slice(start, end))} (${type})`;
  return invalid(
    `${where}: expected spans that do not overlap, got ${show(a)} and ${show(b)}`,
    'Keep one of overlapping or nested spans, such as the outer one: each token has one tag.',
  );
}

const FILL_IN = 'Fill it in or drop the row; a text without entities has an empty list.';
const SHAPES =
  'A row is {"text": "Ann left", "spans": [{"start": 0, "end": 3, "type": "PERSON"}]}, or {"tokens": ["Ann", "left"], "tags": ["B-PERSON", "O"]}; name other columns with --columns text=NAME:label=NAME.';

const invalid = (message: string, hint: string): RobustError =>
  new RobustError(message, { code: 'DATA_DAMAGED', hint });

const sameId = ({ path, line }: TableRow, id: string): RobustError =>
  new RobustError(`${path}:${line}: expected distinct ids, got "${id}" again`, {
    code: 'DATA_DAMAGED',
    hint: 'Leave the id out of --columns to number the rows.',
  });
