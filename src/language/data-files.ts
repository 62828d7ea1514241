/** @file Reads word lists and tables: one entry a line; lines that begin with "# " state what it is, its source and its licence. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WordList } from '../core/language.js';
import { packageRoot } from '../core/package-root.js';

/** A value made when first asked for. */
export const lazily = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

/** What reads the files of a data folder, given as a path from the package's root. */
export function dataFolder(folder: string) {
  /** The entries of a list. */
  const wordList = (file: string): string[] =>
    readFileSync(join(packageRoot, folder, file), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !/^#(?: |$)/.test(line));

  /** The rows of a table whose columns are separated by tabs. */
  const table = (file: string): string[][] => wordList(file).map((line) => line.split('\t'));

  const files = new Map<string, ReadonlyMap<string, readonly string[]>>();
  const sections = (file: string): ReadonlyMap<string, readonly string[]> => {
    let made = files.get(file);
    if (made === undefined) {
      const all = new Map<string, string[]>();
      let current: string[] = [];
      for (const line of wordList(file)) {
        const heading = /^\[(.+)\]$/.exec(line)?.[1];
        if (heading === undefined) current.push(line);
        else {
          current = [];
          all.set(heading, current);
        }
      }
      made = all;
      files.set(file, made);
    }
    return made;
  };

  /** One of the lists of a file that holds several, each below its name in square brackets; read when first asked. */
  const section = (file: string, name: string): WordList => {
    const words = lazily(() => {
      const found = sections(file).get(name);
      if (found === undefined) throw new RangeError(`expected a section [${name}] in ${folder}/${file}`);
      return found;
    });
    const set = lazily(() => new Set(words()));
    return {
      get words() {
        return words();
      },
      has: (word) => set().has(word),
    };
  };

  return { wordList, table, section };
}

/** Data of no one language: letters that look alike, words that are rare in any. */
export const { wordList, table } = dataFolder('src/language/data');
