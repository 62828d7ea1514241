/** @file A configuration file as it was written: its value, and where in the text each part of it stands. */
import { type Document, isMap, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { messageOf, must, RobustError } from '../core/errors.js';

export type Path = readonly (string | number)[];

export interface SourcePosition {
  /** 1-based. */
  readonly line: number;
  readonly column: number;
}

export interface ParsedConfig {
  readonly value: unknown;
  /** Where the value at this path stands, or with `key` its key; of what is not there, the nearest part around it. */
  place(path: Path, key?: boolean): SourcePosition;
}

/** YAML, of which JSON is a part. Throws RobustError with every syntax error and its place. */
export function parseYaml(text: string, name: string, kind: 'yaml' | 'json'): ParsedConfig {
  const lines = new LineCounter();
  const options = { lineCounter: lines, prettyErrors: false, schema: kind === 'json' ? 'json' : 'core' } as const;
  const document = parseDocument(text, options);
  const place = (offset: number): SourcePosition => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  if (document.errors.length > 0) {
    const problems = document.errors.map(({ message, pos }) => `${positionText(name, place(pos[0]))}: ${message}`);
    throw new RobustError(problems.join('\n'), {
      code: 'CONFIG_INVALID',
      hint: kind === 'json' ? 'It must be JSON.' : 'It must be YAML: a limit that begins with > needs quotes.',
    });
  }
  return {
    value: valueIn(document, name) ?? {},
    place: (path, key = false) => place(offsetIn(document.contents, path, key)),
  };
}

/** Aliases are followed here: one without an anchor, or far too many, are found only now. Throws RobustError. */
function valueIn(document: Document, name: string): unknown {
  try {
    return document.toJS();
  } catch (cause) {
    throw new RobustError(`${name}: ${messageOf(cause)}`, { code: 'CONFIG_INVALID', cause });
  }
}

function offsetIn(root: unknown, path: Path, key: boolean): number {
  let node = root as Node | null;
  let offset = node?.range?.[0] ?? 0;
  for (const [depth, step] of path.entries()) {
    let next: unknown;
    if (isMap(node)) {
      const pair = node.items.find((item) => String(item.key) === String(step));
      const named = key && depth === path.length - 1;
      offset = (pair?.key as Node | undefined)?.range?.[0] ?? offset;
      next = named ? undefined : pair?.value;
    } else if (isSeq(node)) next = node.items[Number(step)];
    node = (next as Node | undefined) ?? null;
    offset = node?.range?.[0] ?? offset;
  }
  return offset;
}

/**
 * The value that a program gave, and its text, in which keys are looked for in order: good enough to point at, as a
 * program may have computed them anywhere.
 */
export function programValue(value: unknown, text: string): ParsedConfig {
  return {
    value,
    place(path) {
      let offset = 0;
      for (const step of path) {
        if (typeof step === 'number') continue;
        const written = new RegExp(
          `(?<![\\w$])(['"\`]?)${step.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\1\\s*[:,}]`,
          'g',
        );
        written.lastIndex = offset;
        const found = written.exec(text);
        if (found === null) break;
        offset = found.index;
      }
      const before = text.slice(0, offset).split('\n');
      return { line: before.length, column: must(before.at(-1)).length + 1 };
    },
  };
}

export const positionText = (name: string, { line, column }: SourcePosition): string => `${name}:${line}:${column}`;
