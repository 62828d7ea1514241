/** @file The command line that gives the same result again, and the flags a resumed run remembers. */

/** Values of flags by name: what a run's record keeps of its command line. */
export type Settings = Readonly<Record<string, unknown>>;

/** The settings among the flags: those named, where they have a value. */
export const settingsOf = (flags: Settings, names: readonly string[]): Settings =>
  Object.fromEntries(names.flatMap((name) => (isSet(flags[name]) ? [[name, flags[name]]] : [])));

const isSet = (value: unknown): boolean =>
  value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);

/** `robust <command>` with these flags, quoted for a POSIX shell. */
export function commandLine(command: string, settings: Settings): string {
  const words = Object.entries(settings).flatMap(([name, value]) => wordsOf(`--${name}`, value));
  return ['robust', ...command.split(' '), ...words.map(quoted)].join(' ');
}

function wordsOf(flag: string, value: unknown): string[] {
  if (value === true) return [flag];
  // Of repeated flags one a value; a pair is written as it was given.
  const values = Array.isArray(value) ? value : [value];
  return values.flatMap((each) => [flag, Array.isArray(each) ? each.join('=') : String(each)]);
}

export const quoted = (word: string): string =>
  /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
