/** @file Whether a document is still what its format says, and shows texts as no more than texts. Each answers what is wrong, if anything. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse as parseCsv } from 'csv-parse/sync';
import { type DefaultTreeAdapterTypes, parse as parseHtml } from 'parse5';
import { parse as parseYaml } from 'yaml';
import { packageRoot } from '../../../src/core/package-root.js';
import { harmIn } from '../../reports/harmless.js';
import { type Element, parseXml } from '../../reports/xml.js';

/** The fault of a document, if any. `same`: the same document with harmless texts; `told`: its input. */
export type Grammar = (document: string, same: string, told: unknown) => string | undefined;

const read = (file: string) => JSON.parse(readFileSync(join(packageRoot, file), 'utf8'));

/** Control and invisible characters in a format whose lines end in line feeds. */
const active = (document: string): string | undefined => {
  const found = /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF](?<!\r?\n|\r(?=\n))/u.exec(
    document,
  );
  return found === null
    ? undefined
    : `U+${found[0].charCodeAt(0).toString(16)}: ${document.slice(found.index - 40, found.index + 40)}`;
};

const first = (...faults: readonly (() => string | undefined)[]): string | undefined => {
  for (const fault of faults) {
    const found = fault();
    if (found !== undefined) return found;
  }
  return undefined;
};

/** The first part in `found` that the harmless document does not have. */
const beyond = (found: ReadonlySet<string>, known: ReadonlySet<string>, what: string): string | undefined => {
  const more = [...found].find((each) => !known.has(each));
  return more === undefined ? undefined : `${what} that harmless texts do not make: ${more.slice(0, 200)}`;
};

// ---- HTML -----------------------------------------------------------------------------------------------------------

/** Attributes that say a text to a reader; all others are ours, whatever the texts. */
const FREE = new Set(['title', 'aria-label', 'aria-valuetext', 'alt', 'value', 'placeholder']);
/** Attributes of charts, which are numbers. */
const FIGURE = /^[-+.\d\s%a-zA-Z,()]*$/;

/** Every element, its attributes with their values, and the contents of scripts and styles. */
function inventory(document: string): { things: Set<string>; faults: string[]; data: string[] } {
  const faults: string[] = [];
  const data: string[] = [];
  const things = new Set<string>();
  const visit = (node: DefaultTreeAdapterTypes.Node): void => {
    if (node.nodeName === '#comment') faults.push('a comment');
    if ('tagName' in node) {
      things.add(`<${node.tagName}>`);
      for (const { name, value } of node.attrs) {
        things.add(`<${node.tagName} ${name}>`);
        const free = FREE.has(name) || (node.tagName === 'meta' && name === 'content');
        if (!free && !FIGURE.test(value)) things.add(`<${node.tagName} ${name}="${value}">`);
        if (/^(href|src|action|formaction|xlink:href|data|srcdoc|http-equiv|style)$/.test(name))
          things.add(`${name}=${name === 'style' ? value.replace(/[\d.]+/g, '0') : value}`);
      }
      const kind = node.attrs.find(({ name }) => name === 'type')?.value;
      if (node.tagName === 'script' || node.tagName === 'style') {
        const text = node.childNodes.map((child) => ('value' in child ? child.value : '')).join('');
        if (kind === 'application/json') data.push(text);
        else things.add(`<${node.tagName}>${text}`);
      }
    }
    if ('content' in node) visit(node.content);
    if ('childNodes' in node) for (const child of node.childNodes) visit(child);
  };
  visit(parseHtml(document, { onParseError: ({ code, startLine }) => faults.push(`${code} in line ${startLine}`) }));
  return { things, faults, data };
}

/** The last harmless document and what is in it: it is the same for many. */
let harmless: { readonly of: string; readonly things: ReadonlySet<string> } | undefined;

const html: Grammar = (document, same) => {
  if (harmless?.of !== same) harmless = { of: same, things: inventory(same).things };
  const { things, faults, data } = inventory(document);
  const known = harmless.things;
  return first(
    () => faults[0],
    () => beyond(things, known, 'something'),
    () => {
      for (const each of data) JSON.parse(each);
      return undefined;
    },
    () => active(document),
  );
};

// ---- Markdown -------------------------------------------------------------------------------------------------------

/** The kind of a Markdown line: a heading with its first word, a row with its cells, a fence, text. */
function outline(document: string): { lines: Set<string>; fault?: string } {
  const lines = new Set<string>();
  let fence: string | undefined;
  let columns = 0;
  for (const line of document.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    if (fence === undefined && mark !== null) {
      fence = mark[1] as string;
      lines.add(`fence ${mark[2]}`);
      continue;
    }
    if (fence !== undefined) {
      if (mark !== null && (mark[1] as string).startsWith(fence) && (mark[2] as string).trim() === '')
        fence = undefined;
      continue;
    }
    const bare = line.replace(/\\[!-/:-@[-`{-~]/g, '·');
    const cells = bare.startsWith('|') ? bare.split('|').length : 0;
    if (columns > 0 && cells > 0 && cells !== columns) return { lines, fault: `a row of other cells: ${line}` };
    columns = cells;
    lines.add(`begins ${/^(#+|>|[-+*]|\d+[.)]|\||={2,}|-{2,}|\s{4}|<!-- robust-gate -->|)/.exec(bare)?.[0]}`);
    const markup =
      /<(?!br>|!-- robust-gate -->)|&(?!(?:amp|lt|gt|#8203);)|\]\(|!\[|\]:|`|~~|\$|:\/\/|www\.|@\w|(?<!&)#\d|\bGH-\d/.exec(
        bare,
      );
    if (markup !== null) return { lines, fault: `${JSON.stringify(markup[0])} in ${line}` };
  }
  return fence === undefined ? { lines } : { lines, fault: 'a fence is open' };
}

const markdown: Grammar = (document, same) => {
  const { lines, fault } = outline(document);
  return first(
    () => fault,
    () => beyond(lines, outline(same).lines, 'a line'),
    () => active(document),
  );
};

// ---- data -----------------------------------------------------------------------------------------------------------

const validJson = new Ajv2020({ strict: false, allErrors: false }).compile(read('schemas/report.schema.json'));
const { $schema: _, id: __, ...sarifSchema } = read('test/reports/sarif.schema.json');
const sarifAjv = new Ajv({ strict: false, unicodeRegExp: false });
addFormats.default(sarifAjv);
const validSarif = sarifAjv.compile(sarifSchema);

/** A document of ours that says what came in, whatever it is. */
const json: Grammar = (document, _, told) =>
  first(
    () => (isDeepStrictEqual(JSON.parse(document), plainly(told)) ? undefined : 'it does not say what came in'),
    () => active(document),
    () => harmIn(document),
  );

const plainly = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const reportJson: Grammar = (document, same, told) =>
  first(
    () => json(document, same, told),
    () => (validJson(JSON.parse(document)) ? undefined : `not by the schema: ${JSON.stringify(validJson.errors)}`),
  );

const sarif: Grammar = (document) => {
  const log = JSON.parse(document);
  const messages: string[] = [];
  JSON.stringify(log, (key, value) => {
    if (key === 'text' && typeof value === 'string') messages.push(value);
    return value;
  });
  const linked = messages.find(
    (text) => /(?<!\\)(\\\\)*[[\]]/.test(text) || /[{}]/.test(text.replaceAll('{{', '').replaceAll('}}', '')),
  );
  return first(
    () => (validSarif(log) ? undefined : `not by the schema: ${JSON.stringify(validSarif.errors)}`),
    () => (linked === undefined ? undefined : `a link or a placeholder: ${linked}`),
    () => active(document),
    () => harmIn(document),
  );
};

const shape = (element: Element): string[] => [
  `<${element.name}>`,
  ...Object.keys(element.attributes).map((name) => `<${element.name} ${name}>`),
  ...element.children.flatMap((child) => shape(child).map((each) => `${element.name} ${each}`)),
];

const xml: Grammar = (document, same) =>
  first(
    () => beyond(new Set(shape(parseXml(document))), new Set(shape(parseXml(same))), 'an element'),
    () => active(document),
  );

const FORMULA = /^\s*([=@＝＠]|[+\-＋－][\s\w(])/u;

const csv: Grammar = (document, same) => {
  const rows: string[][] = parseCsv(document);
  const known: string[][] = parseCsv(same);
  // Where the comma is the decimal sign a semicolon ends a cell.
  const split = document.split(/\r\n|;/).map((cell) => cell.replace(/^"/, ''));
  const formula = [...rows.flat(), ...split].find((cell) => FORMULA.test(cell));
  return first(
    () => (rows.length === known.length ? undefined : `${rows.length} rows instead of ${known.length}`),
    () => (formula === undefined ? undefined : `a formula: ${formula}`),
    () => active(document),
  );
};

/** Paths of an object; those under `options` are others' own. */
const paths = (value: unknown, path = ''): string[] =>
  typeof value !== 'object' || value === null
    ? [`${path}: ${typeof value}`]
    : Object.entries(value).flatMap(([key, each]) =>
        key === 'options' ? [`${path}.options`] : paths(each, `${path}.${Array.isArray(value) ? '' : key}`),
      );

const yaml: Grammar = (document, same) =>
  first(
    () => (/^(---|\.\.\.)/m.test(document) ? 'it ends the block of a model card' : undefined),
    () => beyond(new Set(paths(parseYaml(document))), new Set(paths(parseYaml(same))), 'a key'),
    () => active(document),
  );

const LABEL = String.raw`[a-z_0-9]+="(?:[^"\\\n]|\\["\\n])*"`;
const SAMPLE = new RegExp(String.raw`^robust_[a-z_]+\{${LABEL}(?:,${LABEL})*\} [-+.\de]+$`, 'u');

const openmetrics: Grammar = (document, same) => {
  const lines = document.split('\n');
  const wrong = lines
    .slice(0, -2)
    .find((line) => !(line.startsWith('# ') ? /^# (TYPE|UNIT|HELP) robust_/ : SAMPLE).test(line));
  return first(
    () => (wrong === undefined ? undefined : `no sample: ${wrong}`),
    () => (isDeepStrictEqual(lines.slice(-2), ['# EOF', '']) ? undefined : 'it does not end'),
    () => (lines.length === same.split('\n').length ? undefined : 'other lines'),
    () => active(document),
  );
};

// ---- people and runners ---------------------------------------------------------------------------------------------

const COLOURS = /\p{Cc}\[(?:0|1|2|4|22|24|3[0-7]|39|49|9[0-7]|4[0-7]|10[0-7]|[34]8;[25](?:;\d{1,3}){1,3})m/gu;

/** Text for a screen, with our colours or without. */
const screen: Grammar = (document) => active(document.replace(COLOURS, ''));

/** Annotations: a line each, all of them ours. */
const annotations: Grammar = (document) =>
  document
    .split('\n')
    .slice(0, -1)
    .map((line) =>
      /^::(error|warning) title=Robustness gate (passed|failed|inconclusive)::[^\n]*$/.test(line)
        ? active(line)
        : `no annotation of ours: ${line}`,
    )
    .find((fault) => fault !== undefined);

/** Outputs of a step, read as the runner does. */
const outputs: Grammar = (document, _, told) => {
  const values: Record<string, string> = {};
  let rest = document;
  while (rest !== '') {
    const found = /^(\w+)<<(\S+)\n([\s\S]*?)\n\2\n/.exec(rest);
    if (found === null) return `no output: ${rest.slice(0, 100)}`;
    values[found[1] as string] = found[3] as string;
    rest = rest.slice(found[0].length);
  }
  return isDeepStrictEqual(values, told) ? undefined : 'other outputs';
};

export const grammars = {
  html,
  markdown,
  json,
  reportJson,
  sarif,
  junit: xml,
  csv,
  'model-card': yaml,
  openmetrics,
  screen,
  annotations,
  outputs,
} as const;
/** Output that a program may print for any document. */
export const printed = (shown: string): string | undefined => harmIn(shown.replace(COLOURS, ''));
