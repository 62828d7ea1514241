/**
 * @file The shell of all HTML documents: one file that loads nothing from elsewhere. Only our own styles and scripts are allowed, by their
 * hashes (Content Security Policy Level 3, section 2.3.1).
 */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { packaged, packageRoot } from '../../src/core/package-root.js';
import { type HtmlContent, html, type Markup, raw } from './markup.js';

export interface Page {
  /** Plain text: the tab's title and the heading. */
  readonly title: string;
  /** The result in one sentence, beside the title of the tab. */
  readonly about?: string | undefined;
  /** Under the heading: what was tested, on what. */
  readonly lead?: HtmlContent;
  /** The sections, each made by `section`. Chunks, so that a long document need not be one string. */
  readonly body: Iterable<HtmlContent>;
  /** Files in `assets/` that the page runs after it is read, besides the switch of the theme. */
  readonly scripts?: readonly string[];
  /** Style sheets in `assets/` after the one of all pages. */
  readonly styles?: readonly string[];
  /** Contents and next steps, at the side of the sections if there is room, else before them. */
  readonly aside?: HtmlContent;
  /** Links to the other pages of the server that made this one. The page may then query that server, and no other. */
  readonly navigation?: Markup | undefined;
}

const HERE = ['reports', 'html', 'assets'];
const ASSETS = join(packageRoot, ...HERE);
const asset = (name: string): string => packaged(...HERE, name).trim();

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;

/** The scripts that pages may run, for the header Content-Security-Policy of a server of pages. */
export const scriptSources = (): string =>
  `script-src ${readdirSync(ASSETS)
    .filter((name) => name.endsWith('.js'))
    .map((name) => hashOf(asset(name)))
    .join(' ')}`;

/** WCAG 2.2, 2.1.4: single keys can be turned off. */
const KEYS = `<dialog id="keys" aria-labelledby="keys-heading">
<h2 id="keys-heading">Keys</h2>
<dl class="facts"><div><dt><kbd>/</kbd></dt><dd>search</dd></div><div><dt><kbd>j</kbd> <kbd>k</kbd></dt><dd>next, previous text or row</dd></div><div><dt><kbd>?</kbd></dt><dd>this list</dd></div></dl>
<label class="check"><input type="checkbox" id="keys-on" checked> These keys are on</label>
<button type="button" id="hide-keys">Close</button>
</dialog>
`;

/** The document in chunks. */
export function* page({
  title,
  about,
  lead,
  body,
  scripts = [],
  styles = [],
  aside,
  navigation,
}: Page): Iterable<string> {
  const style = ['page.css', ...styles].map(asset).join('\n');
  const run = ['page.js', ...(scripts.length > 0 ? ['dom.js'] : []), ...scripts].map(asset);
  const policy = [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    `script-src ${run.map(hashOf).join(' ')}`,
    'img-src data:',
    "base-uri 'none'",
    ...(navigation ? ["form-action 'self'", "connect-src 'self'"] : ["form-action 'none'"]),
  ].join('; ');
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="${navigation ? 'same-origin' : 'no-referrer'}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
${html`<title>${title}${about && `: ${about}`}</title>
<meta name="description" content="${about ?? title}. Made with robust, which tests text classifiers against adversarial attacks.">`}
<style>${style}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${html`<header class="masthead">
<div class="topline"><span class="wordmark">robust</span>${navigation}<button type="button" id="show-keys" hidden>Keys</button><button type="button" id="theme" hidden>Theme: system</button></div>
<h1>${title}</h1>
${lead === undefined ? '' : html`<p class="lead">${lead}</p>`}
</header>`}
${html`${aside ? html`<div class="columns">\n${aside}` : ''}`}<main id="main">
`;
  for (const part of body) yield html`${part}`.text;
  yield `</main>\n${aside ? '</div>\n' : ''}${KEYS}${run.map((script) => `<script>${script}</script>\n`).join('')}</body>\n</html>\n`;
}

/** A part of the page with its heading; `id` is also where links lead. */
export const section = (id: string, heading: string, ...content: readonly HtmlContent[]): Markup =>
  html`<section id="${id}" aria-labelledby="${id}-heading">
<h2 id="${id}-heading">${heading}</h2>
${content}
</section>
`;

/** A column of a table: figures stand right, words left. */
export interface HtmlColumn {
  readonly title: HtmlContent;
  readonly align?: 'left' | 'right' | undefined;
  /** Hidden until the reader asks for all columns, everywhere or on narrow screens. */
  readonly detail?: boolean | 'narrow' | undefined;
}

/**
 * Rows of cells under titles; the first cell of a row heads it. `sortable`: the script sort.js makes buttons of the titles. A table that is too wide scrolls by itself (by keyboard too),
 * so that the page does not.
 */
export function table(
  caption: string,
  columns: readonly HtmlColumn[],
  rows: readonly (readonly HtmlContent[])[],
  sortable = false,
): Markup {
  const some = columns.some(({ detail }) => detail);
  const kind = (at: number): Markup => {
    const { align, detail } = columns[at] ?? {};
    const classes = [
      (align ?? (at === 0 ? 'left' : 'right')) === 'right' && 'figure',
      detail && (detail === 'narrow' ? 'detail-if-narrow' : 'detail'),
    ].filter(Boolean);
    return raw(classes.length === 0 ? '' : ` class="${classes.join(' ')}"`);
  };
  return html`${some && html`<label class="all-columns"><input type="checkbox" autocomplete="off"> All columns</label>\n`}<div class="scroll" role="group" aria-label="${caption}, table" tabindex="0">
<table${sortable && raw(' data-sortable')}>
<caption class="unseen">${caption}</caption>
<thead><tr>${columns.map(({ title }, at) => (title === '' ? html`<td></td>` : html`<th scope="col"${kind(at)}>${title}</th>`))}</tr></thead>
<tbody>
${rows.map(
  ([first, ...cells]) =>
    html`<tr><th scope="row"${kind(0)}>${first}</th>${cells.map((cell, i) => html`<td${kind(i + 1)}>${cell}</td>`)}</tr>\n`,
)}</tbody>
</table>
</div>
`;
}
