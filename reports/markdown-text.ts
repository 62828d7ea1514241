/** @file Text and blocks of Markdown that show what they are given, on hosts that make more of it than Markdown does. */
import { visible } from './visible.js';

/** Text as Markdown text: nothing in it is markup, a link, a mention or a table border. */
export const plain = (text: string): string =>
  visible(text)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/[\\`*_[\]|~$]/g, '\\$&')
    // Hosts make links of bare addresses, and blocks of what begins a line.
    .replace(/:(?=\/\/)|(?<=www)\.|^[#+\-=]|(?<=^\d+)[.)](?=\s|$)/gi, '\\$&')
    // Hosts look for people, addresses and issues in what was rendered, where only a letter of no width stops them.
    .replace(/@(?=\w)|#(?=\d)|\bGH-(?=\d)/gi, '$&&#8203;');

/** Text in a block where nothing is markup; the fence is longer than any in it. */
export const fenced = (language: string, text: string): string => {
  const fence = '`'.repeat(Math.max(3, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length + 1)));
  return `${fence}${language}\n${text}\n${fence}\n`;
};

/** Cells are Markdown already; figures stand right. */
export const markdownTable = (
  head: readonly string[],
  body: readonly (readonly string[])[],
  right: (column: number) => boolean = () => false,
): string =>
  [head, head.map((_, column) => (right(column) ? '---:' : '---')), ...body]
    .map((cells) => `| ${cells.join(' | ')} |\n`)
    .join('');
