/**
 * @file The shell every HTML document of ours stands in: one file, nothing loaded from elsewhere, our own styles and
 * scripts allowed by their hashes and no others (Content Security Policy Level 3, section 2.3.1).
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/plugin.js';
import { type HtmlContent, html, type Markup, raw } from './markup.js';

export interface Page {
  /** Plain text: the tab's title and the heading. */
  readonly title: string;
  /** Under the heading: what was tested, on what. */
  readonly lead?: HtmlContent;
  /** The sections, each made by `section`. Chunks, so that a long document need not be one string. */
  readonly body: Iterable<HtmlContent>;
  /** Files in `assets/` that the page runs after it is read, besides the switch of the theme. */
  readonly scripts?: readonly string[];
  /** Style sheets in `assets/` after the one of all pages. */
  readonly styles?: readonly string[];
  /** Of a page that a server of ours made: links to its other pages. It may then ask that server, and no other. */
  readonly navigation?: Markup;
}

const ASSETS = join(packageRoot, 'reports', 'html', 'assets');
const asset = (name: string): string => readFileSync(join(ASSETS, name), 'utf8').trim();

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;

/** What any page of ours may run, for the header Content-Security-Policy of a server of pages. */
export const scriptSources = (): string =>
  `script-src ${readdirSync(ASSETS)
    .filter((name) => name.endsWith('.js'))
    .map((name) => hashOf(asset(name)))
    .join(' ')}`;

/** The document in chunks. */
export function* page({ title, lead, body, scripts = [], styles = [], navigation }: Page): Iterable<string> {
  const style = ['page.css', ...styles].map(asset).join('\n');
  const run = ['theme.js', ...(scripts.length > 0 ? ['dom.js'] : []), ...scripts].map(asset);
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
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
${html`<title>${title}</title>`}
<style>${style}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${html`<header class="masthead">
<div class="topline"><span class="wordmark">robust</span>${navigation}<button type="button" id="theme" hidden>Theme: system</button></div>
<h1>${title}</h1>
${lead === undefined ? '' : html`<p class="lead">${lead}</p>`}
</header>`}
<main id="main">
`;
  for (const part of body) yield html`${part}`.text;
  yield `</main>\n${run.map((script) => `<script>${script}</script>\n`).join('')}</body>\n</html>\n`;
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
  readonly align?: 'left' | 'right';
}

/**
 * Rows of cells under titles; the first cell of a row heads it. On a narrow screen the table scrolls by itself (by keyboard
 * too) and the page does not.
 */
export const table = (
  caption: string,
  columns: readonly HtmlColumn[],
  rows: readonly (readonly HtmlContent[])[],
): Markup => html`<div class="scroll" role="group" aria-label="${caption}, table" tabindex="0">
<table>
<caption class="unseen">${caption}</caption>
<thead><tr>${columns.map(({ title, align }) => (title === '' ? html`<td></td>` : html`<th scope="col"${side(align)}>${title}</th>`))}</tr></thead>
<tbody>
${rows.map(
  ([first, ...cells]) =>
    html`<tr><th scope="row"${side(columns[0]?.align)}>${first}</th>${cells.map((cell, i) => html`<td${side(columns[i + 1]?.align ?? 'right')}>${cell}</td>`)}</tr>\n`,
)}</tbody>
</table>
</div>
`;

const side = (align: HtmlColumn['align']): Markup => raw(align === 'right' ? ' class="figure"' : '');
