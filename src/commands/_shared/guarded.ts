/**
 * @file Filters everything printed to the terminal and to CI logs by commands, the flag parser, plugins or crashes, so that no untrusted
 * text acts there even if it was not escaped. `--json` passes unchanged, because its escapes are complete (reports/json.ts).
 */
import { StringDecoder } from 'node:string_decoder';
import { logLines, shownLines, unfinished } from '../../../reports/log-lines.js';
import { callingCode } from '../../core/user-code.js';

type Write = NodeJS.WriteStream['write'];

/** The streams as they were. */
const unguarded = new WeakMap<NodeJS.WriteStream, Write>();

/** By which GitHub's runner knows that commands count again: nobody can guess it. */
let token: string | undefined;

/** Guards both streams of a process. What it gives is to be called once no more is printed: from then on the runner obeys again. */
export function guardStreams({ stdout, stderr, env }: Pick<NodeJS.Process, 'stdout' | 'stderr' | 'env'>): () => void {
  token = undefined;
  for (const stream of [stdout, stderr]) guard(stream, stream.isTTY === true || env.FORCE_COLOR !== undefined);
  if (env.GITHUB_ACTIONS !== 'true') return () => {};
  // Libraries below us print without asking; until the process ends the runner takes nothing for a command but what `command` writes.
  token = `robust-${crypto.randomUUID()}`;
  raw(stderr)(`::stop-commands::${token}\n`);
  return () => raw(stderr)(`::${token}::\n`);
}

/** Lines for the runner, as reports/github-command.ts makes them: they are obeyed. */
export function command(lines: string): void {
  if (lines === '') return;
  raw(process.stderr)(token === undefined ? lines : `::${token}::\n${lines}::stop-commands::${token}\n`);
}

/** A stream that its cursor may be moved on. Whoever writes to it answers for each character. */
export const movable = (stream: NodeJS.WriteStream): NodeJS.WriteStream =>
  Object.create(stream, { write: { value: raw(stream) } });

/** How results are written, by streams of which nothing else is taken. */
const forResults = new WeakMap<NodeJS.WriteStream, Write>();

/** Keeps stdout for results: what modules of the user's print from now on goes to stderr, each line with the module's name. */
export function keepForResults({ stdout, stderr }: Pick<NodeJS.Process, 'stdout' | 'stderr'>): void {
  if (forResults.has(stdout)) return;
  forResults.set(stdout, stdout.write.bind(stdout));
  let lineEnded = true;
  stdout.write = ((chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    const done = rest.find((each) => typeof each === 'function') as (() => void) | undefined;
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    const by = callingCode();
    const named = by === '' ? text : text.replace(lineEnded ? /^(?=.)/gms : /(?<=\n)(?=.)/gs, `${by}: `);
    if (text !== '') lineEnded = text.endsWith('\n');
    return stderr.write(named, done);
  }) as Write;
}

/** Writes a result. */
export const writeResult: Write = ((...args: Parameters<Write>) =>
  (forResults.get(process.stdout) ?? process.stdout.write.bind(process.stdout))(...args)) as Write;

const raw = (stream: NodeJS.WriteStream): Write => unguarded.get(stream) ?? stream.write.bind(stream);

function guard(stream: NodeJS.WriteStream, colours: boolean): void {
  const write = stream.write.bind(stream) as (text: string, done?: (error?: Error | null) => void) => boolean;
  unguarded.set(stream, stream.write.bind(stream));
  const decoder = new StringDecoder('utf8');
  let begun = '';
  stream.write = ((chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    const [encoding] = rest;
    const done = rest.find((each) => typeof each === 'function') as ((error?: Error | null) => void) | undefined;
    const plain = typeof chunk === 'string' && (typeof encoding !== 'string' || /^utf-?8$/i.test(encoding));
    const bytes = plain ? undefined : Buffer.from(chunk as string, encoding as BufferEncoding);
    const text = shownLines(bytes === undefined ? (chunk as string) : decoder.write(bytes), colours);
    const shown = logLines(text, begun);
    begun = unfinished(begun + text);
    return write(shown, done);
  }) as Write;
}
