/**
 * Figures that a page states, with the commands that give them:
 *
 *     <!-- stated: sms | robust evaluate -m sms -d sets/sms-test.tsv -n 0 -->
 *     <!-- stated: robust attack -m sms -d sets/sms-test.tsv -n 0 -s typos -->
 *
 * A marker concerns the block behind it: its rows and sentences that contain the text before " | ", or all of them. Several concern the same
 * figures if their texts are the same. `<!-- before: COMMAND -->` makes what the commands of a page read, `before hours` what those of `hours` read.
 * Instead of `stated`:
 *
 * - `timed`: ratios of times, which agree within a quarter;
 * - `hours`: only compared with STATED_HOURS=1, for it takes half an hour or more;
 * - `judged`: readers judged what the command draws; only the record says when.
 */
import { documents, readDocument } from './documents.js';

/** A number as it is written, with its interval. */
export interface Figure {
  readonly written: string;
  readonly value: number;
  readonly decimals: number;
  readonly interval?: { readonly low: number; readonly high: number; readonly decimals: number };
}

export interface Statement {
  readonly kind: 'stated' | 'timed' | 'hours' | 'judged';
  readonly page: string;
  /** What the rows and sentences contain. */
  readonly about: string;
  readonly commands: readonly string[];
  readonly block: string;
  readonly figures: readonly Figure[];
}

const FIGURE =
  /(?<![\w.@=<>/-]|[<>] )([+-]?\d[\d,]*(?:\.\d+)?)(?:(?:\/| of )(\d[\d,]*)(?= \())?( %)?(?: \(([+-]?\d[\d.]*)(?: %)?(?:-| to )([+-]?\d[\d.]*)(?: %)?(?=[);,]))?(?![\w/]|\.\d)/g;

const decimals = (text: string): number => /\.(\d+)/.exec(text)?.[1]?.length ?? 0;
const number = (text: string): number => Number(text.replace(/,/g, ''));

/** Shares, decimals, thousands and whatever has an interval: not the counts and numbers of names. */
export function figuresIn(text: string, all = false): Figure[] {
  const found: Figure[] = [];
  for (const [written, value, of, percent, low, high] of text.replace(/`[^`]*`|\]\([^)]*\)/g, '').matchAll(FIGURE)) {
    if (value === undefined || (!all && !percent && low === undefined && !/[.,]\d/.test(value))) continue;
    const ends = low !== undefined && high !== undefined && { low, high };
    found.push({
      ...{ written, value: number(value), decimals: decimals(value) },
      ...(of !== undefined && ends && { value: number(value) / number(of), decimals: 6 }),
      ...(ends && {
        interval: {
          low: number(ends.low),
          high: number(ends.high),
          decimals: Math.max(decimals(ends.low), decimals(ends.high)),
        },
      }),
    });
  }
  return found;
}

const MARKED = /((?:<!-- (?:stated|timed|hours|judged): .*? -->\n)+)\n((?:.+\n)+)/g;

function statementsOf(page: string): Statement[] {
  return Array.from(readDocument(page).matchAll(MARKED), ([, markers = '', block = '']) => {
    const about = new Map<string, { kind: Statement['kind']; commands: string[] }>();
    for (const [, kind, text = '', command = ''] of markers.matchAll(
      /<!-- (\w+): (?:(.*) \| )?((?:[A-Z]+=\d+ )?(?:robust|npm|python3) .*?) -->/g,
    ))
      about.set(text, { kind: kind as Statement['kind'], commands: [...(about.get(text)?.commands ?? []), command] });
    const parts = block.split(/\n|(?<=[.;]) (?=[A-Z`*\d])/);
    return Array.from(about, ([text, { kind, commands }]) => ({
      ...{ kind, page, about: text, commands, block },
      figures: parts.filter((part) => part.includes(text)).flatMap((part) => figuresIn(part)),
    }));
  }).flat();
}

/** Of the commands that take hours, too, or without those. */
export const beforeOf = (page: string, hours: boolean): string[] =>
  Array.from(readDocument(page).matchAll(/<!-- before( hours)?: (.*?) -->/g), ([, long, command = '']) =>
    long && !hours ? [] : [command],
  ).flat();

export const stated: readonly Statement[] = ['README.md', ...documents].flatMap(statementsOf);

/** What only a measurement can say: intervals, tenths of a percent, and in the notes times and sizes. */
const plain = (written: string): string => written.replace(/ %/g, '').replace('/', ' of ');
const TIMES = /\d[\d.,]* (?:µs|ms|s|seconds|minutes|hours|MB|GB)\b/g;

/** Figures of a page that no statement has, of this page or of another. Blocks of code have tests of their own. */
export function unstated(page: string, known = stated): string[] {
  const text = readDocument(page).replace(/^(?: {4}.*|```[\s\S]*?^```)$|`[^`\n]*`/gm, '');
  const have = new Set(known.flatMap(({ figures }) => figures.map(({ written }) => plain(written))));
  const measured = figuresIn(text).filter(({ written, interval }) => interval || /\.\d+ %/.test(written));
  const here = known.filter(({ page: of }) => of === page).map(({ block }) => block);
  const timed = /^docs\/research\//.test(page) ? (text.match(TIMES) ?? []) : [];
  return [
    ...measured.map(({ written }) => plain(written)).filter((written) => !have.has(written)),
    ...timed.filter((time) => !here.some((block) => block.includes(time))),
    ...(text.match(/\d ± \d[\d.]*/g) ?? []),
  ];
}

/** Numbers and rates in what a command printed, as JSON or as text. */
export interface Printed {
  readonly numbers: readonly number[];
  readonly rates: readonly { readonly value: number | null; readonly low: number; readonly high: number }[];
}

export function readPrinted(output: string): Printed {
  const numbers: number[] = [];
  const rates: { value: number | null; low: number; high: number }[] = [];
  const walk = (value: unknown): void => {
    if (typeof value === 'number') numbers.push(value);
    if (typeof value !== 'object' || value === null) return;
    const rate = value as { value?: number | null; mean?: number; low?: unknown; high?: unknown };
    if (typeof rate.low === 'number' && typeof rate.high === 'number')
      rates.push({ value: rate.value ?? rate.mean ?? null, low: rate.low, high: rate.high });
    for (const each of Object.values(value)) walk(each);
  };
  if (output.startsWith('{')) walk(JSON.parse(output));
  else
    for (const { value, interval } of figuresIn(output, true)) {
      numbers.push(value);
      if (interval) rates.push({ value, low: interval.low, high: interval.high });
    }
  return { numbers, rates };
}

const rounds = (exact: number, written: number, places: number): boolean =>
  [1, 100].some((scale) => Math.abs(scale * exact - written) <= 0.5 * 10 ** -places + 1e-9);

/** Whether a ratio of times, or the time itself, is within a quarter of one that was printed. */
export const near = ({ value }: Figure, { numbers }: Printed): boolean =>
  numbers.some((each) => [1, 100].some((scale) => Math.abs(scale * each - value) <= value / 4));

/** Whether a figure stands in what was printed, rounded as it is written; as a share or in percent. */
export function agrees({ value, decimals: places, interval }: Figure, { numbers, rates }: Printed): boolean {
  if (interval === undefined) return numbers.some((each) => rounds(each, value, places));
  return rates.some(
    (rate) =>
      (rate.value === null || rounds(rate.value, value, places)) &&
      rounds(rate.low, interval.low, interval.decimals) &&
      rounds(rate.high, interval.high, interval.decimals),
  );
}

/** A line of test/slow/stated.tsv: what was stated, and when it last agreed. */
export const recordOf = ({ kind, page, about, commands, figures }: Statement): string =>
  [kind, page, about, commands.join(' && '), figures.map(({ written }) => written).join('; ')].join('\t');
