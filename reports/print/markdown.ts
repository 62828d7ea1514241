/** @file A document as Markdown. Chunks are whole blocks: what is cut to fit is cut between two. */
import type { Block, Document, Inline, Piece, Table, TextPair } from '../../src/results/report/document.js';
import { interval, percent } from '../figures.js';
import { fenced, markdownTable, plain } from '../markdown-text.js';
import { lookAlikes, visible } from '../visible.js';
import { excerpt, type Segment, wordDiff } from '../word-diff.js';
import { heaviestWords } from '../word-weights.js';
import { pointsTable } from './screen.js';

/** Characters of unchanged text shown on each side of a change. */
const CONTEXT = 200;

export function* asMarkdown(document: Document): Iterable<string> {
  const { title, lead, summary, alarms = [], sections, warnings = [], inconclusive = [] } = document;
  yield `# ${plain(title)}\n\n${renderInline(lead)}\n`;
  if (inconclusive.length > 0) yield `\n**Inconclusive:** ${plain(inconclusive.join('; '))}\n`;
  for (const alarm of alarms) yield `\n> **${plain(alarm)}**\n`;
  if (summary !== undefined) yield `\n${renderInline(summary)}\n`;
  for (const { title: heading, blocks, led } of sections) {
    const chunks = blocks.flatMap((block) => [...renderBlock(block)]);
    if (heading !== undefined && !led && chunks.length > 0) yield `\n## ${plain(heading)}\n`;
    yield* chunks;
  }
  if (warnings.length > 0) yield `\n## Warnings\n\n${warnings.map((each) => `- ${plain(each)}\n`).join('')}`;
}

function* renderBlock(block: Block): Iterable<string> {
  switch (block.kind) {
    case 'prose': {
      const text = renderInline(block.text);
      if (text !== '') yield block.tone === 'alarm' ? `\n**${text}**\n` : `\n${text}\n`;
      return;
    }
    case 'heading':
      yield `\n### ${renderInline(block.text)}\n`;
      return;
    case 'list':
      if (block.items.length > 0) yield `\n${block.items.map((item) => `- ${renderInline(item)}\n`).join('')}`;
      return;
    case 'facts':
      yield `\n${markdownTable(
        block.heads,
        block.facts.map((fact) => fact.map(renderInline)),
      )}`;
      return;
    case 'table':
      yield tableOf(block);
      return;
    case 'chart':
      if (!block.drawnOnly) yield tableOf(pointsTable(block));
      return;
    case 'texts':
      for (const pair of block.pairs) yield pairOf(pair, block.whole === true);
      return;
    case 'command':
      yield `\n${fenced('sh', visible(block.line))}`;
      return;
    case 'weights':
      for (const { model, label, methods, text } of block.explanations) {
        for (const { name, words } of methods) {
          yield `\n**${plain(model.name)}, ${plain(name)}**, for ${plain(label)}: ${plain(text)}\n\n`;
          yield markdownTable(
            ['word', 'weight'],
            words.map(({ word, weight }) => [plain(word), weight.toFixed(3)]),
            (at) => at > 0,
          );
        }
      }
      return;
    case 'fold':
    case 'bars':
    case 'differences':
    case 'attention':
    case 'outcomes':
      return;
  }
}

/** Strings side by side are made harmless as one: together they may be what neither is. */
function renderInline(of: Inline): string {
  if (typeof of === 'string') return plain(of);
  if (typeof of === 'number') return String(of);
  if (!('length' in of)) return piece(of);
  const joined: Inline[] = [];
  for (const each of of.flatMap((one) => flat(one))) {
    const last = joined.at(-1);
    if (typeof each === 'string' && typeof last === 'string') joined[joined.length - 1] = last + each;
    else joined.push(each);
  }
  return joined
    .map((each) => (Array.isArray(each) ? '' : typeof each === 'string' ? plain(each) : piece(each as Piece)))
    .reduce<string[]>((texts, next) => {
      const last = texts.at(-1) ?? '';
      if (isBold(last) && isBold(next)) texts[texts.length - 1] = last.slice(0, -2) + next.slice(2);
      else texts.push(next);
      return texts;
    }, [])
    .join('');
}

/** Bold texts side by side are one: `**a****b**` is not bold. Stars of a text are escaped. */
const isBold = (text: string): boolean => /^\*\*(?:[^*\\]|\\.)*\*\*$/s.test(text);

const flat = (of: Inline): (string | Piece)[] =>
  typeof of === 'string' || typeof of === 'number' ? [String(of)] : 'length' in of ? of.flatMap(flat) : [of];

function piece(of: Piece): string {
  if ('rate' in of) {
    const { rate, style } = of;
    const value = style === 'strong' ? `**${percent(rate.value)}**` : percent(rate.value);
    return rate.value === null || rate.low === null ? value : `${value} (${interval(rate)})`;
  }
  if ('lines' in of) return of.lines.map(renderInline).join('<br>');
  if ('before' in of) return plain(changedText(of.before, of.after));
  const text = renderInline(of.text);
  // A style within a style: the inner one has marked it.
  if (typeof of.text === 'object' && 'style' in of.text && of.text.style !== 'dim' && of.text.style !== 'code')
    return text;
  return text !== '' && of.style !== 'dim' && of.style !== 'code' ? `**${text}**` : text;
}

const changedText = (before: string, after: string): string =>
  excerpt(wordDiff(before, after), CONTEXT)
    .map((segment) => (segment.changed ? `[${segment.from} -> ${segment.to}]` : segment.text))
    .join('');

const tableOf = ({ columns, rows }: Table): string =>
  `\n${markdownTable(
    columns.map(({ title }) => renderInline(title)),
    rows.map((row) => row.map(renderInline)),
    (at) => (columns[at]?.align ?? (at === 0 ? 'left' : 'right')) === 'right',
  )}`;

/** A diff block: hosts highlight it, and inside it nothing is markup. The changes stand once more below, but of a pair that is short. */
function pairOf({ of, found, before, after, note, explanation }: TextPair, whole: boolean): string {
  const segments = excerpt(wordDiff(before, after), CONTEXT);
  const side = (which: 'from' | 'to'): string => visible(segments.map((s) => (s.changed ? s[which] : s.text)).join(''));
  const changes = whole ? [] : segments.flatMap((s) => (s.changed ? [changeOf(s)] : []));
  const diff = fenced(
    'diff',
    `- ${side('from')}\n+ ${side('to')}${changes.length === 0 ? '' : `\n! ${changes.join(', ')}`}`,
  );
  const notes = [note ?? '', explanation ? heaviestWords(explanation) : ''].filter((line) => line !== '');
  const [first = '', ...rest] = of;
  return `\n**${renderInline(first)}**${rest.map((each) => `, ${renderInline(each)}`).join('')}: ${renderInline(found)}\n\n${diff}${notes
    .map((line) => `\n${plain(line)}\n`)
    .join('')}`;
}

function changeOf({ from, to }: Extract<Segment, { changed: true }>): string {
  const alike = lookAlikes(from, to);
  return `${visible(from)} -> ${visible(to)}${alike.length === 0 ? '' : ` (${alike.join(', ')})`}`;
}
