/** @file A document on a screen: lines of a given width, in colours or none. */
import type { ChalkInstance } from 'chalk';
import type {
  Block,
  Chart,
  Document,
  Inline,
  Piece,
  Section,
  Style,
  Table,
  TextPair,
} from '../../src/results/report/document.js';
import { interval, percent } from '../figures.js';
import { besideEachOther, blocks as columnBlocks, type Screen, wrapLines } from '../layout.js';
import { lookAlikes, visible } from '../visible.js';
import { excerpt, wordDiff } from '../word-diff.js';
import { heaviestWords } from '../word-weights.js';
import { weightBars } from './screen-weights.js';

/** Characters of unchanged text shown on each side of a change. */
const CONTEXT = 160;
/** As `CONTEXT`, where little room is left. */
const MIN_CONTEXT = 12;
/** Eighths of a line's height, for curves without bounds. */
const HEIGHTS = ' ▁▂▃▄▅▆▇█';

type BlockOf<K extends Block['kind']> = Extract<Block, { readonly kind: K }>;

/** The lines of a document: what invalidates it, the result, what was measured, each section, the warnings. */
export function* onScreen(document: Document, screen: Screen): Iterable<string> {
  const { chalk, width } = screen;
  const { lead, summary, alarms = [], sections, warnings = [], inconclusive = [] } = document;
  const first = [...(summary === undefined ? [] : [summary]), lead].flatMap((of) => {
    const text = renderInline(of, chalk);
    return text === '' ? [] : [`${wrapLines(text, width, 0)}\n`];
  });
  const parts: string[] = [
    ...alarms.map((alarm) => `${wrapLines(visible(alarm), width, 0, chalk.red.bold)}\n`),
    ...(first.length === 0 ? [] : [first.join('')]),
  ];
  for (const section of sections) parts.push(...sectionParts(section, screen));
  if (warnings.length > 0) {
    parts.push(
      warnings.map((each) => `${besideEachOther(chalk.yellow('Warning'), visible(each), width, 9)}\n`).join(''),
    );
  }
  if (inconclusive.length > 0) {
    parts.push(`${besideEachOther(chalk.yellow('Inconclusive'), visible(inconclusive.join('; ')), width, 14)}\n`);
  }
  for (const [at, part] of parts.entries()) yield at > 0 ? `\n${part}` : part;
}

/** Lines of text follow each other; all else has an empty line around it. */
function sectionParts({ title, blocks: whole, brief, full, led }: Section, screen: Screen): string[] {
  const blocks = screen.wide ? whole : (brief ?? whole);
  if (full || blocks.length === 0) return [];
  const parts =
    title !== undefined && !led ? [`${wrapLines(visible(title), screen.width, 0, screen.chalk.bold)}\n`] : [];
  let text = false;
  for (const block of blocks) {
    const lines = [...renderBlock(block, screen)].join('');
    if (lines === '') continue;
    const isText = block.kind === 'prose' || block.kind === 'list';
    if (text && isText) parts[parts.length - 1] += lines;
    else parts.push(lines);
    text = isText;
  }
  return parts;
}

function* renderBlock(block: Block, screen: Screen): Iterable<string> {
  const { chalk, width } = screen;
  switch (block.kind) {
    case 'prose':
      if (block.tone !== 'legend' || screen.explained) yield paragraph(block, screen);
      return;
    case 'heading':
      yield `${wrapLines(renderInline(block.text, chalk), width, 0, chalk.bold)}\n`;
      return;
    case 'list':
      yield* listItems(block, screen);
      return;
    case 'facts':
      yield* factLines(block, screen);
      return;
    case 'table':
      yield tableOf(block, screen);
      return;
    case 'chart':
      if (!block.drawnOnly) yield* chart(block, screen);
      return;
    case 'texts':
      yield textPairs(block, screen);
      return;
    case 'command':
      yield `${visible(block.line)}\n`;
      return;
    case 'weights':
      yield* weightBars(block.explanations, screen);
      return;
    case 'fold':
    case 'bars':
    case 'differences':
    case 'attention':
    case 'outcomes':
      return;
  }
}

function paragraph({ text: of, tone }: BlockOf<'prose'>, { chalk, width }: Screen): string {
  const paint = tone && { note: chalk.dim, legend: chalk.dim, warning: chalk.yellow, alarm: chalk.red.bold }[tone];
  const text = renderInline(of, chalk);
  return text === '' ? '' : `${wrapLines(text, width, 0, paint)}\n`;
}

function* listItems({ items, tone }: BlockOf<'list'>, { chalk, width }: Screen): Iterable<string> {
  for (const item of items) {
    const text = renderInline(item, chalk);
    yield `${tone === undefined ? besideEachOther('-', text, width, 2) : wrapLines(text, width, 2, chalk.dim)}\n`;
  }
}

function* factLines({ facts }: BlockOf<'facts'>, { chalk, width }: Screen): Iterable<string> {
  const lines = facts.map(([name, value]) => [renderInline(name, chalk), renderInline(value, chalk)] as const);
  const column = Math.min(Math.max(0, ...lines.map(([name]) => plainLength(name))) + 2, width >> 1);
  for (const [name, value] of lines) yield `${besideEachOther(name, value, width, column)}\n`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes are control characters.
const plainLength = (text: string): number => text.replace(/\u001B\[[\d;]*m/g, '').length;

const PAINT = { strong: 'bold', dim: 'dim', good: 'green', bad: 'red', doubtful: 'yellow' } as const;

const applyStyle = (text: string, style: Style | undefined, chalk: ChalkInstance): string =>
  style === undefined || style === 'code' ? text : chalk[PAINT[style]](text);

/** `stacked`: in a column of an attack, where an interval stands under its rate. */
function renderInline(of: Inline, chalk: ChalkInstance, stacked = false): string {
  if (typeof of === 'string') return visible(of);
  if (typeof of === 'number') return String(of);
  if ('length' in of) return of.map((each) => renderInline(each, chalk, stacked)).join('');
  return piece(of, chalk, stacked);
}

function piece(of: Piece, chalk: ChalkInstance, stacked: boolean): string {
  if ('rate' in of) {
    const { rate, style } = of;
    const value = applyStyle(percent(rate.value), style, chalk);
    if (rate.value === null || rate.low === null) return value;
    return stacked ? `${value}\n${chalk.dim(interval(rate))}` : `${value} (${interval(rate)})`;
  }
  if ('lines' in of) return of.lines.map((line) => renderInline(line, chalk, stacked)).join(stacked ? '\n' : ', ');
  if ('before' in of) return changes(of.before, of.after, chalk);
  return applyStyle(renderInline(of.text, chalk, stacked), of.style, chalk);
}

function tableOf({ columns, rows, across }: Table, { width, chalk }: Screen): string {
  const stacked = across === true;
  const cells = rows.map((row) => row.map((cell) => renderInline(cell, chalk, stacked)));
  const titles = columns.map(({ title }) => renderInline(title, chalk));
  if (across) {
    const turned = [titles, ...cells.map(([name = '', ...rest]) => [chalk.bold(name), ...rest])];
    return join(columnBlocks(turned, width));
  }
  const upright = columns.map(({ optional = false }, at) => ({
    optional,
    cells: [titles[at] as string, ...cells.map((row) => row[at] ?? '')],
  }));
  const renderTable = (): string[] =>
    columnBlocks(
      upright.map((column) => column.cells),
      width,
    );
  // Too wide: first titles break into lines, then columns go that may.
  if (renderTable().length > 1) {
    for (const column of upright) column.cells[0] = wrapTitle(column.cells);
  }
  for (let last = 0; renderTable().length > 1; upright.splice(last, 1)) {
    last = upright.findLastIndex(({ optional }) => optional);
    if (last < 0) break;
  }
  return join(renderTable());
}

const join = (parts: readonly string[]): string => parts.map((block) => `${block}\n`).join('\n');

/** The title of a column in lines no longer than the cells below it or its longest word. */
function wrapTitle([title = '', ...cells]: readonly string[]): string {
  const lengths = [...cells.flatMap((cell) => cell.split('\n')), ...title.split(' ')].map(plainLength);
  return wrapLines(title, Math.max(...lengths), 0);
}

/** With bounds a table of all points; without, a small bar each, from the lowest value to the highest. */
function* chart({ panels, x, y }: Chart, screen: Screen): Iterable<string> {
  const lines = panels.flatMap((panel) => panel.lines.map((line) => ({ panel, line })));
  if (lines.some(({ line }) => line.points.some(({ low }) => low !== undefined))) {
    yield tableOf(pointsTable({ kind: 'chart', panels, x, y }), screen);
    return;
  }
  const column = Math.max(0, ...panels.map(({ title }) => visible(title).length)) + 2;
  for (const panel of panels) {
    const curves = panel.lines.map(({ name, points }) => `${visible(name)} ${curve(points.map((point) => point.y))}`);
    yield `${visible(panel.title).padEnd(column)}${curves.join('  ')}\n`;
  }
}

/** The figures of a chart in a table: a row a value of x, a column a line. */
export function pointsTable({ panels, x, y }: Chart): Table {
  const lines = panels.flatMap((panel) => panel.lines);
  const steps = [...new Set(lines.flatMap(({ points }) => points.map((point) => point.x)))].sort((a, b) => a - b);
  const format = y.format ?? String;
  return {
    kind: 'table',
    caption: panels.map(({ title }) => title).join(', '),
    columns: [{ title: x.label }, ...lines.map(({ name, alone }) => ({ title: alone ?? name }))],
    rows: steps.map((step) => [
      (x.format ?? String)(step),
      ...lines.map(({ points }): Inline => {
        const point = points.find((each) => each.x === step);
        if (point === undefined) return '';
        const { low, high } = point;
        if (low === undefined || high === undefined) return format(point.y);
        return { rate: { value: point.y, low, high, n: 1 } };
      }),
    ]),
  };
}

function curve(values: readonly number[]): string {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return values.map((value) => HEIGHTS[1 + Math.round((7 * (value - low)) / Math.max(1e-12, high - low))]).join('');
}

function textPairs({ pairs, some, whole, compact }: BlockOf<'texts'>, screen: Screen): string {
  const first = pairs.slice(0, some);
  return compact && !screen.wide
    ? first.map((pair) => compactPair(pair, whole === true, screen)).join('')
    : first.map((pair) => pairOf(pair, whole === true, screen)).join('\n');
}

/** A line with the source and the finding, then the changes with the context that fits on another line. */
function compactPair(
  { of, found, before, after, note, explanation }: TextPair,
  whole: boolean,
  { width, chalk }: Screen,
): string {
  const whose = of
    .slice(0, 2)
    .map((each) => renderInline(each, chalk))
    .join(', ');
  const text = isShort(before, after, whole)
    ? bothTexts(before, after, chalk)
    : changesWithin(before, after, width - 2, chalk);
  return [
    `${wrapLines(`${whose}: ${renderInline(found, chalk)}`, width, 0, chalk.cyan)}\n${wrapLines(text, width, 2)}\n`,
    ...notesOf(note, explanation).map((line) => `${wrapLines(visible(line), width, 2, chalk.dim)}\n`),
  ].join('');
}

/** The changes with the most context that `room` characters hold; or the shortest if they do not fit. */
export function changesWithin(before: string, after: string, room: number, chalk: ChalkInstance): string {
  let [least, most] = [MIN_CONTEXT, CONTEXT];
  while (most - least > 1) {
    const middle = (least + most) >> 1;
    if (plainLength(changes(before, after, chalk, middle)) <= room) least = middle;
    else most = middle;
  }
  return changes(before, after, chalk, least);
}

/** Whether a pair reads better in full than by its changes. */
const isShort = (before: string, after: string, whole: boolean): boolean =>
  whole && Math.max(before.length, after.length) <= CONTEXT;

const bothTexts = (before: string, after: string, chalk: ChalkInstance): string =>
  `${visible(before)} ${chalk.dim('->')} ${visible(after)}`;

const notesOf = (note = '', explanation?: TextPair['explanation']): string[] =>
  [note, explanation ? heaviestWords(explanation) : ''].filter((line) => line !== '');

function pairOf(
  { of, found, before, after, note, explanation }: TextPair,
  whole: boolean,
  { width, chalk }: Screen,
): string {
  const head = `${of.map((each) => renderInline(each, chalk)).join(', ')}: ${renderInline(found, chalk)}`;
  const text = isShort(before, after, whole) ? bothTexts(before, after, chalk) : changes(before, after, chalk);
  return [
    `${wrapLines(head, width, 0, chalk.cyan)}\n${wrapLines(text, width, 2)}\n`,
    ...notesOf(note, explanation).map((line) => `${wrapLines(visible(line), width, 2, chalk.dim)}\n`),
  ].join('');
}

/** The text before with each change in place. */
const changes = (before: string, after: string, chalk: ChalkInstance, context = CONTEXT): string =>
  excerpt(wordDiff(before, after), context)
    .map((segment) => (segment.changed ? change(segment.from, segment.to, chalk) : visible(segment.text)))
    .join('');

/** `[old -> new]`, which reads the same without colours. */
function change(from: string, to: string, chalk: ChalkInstance): string {
  const alike = lookAlikes(from, to);
  const also = alike.length === 0 ? '' : chalk.dim(` (${alike.slice(0, 3).join(', ')})`);
  // Word by word, so that a line may break between any two.
  const byWord = (text: string, paint: (word: string) => string): string =>
    visible(text).replace(/\S+/g, (word) => paint(word));
  return `[${byWord(from, chalk.red)} -> ${byWord(to, chalk.green)}${also}]`;
}
