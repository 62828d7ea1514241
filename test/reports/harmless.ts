/** Sequences that no printed text may contain. */

/** Acts on a screen, or cannot be seen: controls but line breaks and tabs, format characters, other line breaks. */
const ACTIVE = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069\u200B](?<![\n\t])/u;

/** A line that a runner of GitHub, Azure or TeamCity obeys. */
const COMMAND = /^\s*::.*|.*##(?:vso|teamcity)?\[.*/im;

/** The fault of a text on a terminal or in a log, if any. */
export function harmIn(text: string): string | undefined {
  const active = ACTIVE.exec(text);
  if (active !== null) return `U+${active[0].codePointAt(0)!.toString(16)} in "${around(text, active.index)}"`;
  const command = COMMAND.exec(text);
  return command === null ? undefined : `a runner obeys "${command[0].slice(0, 80)}"`;
}

const around = (text: string, at: number): string => JSON.stringify(text.slice(Math.max(0, at - 40), at + 40));
