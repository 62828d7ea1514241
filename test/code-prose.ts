/** Comments and readable strings of source files, for the tests of language. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { packageRoot } from '../src/core/package-root.js';

export interface Passage {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly kind: 'comment' | 'string';
  /** Without comment markers and JSDoc tags; code in backquotes is `Code`. */
  readonly text: string;
}

/** Sources below a folder of the package, such as `src/core/draft.ts`, sorted. */
export const sourceFiles = (folder: string): string[] =>
  readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:[jt]s|mjs)$/.test(file) && !/(?:^|\/)(?:node_modules|fixtures|data)\//.test(file))
    .map((file) => `${folder}/${file}`)
    .sort();

/** All comments of a file, and its strings of three words or more. In a test, only the titles of tests count as strings. */
export function passages(file: string): Passage[] {
  const source = ts.createSourceFile(file, readFileSync(join(packageRoot, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const titlesOnly = file.startsWith('test/');
  const found: Passage[] = [];
  const add = (kind: Passage['kind'], position: number, text: string): void => {
    const line = source.getLineAndCharacterOfPosition(position).line + 1;
    found.push({ file, line, kind, text: prose(text) });
  };
  for (const { pos, text } of comments(source)) add('comment', pos, text);
  const visit = (node: ts.Node): void => {
    if (isText(node) && (!titlesOnly || isTitle(node))) {
      const text = literalText(node);
      if (/\p{L}+[,:;]? \p{L}+[,:;]? \p{L}+/u.test(text)) add('string', node.getStart(source), text);
    } else if (!ts.isImportDeclaration(node)) {
      ts.forEachChild(node, visit);
    }
  };
  visit(source);
  return found.toSorted((a, b) => a.line - b.line);
}

type Text = ts.StringLiteral | ts.NoSubstitutionTemplateLiteral | ts.TemplateExpression;
const isText = (node: ts.Node): node is Text => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
const isTitle = ({ parent }: ts.Node): boolean => ts.isCallExpression(parent) && parent.arguments.length >= 2;

/** Substituted values become `…`. Newlines of a paragraph that a template wraps become spaces. */
function literalText(node: Text): string {
  const text = ts.isTemplateExpression(node)
    ? [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…')
    : node.text;
  return text.replace(/(?<=[^\n]) *\n(?=[^\n\s])/g, ' ');
}

/** Comments in order; successive `//` lines are one comment. */
function comments(source: ts.SourceFile): { pos: number; text: string }[] {
  const ranges = new Map<number, ts.CommentRange>();
  const collect = (node: ts.Node): void => {
    const around = [
      ...(ts.getLeadingCommentRanges(source.text, node.pos) ?? []),
      ...(ts.getTrailingCommentRanges(source.text, node.end) ?? []),
    ];
    if (!ts.isJsxText(node)) for (const range of around) ranges.set(range.pos, range);
    for (const child of node.getChildren(source)) if (!ts.isJSDoc(child)) collect(child);
  };
  collect(source);
  const inOrder = [...ranges.values()].toSorted((a, b) => a.pos - b.pos);
  const joined: { pos: number; end: number; text: string }[] = [];
  for (const { pos, end } of inOrder) {
    const text = source.text.slice(pos, end);
    const previous = joined.at(-1);
    const follows = previous !== undefined && /^\n *$/.test(source.text.slice(previous.end, pos));
    if (follows && text.startsWith('//') && previous.text.startsWith('//')) {
      previous.text += `\n${text}`;
      previous.end = end;
    } else {
      joined.push({ pos, end, text });
    }
  }
  return joined.map(({ pos, text }) => ({ pos, text: unmarked(text) }));
}

const unmarked = (comment: string): string =>
  comment
    .replace(/^\/\*\*?|\*\/$/g, '')
    .replace(/^\s*(?:\*|\/\/\/?) ?/gm, '')
    .replace(/@(?:param|returns?|throws|default|example|file|see)\b(?: [\w.]+ -)?/g, '\n')
    .replace(/^(?:biome-ignore|@ts-|#!|v8 ignore|istanbul).*$/gm, '')
    .trim();

/** A text without code and addresses. */
const prose = (text: string): string =>
  text
    .replace(/^```[\s\S]*?^```/gm, '')
    .replace(/``.+?``|`[^`\n]*`/g, 'Code')
    .replace(/\bhttps?:\/\/\S+/g, 'Code');

/** Sentences of a passage: a blank line, an item of a list or a full stop ends one. */
export const sentencesOf = (text: string): string[] =>
  text
    .split(/\n\s*\n|\n(?=\s*(?:-|\d+\.|·) )/)
    .flatMap((block) => block.replace(/\s+/g, ' ').split(/(?<=[.!?:;]["')]?\*{0,2}) (?=["'([*]*\p{Lu})/u))
    .map((sentence) => sentence.trim().replace(/^(?:-|\d+\.|·) /, ''))
    .filter((sentence) => wordCount(sentence) > 2);

export const wordCount = (sentence: string): number => sentence.match(/[\p{L}\p{N}][^\s]*/gu)?.length ?? 0;
