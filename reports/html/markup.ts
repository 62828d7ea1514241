/**
 * @file HTML that is escaped by default. Texts in reports are hostile: a plain string in `html` can be neither markup nor an attribute's
 * end, and its invisible characters are shown by their code points.
 */
import { json } from '../json.js';
import { codePoint, INVISIBLE, visible } from '../visible.js';

/** A piece of HTML that is safe as it stands: made by `html`, or vouched for by `raw`. */
export class Markup {
  constructor(readonly text: string) {}
  toString(): string {
    return this.text;
  }
}

/** Values for `${}`: undefined, null and false show nothing; lists are joined. */
export type HtmlContent = string | number | Markup | undefined | null | false | readonly HtmlContent[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const entities = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] as string);

function render(content: HtmlContent): string {
  if (content instanceof Markup) return content.text;
  if (Array.isArray(content)) return content.map(render).join('');
  if (content === undefined || content === null || content === false) return '';
  return entities(visible(String(content)));
}

/** HTML with its holes escaped, safe for text and for quoted attribute values: html`<a title="${text}">${text}</a>`. */
export function html(strings: TemplateStringsArray, ...holes: readonly HtmlContent[]): Markup {
  return new Markup(strings.map((part, i) => part + render(holes[i])).join(''));
}

/** HTML that is ours, such as a file we ship. Never for anything that came from a model, a data set or a user. */
export const raw = (text: string): Markup => new Markup(text);

/** A hostile text in full, for reading: as in `html`, with each shown code point set apart from the text around it. */
export function visibleHtml(text: string): Markup {
  let at = 0;
  let out = '';
  for (const match of text.matchAll(INVISIBLE)) {
    out += entities(visible(text.slice(at, match.index)));
    out += `<span class="code-point">${codePoint(match[0])}</span>`;
    at = match.index + match[0].length;
  }
  return new Markup(out + entities(visible(text.slice(at))));
}

/** Data for a script of the page, in an element that is never run. No value can end it: `<` and its like are escapes. */
export const dataElement = (id: string, value: unknown): Markup =>
  new Markup(
    `<script type="application/json" id="${entities(id)}">${json(value).replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`)}</script>\n`,
  );
