/**
 * @file What a text in settings may make a command open besides data and what comes with robust. The parsers that open names decide; options,
 * lists or JSON may be around a name, so each part of a text that one of them could be given counts.
 */
import { leadOf } from '../../model/load.js';
import { isCode, isPackageName } from '../../modules/own-module.js';

/** A longer text names anything. */
const MOST = 10_000;

/** Where a name may begin or end: no prefix, package or ending of code has such a character inside. */
const CUT = /[^\w.+-]/g;

export interface Named {
  /** It may lead to code, an address, the Hub or a variable. */
  readonly reaches: boolean;
  readonly code: boolean;
  /** Files of code and descriptions of endpoints: for each, the names that it may have. */
  readonly files: readonly (readonly string[])[];
}

/** What a text names; `module`: it is a plugin's, and every path in it may be one of code. */
export function namedBy(text: string, module = false): Named {
  if (text.length > MOST) return { reaches: true, code: true, files: [[]] };
  const found = [text, ...textsInJson(text)].flatMap((each) => each.split(/[\r\n]+/)).map(namedInLine);
  const code = (module && /[\\/]/.test(text)) || found.some((each) => each.code);
  return {
    code,
    reaches: code || text.includes('${') || found.some(({ reaches }) => reaches),
    files: found.flatMap(({ files }) => files),
  };
}

function namedInLine(line: string): Named {
  const cuts = Array.from(line.matchAll(CUT), ({ index }) => index);
  const starts = [0, ...cuts.map((at) => at + 1)];
  const ends = [...cuts, line.length];
  const leads = starts.flatMap((start) => leadOf(line.slice(start)) ?? []);
  // A folder may be called like a package: a part of a path names none.
  const inPath = (at: number): boolean => /[\\/]/.test(line.charAt(at));
  const isNamed = (start: number, end: number): boolean => {
    const name = line.slice(start, end);
    return isCode(name) && !(isPackageName(name) && (inPath(start - 1) || inPath(end)));
  };
  const code = ends
    .map((end) => starts.filter((start) => start < end))
    .flatMap((from, at) =>
      from.some((start) => isNamed(start, ends[at] as number))
        ? [from.map((start) => line.slice(start, ends[at]))]
        : [],
    );
  const described = leads.flatMap(({ file }) =>
    file === undefined ? [] : [[file, ...Array.from(file.matchAll(CUT), ({ index }) => file.slice(0, index))]],
  );
  const isAny = code.length > 0 || leads.some((lead) => lead.code) || line.split(/[^\w.~@/-]+/).some(isPackageName);
  return { code: isAny, reaches: isAny || leads.length > 0, files: [...code, ...described] };
}

/** The texts of a recipe or a list written as JSON. */
function textsInJson(text: string): string[] {
  try {
    return textsIn(JSON.parse(text));
  } catch {
    return [];
  }
}

/** Every text within a value. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
