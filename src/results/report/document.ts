/**
 * @file A report as data. Printers render it to a screen, to Markdown or to a page. Strings are untrusted plain text: each printer escapes
 * them.
 */
import type { Rate } from '../../core/statistics/rate.js';
import type { Explanation, OutcomeExplanation } from './explanation.js';
import type { Verdict } from './verdict.js';

/** Text with highlighted parts. */
export type Inline = string | number | Piece | readonly Inline[];

export type Style = 'strong' | 'dim' | 'code' | 'good' | 'bad' | 'doubtful';

export type Piece =
  | { readonly style: Style; readonly text: Inline }
  /** `81.5 %` and its 95 % interval. */
  | { readonly rate: Rate; readonly style?: Style }
  /** Stacked if there is room. */
  | { readonly lines: readonly Inline[] }
  /** A text whose edited words are marked. */
  | { readonly before: string; readonly after: string };

export interface Column {
  readonly title: Inline;
  /** @default the first column left, the others right */
  readonly align?: 'left' | 'right';
  /** Left out on a screen that is too narrow for all columns. */
  readonly optional?: true;
  /** A page hides it until its reader asks for all columns. */
  readonly detail?: boolean | 'narrow';
}

export interface Table {
  readonly kind: 'table';
  /** Accessible description. */
  readonly caption: string;
  readonly columns: readonly Column[];
  /** The first cell of a row is its heading. */
  readonly rows: readonly (readonly Inline[])[];
  /** On a narrow screen, rows become columns, because attacks have more figures than there are attacks. */
  readonly across?: true;
  /** On a page its reader can sort it by any column. */
  readonly sortable?: true;
  /** Counts whose cells a page shades, such as a confusion matrix. */
  readonly shaded?: true;
}

/**
 * Lines over a common axis, with uncertainty bands: one panel per attack, for example. Where charts are not possible, it becomes a table or
 * small bars.
 */
export interface Chart {
  readonly kind: 'chart';
  /** Only on a page, because a table has the main figures. */
  readonly drawnOnly?: true;
  readonly panels: readonly { readonly title: string; readonly lines: readonly ChartLine[] }[];
  /** `even` places the values of x at equal steps, for sizes that grow by factors. */
  readonly x: { readonly label: string; readonly spacing?: 'even'; readonly format?: (value: number) => string };
  /** Bounds of the axis. @default those of the points */
  readonly y: {
    readonly label: string;
    readonly min?: number;
    readonly max?: number;
    readonly format?: (value: number) => string;
  };
}

export interface ChartLine {
  readonly name: string;
  /** Name in a table, where there is no surrounding panel. @default the name */
  readonly alone?: string | undefined;
  /** Colour: `hit` for the attack, `hold` for the model, `plain` for a comparison. */
  readonly tone: 'hit' | 'hold' | 'plain';
  readonly points: readonly Point[];
}

export interface Point {
  readonly x: number;
  readonly y: number;
  /** Bounds of the interval; drawn as a band if every point has them. */
  readonly low?: number;
  readonly high?: number;
}

/** Pieces of a text, some marked as a class of the page's style, with a label behind them. */
export type Marked = readonly { readonly text: string; readonly mark?: string; readonly label?: string }[];

/** A text before and after an edit, with a comment. */
export interface TextPair {
  /** Attack and example. */
  readonly of: readonly Inline[];
  /** Result. */
  readonly found: Inline;
  readonly before: string;
  readonly after: string;
  readonly note?: string;
  /** For a model that tags: both texts with their entities, where a page shows them. */
  readonly marked?: { readonly before: Marked; readonly after: Marked };
  /** Words that mattered, before and after. */
  readonly explanation?: OutcomeExplanation;
}

export type Block =
  | { readonly kind: 'prose'; readonly text: Inline; readonly tone?: 'note' | 'legend' | 'warning' | 'alarm' }
  /** A heading one level below that of the section. */
  | { readonly kind: 'heading'; readonly text: Inline }
  /** `fold`: title under which a page folds the list. */
  | { readonly kind: 'list'; readonly items: readonly Inline[]; readonly tone?: 'note'; readonly fold?: string }
  /** Names and their meanings; `heads` are the column titles if they are printed as a table. */
  | {
      readonly kind: 'facts';
      readonly heads: readonly [string, string];
      readonly facts: readonly (readonly [Inline, Inline])[];
    }
  | Table
  | Chart
  /** `some`: how many of them a screen shows. `compact`: a screen shows a line of each text, unless its reader wants everything. */
  | {
      readonly kind: 'texts';
      readonly pairs: readonly TextPair[];
      readonly some?: number;
      readonly whole?: true;
      readonly compact?: true;
    }
  | { readonly kind: 'command'; readonly line: string }
  /** Details for few readers: a page folds them; other printers omit them. */
  | { readonly kind: 'fold'; readonly title: string; readonly blocks: readonly Block[] }
  /** Rates as bars; only on a page, because other blocks contain the same figures. */
  | { readonly kind: 'bars'; readonly bars: readonly Bar[] }
  /** Differences between two models as bars around zero; only on a page. */
  | { readonly kind: 'differences'; readonly title: string; readonly bars: readonly DifferenceBar[] }
  /** Weight of each word of a text, by one model or by several side by side. */
  | { readonly kind: 'weights'; readonly explanations: readonly Explanation[] }
  /** Interactive attention view; only on a page. `id` distinguishes several. */
  | { readonly kind: 'attention'; readonly id: string; readonly explanations: readonly Explanation[] }
  /** All outcomes, with filter and search; only on a page, which collects them itself. */
  | { readonly kind: 'outcomes' };

/** A named rate. `hit`: the attacker's gain; `hold`: what the model keeps. */
export interface Bar {
  readonly name: string;
  readonly rate: Rate;
  readonly tone: 'hit' | 'hold';
  /** Index of the attack whose texts it links to. */
  readonly attack?: number;
  /** True if it covers several attacks together. */
  readonly all?: true;
}

/** A difference with its interval, as fractions of 1. `hit`: a regression; `hold`: an improvement; `plain`: not significant. */
export interface DifferenceBar {
  readonly name: string;
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly tone: 'hit' | 'hold' | 'plain';
  /** `+6.0`, and its bounds. */
  readonly text: readonly [value: string, bounds: string];
}

/** A command that the user may want to run next, and what for. */
export interface SuggestedCommand {
  readonly purpose: string;
  readonly command: string;
}

export interface Section {
  /** Target of links: kebab-case. */
  readonly id: string;
  readonly title?: string;
  readonly blocks: readonly Block[];
  /** Shorter blocks for a screen, unless the reader wants everything; an empty list omits the section. */
  readonly brief?: readonly Block[];
  /** The preceding line introduces it, so only a page prints the title. */
  readonly led?: true;
  /** Omitted on a screen. */
  readonly full?: true;
}

export interface Document {
  readonly title: string;
  /** Subject and data of the measurement. */
  readonly lead: Inline;
  /** The result in one sentence: the first line of a screen, above the lead. */
  readonly summary?: Inline;
  /** The same as plain text, for a tab's title. */
  readonly about?: string;
  /** Why no figure below is meaningful; printed first. */
  readonly alarms?: readonly string[];
  /** The main rates, in large type; only on a page, because tables contain the same figures. */
  readonly headline?: readonly Bar[];
  /** A page shows it as a badge. */
  readonly verdict?: Exclude<Verdict, 'none'>;
  /** Why no conclusion is possible. */
  readonly inconclusive?: readonly string[];
  /** Suggested next steps; only on a page. */
  readonly next?: readonly SuggestedCommand[] | undefined;
  readonly sections: readonly Section[];
  readonly warnings?: readonly string[];
}

export const strong = (text: Inline): Piece => ({ style: 'strong', text });
export const dim = (text: Inline): Piece => ({ style: 'dim', text });

/** Literal text of a file or a command. */
export const code = (text: Inline): Piece => ({ style: 'code', text });

export const prose = (...text: readonly Inline[]): Block => ({ kind: 'prose', text });
/** Small print: conditions of the figures above. */
export const note = (...text: readonly Inline[]): Block => ({ kind: 'prose', text, tone: 'note' });

/** Explains the figures above it; a screen prints it with --verbose. */
export const legend = (text: string): Block => ({ kind: 'prose', text, tone: 'legend' });

/** A table of titles and rows. */
export const table = (
  caption: string,
  titles: readonly Inline[],
  rows: readonly (readonly Inline[])[],
  rest: Pick<Table, 'across' | 'shaded'> = {},
): Table => ({ kind: 'table', caption, columns: titles.map((title) => ({ title })), rows, ...rest });
