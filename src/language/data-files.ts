import { getOrCompute } from '../core/get-or-compute.js';
import type { WordList } from '../core/language.js';
import { packaged } from '../core/package-root.js';

/** A value computed on first use. */
export const lazily = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

/** Readers for the files of a data folder, given as a path from the package's root. */
export function dataFolder(folder: string) {
  /** The entries of a list. */
  const wordList = (file: string): string[] =>
    packaged(folder, file)
      .split('\n')
      .filter((line) => line !== '' && !/^#(?: |$)/.test(line));

  /** Rows of a table with tab-separated columns. */
  const table = (file: string): string[][] => wordList(file).map((line) => line.split('\t'));

  const files = new Map<string, ReadonlyMap<string, readonly string[]>>();
  const sectionsOf = (file: string): ReadonlyMap<string, readonly string[]> => {
    const all = new Map<string, string[]>();
    let current: string[] = [];
    for (const line of wordList(file)) {
      const heading = /^\[(.+)\]$/.exec(line)?.[1];
      if (heading === undefined) current.push(...line.split(' | '));
      else {
        current = [];
        all.set(heading, current);
      }
    }
    return all;
  };

  /** One list of a file with several, each below its name in square brackets, entries in lines or set apart by " | "; read on first use. */
  const section = (file: string, name: string): WordList => {
    const words = lazily(() => {
      const found = getOrCompute(files, file, sectionsOf).get(name);
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

/** Data that is independent of the language: look-alike letters, rare words. */
export const { wordList, table } = dataFolder('src/language/data');
