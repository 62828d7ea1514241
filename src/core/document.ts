/**
 * @file A report as data: what is said, shown and drawn, before one printer makes it lines of a screen, another Markdown, a third a
 * page. Strings are bare text, whoever wrote them: each printer makes them harmless.
 */
import type { Explanation, OutcomeExplanation } from './explanation.js';
import type { Rate } from './rate.js';
import type { Verdict } from './verdict.js';

/** Text with what stands out in it. */
export type Inline = string | number | Piece | readonly Inline[];

export type Style = 'strong' | 'dim' | 'code' | 'good' | 'bad' | 'doubtful';

export type Piece =
  | { readonly style: Style; readonly text: Inline }
  /** `81.5 %` and its 95 % interval. */
  | { readonly rate: Rate; readonly style?: Style }
  /** Under each other, where there is room for it. */
  | { readonly lines: readonly Inline[] }
  /** A text with the words that an edit changed in it marked. */
  | { readonly before: string; readonly after: string };

export interface Column {
  readonly title: Inline;
  /** @default the first column left, the others right */
  readonly align?: 'left' | 'right';
  /** A screen that is too narrow for all columns leaves it out. */
  readonly optional?: true;
}

export interface Table {
  readonly kind: 'table';
  /** What it is, for those who cannot see it. */
  readonly caption: string;
  readonly columns: readonly Column[];
  /** The first cell of a row heads it. */
  readonly rows: readonly (readonly Inline[])[];
  /** On a screen, which is narrow, rows stand side by side: attacks have more figures than there are attacks. */
  readonly across?: true;
  /** Rows that a screen shows. @default all */
  readonly some?: number;
  /** Counts whose cells a page shades: the square of classes turned into others. */
  readonly shaded?: true;
}

/** Lines over a common axis, with bands of uncertainty: a panel an attack, say. Without drawings it is a table, or small bars. */
export interface Chart {
  readonly kind: 'chart';
  readonly panels: readonly { readonly title: string; readonly lines: readonly ChartLine[] }[];
  /** `even` sets the values of x side by side at equal steps, for sizes that grow by factors. */
  readonly x: { readonly label: string; readonly spacing?: 'even'; readonly format?: (value: number) => string };
  /** Bounds of the axis: those of the points if not given. */
  readonly y: {
    readonly label: string;
    readonly min?: number;
    readonly max?: number;
    readonly format?: (value: number) => string;
  };
}

export interface ChartLine {
  readonly name: string;
  /** In a table, where there is no panel around it. @default the name */
  readonly alone?: string;
  /** `hit` is the attack's colour, `hold` the model's, `plain` that of a comparison. */
  readonly tone: 'hit' | 'hold' | 'plain';
  readonly points: readonly Point[];
}

export interface Point {
  readonly x: number;
  readonly y: number;
  /** Bounds of the interval; drawn as a band where every point has them. */
  readonly low?: number;
  readonly high?: number;
}

/** A text before and after, with what is said of it. */
export interface TextPair {
  /** Whose it is: attack, example. */
  readonly of: readonly Inline[];
  /** What came of it. */
  readonly found: Inline;
  readonly before: string;
  readonly after: string;
  readonly note?: string;
  /** The words that counted, before and after. */
  readonly explanation?: OutcomeExplanation;
}

export type Block =
  | { readonly kind: 'prose'; readonly text: Inline; readonly tone?: 'note' | 'warning' | 'alarm' }
  /** A heading below that of the section. */
  | { readonly kind: 'heading'; readonly text: Inline }
  | { readonly kind: 'list'; readonly items: readonly Inline[]; readonly tone?: 'note' }
  /** Names and what they stand for; `heads` names both columns where they stand in a table. */
  | {
      readonly kind: 'facts';
      readonly heads: readonly [string, string];
      readonly facts: readonly (readonly [Inline, Inline])[];
    }
  | Table
  | Chart
  /** `some`: how many of them a screen shows. */
  | { readonly kind: 'texts'; readonly pairs: readonly TextPair[]; readonly some?: number; readonly whole?: true }
  | { readonly kind: 'command'; readonly line: string }
  /** What few ask for: a page folds it; elsewhere it is left out. */
  | { readonly kind: 'fold'; readonly title: string; readonly blocks: readonly Block[] }
  /** Rates drawn as bars; only on a page, for other blocks say the same. */
  | { readonly kind: 'bars'; readonly bars: readonly Bar[] }
  /** What each word of a text weighs, by one model or by several side by side. */
  | { readonly kind: 'weights'; readonly explanations: readonly Explanation[] }
  /** Attention to walk through; only on a page. `id` tells several apart. */
  | { readonly kind: 'attention'; readonly id: string; readonly explanations: readonly Explanation[] }
  /** All outcomes, to be filtered and searched; only on a page, which gathers them itself. */
  | { readonly kind: 'outcomes' };

/** A rate with its name. `hit`: what an attacker gains; `hold`: what the model keeps. */
export interface Bar {
  readonly name: string;
  readonly rate: Rate;
  readonly tone: 'hit' | 'hold';
  /** Place of the attack whose texts it leads to. */
  readonly attack?: number;
  /** Of several attacks together. */
  readonly all?: true;
}

export interface Section {
  /** Where links lead: kebab-case. */
  readonly id: string;
  readonly title?: string;
  readonly blocks: readonly Block[];
  /** What a screen shows in their place, unless its reader wants everything. */
  readonly brief?: readonly Block[];
  /** The line above it says what it is: only a page prints the title. */
  readonly led?: true;
  /** For those with room: a screen leaves it out. */
  readonly full?: true;
}

export interface Document {
  readonly title: string;
  /** What was measured, on what: the first line of a screen. */
  readonly lead: Inline;
  /** The result in one sentence. */
  readonly summary?: Inline;
  /** Why no figure below says anything; before any of them. */
  readonly alarms?: readonly string[];
  /** The rates a model is judged by, large; only on a page, for tables say the same. */
  readonly headline?: readonly Bar[];
  /** A page shows it as a badge. */
  readonly verdict?: Exclude<Verdict, 'none'>;
  /** Why nothing may be concluded from it all. */
  readonly inconclusive?: readonly string[];
  readonly sections: readonly Section[];
  readonly warnings?: readonly string[];
}

export const strong = (text: Inline): Piece => ({ style: 'strong', text });
export const dim = (text: Inline): Piece => ({ style: 'dim', text });

/** As it stands in a file or a command. */
export const code = (text: Inline): Piece => ({ style: 'code', text });

export const prose = (...text: readonly Inline[]): Block => ({ kind: 'prose', text });
/** What a figure means; smaller than the figure. */
export const note = (...text: readonly Inline[]): Block => ({ kind: 'prose', text, tone: 'note' });

/** A table of titles and rows. */
export const table = (
  caption: string,
  titles: readonly Inline[],
  rows: readonly (readonly Inline[])[],
  rest: Pick<Table, 'across' | 'some' | 'shaded'> = {},
): Table => ({ kind: 'table', caption, columns: titles.map((title) => ({ title })), rows, ...rest });
