/** @file The `robust ...` commands of a document, in its indented blocks and in backquotes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/core/package-root.js';

export interface Documented {
  readonly where: string;
  readonly words: readonly string[];
  /** In an indented block, not in a sentence. */
  readonly inBlock: boolean;
}

/** The words of the first command of a line of a shell, without what follows it; [] for a line that the documents only sketch. */
function words(line: string): string[] {
  const found: string[] = [];
  let word: string | undefined;
  for (const [token] of line.matchAll(/'[^']*'|"(?:\\.|[^"\\])*"|\s+|&&|[|;>&#]|\\.|[^\s'"|;>&#\\]+/g)) {
    if (/^\s/.test(token) || /^[|;>&]/.test(token) || (token === '#' && word === undefined)) {
      if (word !== undefined) found.push(word);
      word = undefined;
      if (!/^\s/.test(token)) break;
    } else word = (word ?? '') + (/^['"]/.test(token) ? token.slice(1, -1) : token);
  }
  return word === undefined ? found : [...found, word];
}

export function commandsOf(file: string): Documented[] {
  const found: Documented[] = [];
  const text = readFileSync(join(packageRoot, file), 'utf8').replace(/ \\\n\s*/g, ' ');
  for (const [at, line] of text.split('\n').entries()) {
    const inBlock = /^(?: {4}|.*\bsh ').*\brobust(?:-text)? [a-z]/.test(line) && !/`/.test(line);
    const parts = inBlock
      ? line.split(/&&/)
      : Array.from(line.matchAll(/`((?:npx --no )?robust(?:-text)? [a-z][^`]*)`/g), ([, code]) => code as string);
    for (const part of parts) {
      const [, command] = /(?:^|\s|')(?:npx --no )?robust(?:-text)? ([a-z].*?)(?:'\)?$|$)/.exec(part) ?? [];
      // Brackets hold what may be left out: it has to be right all the same.
      if (command !== undefined)
        found.push({
          where: `${file}:${at + 1}`,
          inBlock,
          words: words(command.replace(/\[(?=-)|(?<=\S)\](?=\s|$)/g, '')),
        });
    }
  }
  return found;
}
