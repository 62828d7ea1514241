/** @file Output and exit code of a failed command. */
import type { Command } from '@oclif/core';
import { json, SCHEMA_VERSION } from '../../../reports/json.js';
import { visible } from '../../../reports/visible.js';
import { meantCommand } from '../../app/command-names.js';
import { type ErrorCode, EXIT, RobustError } from '../../core/errors.js';
import { nearest } from '../../core/suggest.js';
import { lateUserError } from '../../core/user-code.js';
import { writeResult } from './guarded.js';

export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly exit: number;
  /** Stack of unexpected errors and of the causes of known ones; printed with `--verbose` only. */
  readonly stack?: string | undefined;
}

const OPTION = /^([\w-]+)(?:=\S*)?(?: \(.*?\))?: /;

/** Errors of the flag parser carry `oclif`; those about unknown flags and arguments name them. */
interface ParserError extends Error {
  readonly oclif: { readonly exit?: number };
  readonly flags?: readonly string[];
}

const isParserError = (error: unknown): error is ParserError => error instanceof Error && 'oclif' in error;

/** The failure an error stands for. Errors of the flag parser are the user's; what nobody foresaw is a defect of ours. */
export function failureOf(error: unknown, command?: Command.Class): Failure {
  if (error instanceof RobustError) {
    const { code, hint, exit, cause } = error;
    const stack = cause instanceof Error ? cause.stack : undefined;
    return { code, message: withoutParserWords(error.message), hint, exit, stack };
  }
  if (isParserError(error)) return failureOf(usageError(error, command));
  const theirs = lateUserError(error);
  if (theirs !== undefined) return failureOf(theirs);
  if (isSystemError(error)) return failureOf(unreachable(error));
  return {
    code: 'INTERNAL',
    message: `internal error: ${error instanceof Error ? error.message : String(error)}`,
    hint: 'This is a defect of robust. Run again with --verbose to see where, and please report it.',
    exit: EXIT.internal,
    stack: error instanceof Error ? error.stack : undefined,
  };
}

/** Of the file system: permission was lost, a disk is gone, another program holds or removed the file. */
const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error && 'path' in error;

const unreachable = (cause: NodeJS.ErrnoException): RobustError =>
  new RobustError(`a file could not be used: ${cause.message}`, {
    code: 'FILE_UNREACHABLE',
    hint: 'Check its permissions and those of its folder, then run the command again.',
    cause,
  });

/** Removes the flag parser's words around the message of an invalid value. */
const withoutParserWords = (message: string): string =>
  message.replace(/^Parsing --\S+ \s*/, '').replace(/\s*See more help with --help$/, '');

/** `known`: the ids of all commands. */
export function unknownCommand(id: string, known: readonly string[]): RobustError {
  const [name = '', ...names] = [id, ...known].map((each) => each.replaceAll(':', ' '));
  const meant = meantCommand(name, names);
  const hint = meant === undefined ? 'robust --help lists all commands.' : `Did you mean "robust ${meant}"?`;
  return new RobustError(`robust has no command "${name}"`, { code: 'COMMAND_NOT_FOUND', hint });
}

/** What was expected and what came, for the messages that the flag parser words itself. */
function ofParser(message: string, command: Command.Class | undefined): string | undefined {
  const [, flag] = /Missing required flag (\S+)/.exec(message) ?? [];
  if (flag !== undefined) {
    const about = command?.flags?.[flag];
    return `expected --${flag}${about?.description ? ` (${about.description})` : ''}, got none`;
  }
  const [, args] = /^Missing \d+ required args?:\n([\s\S]*?)(?:\n\n|$)/.exec(message) ?? [];
  if (args !== undefined) {
    const missing = Object.entries(command?.args ?? {}).filter(([name]) => new RegExp(`^${name}\\s`, 'm').test(args));
    return `expected ${missing.map(([name, { description }]) => `${name.toUpperCase()} (${description})`).join(' and ')}, got none`;
  }
  const [, extra] = /^Unexpected arguments?: (.+)/.exec(message) ?? [];
  if (extra !== undefined) return `expected no further argument, got "${extra}"`;
  const [, valued] = /^Flag (--[\w-]+) expects a value/.exec(message) ?? [];
  return valued && `${valued}: expected a value, got none`;
}

function usageError(error: ParserError, command: Command.Class | undefined): RobustError {
  const help = `robust ${command?.id?.replaceAll(':', ' ') ?? ''} --help`.replace('  ', ' ');
  const flags = Object.entries({ ...command?.baseFlags, ...command?.flags });
  const known = flags.map(([name]) => `--${name}`);
  const unknown = error.flags?.filter((flag) => flag.startsWith('-')) ?? [];
  const said = ofParser(error.message, command);
  if (said !== undefined) return new RobustError(said, { code: 'FLAG_INVALID', hint: `See ${help}.` });
  if (unknown.length === 0) {
    const [, of = '', name, all] = /^Expected (?:(--[\w-]+)=)?(.+) to be one of: (.+)$/m.exec(error.message) ?? [];
    const hint = name && all && nearest(name, all.split(', '));
    return new RobustError(withoutParserWords(error.message), {
      code: all === undefined ? 'FLAG_INVALID' : 'NAME_NOT_FOUND',
      hint: hint ? `Did you mean ${`${of} ${hint}`.trim()}?` : `See ${help}.`,
    });
  }
  const meant = unknown.flatMap((flag) => {
    const [name = '', value = ''] = flag.replace(/^--/, '').split('=');
    // The help of a flag has a line for each of its options.
    const owner = flags.find(([, { description }]) =>
      description?.split('\n').some((line) => OPTION.exec(line)?.[1] === name),
    );
    if (owner === undefined) return nearest(`--${name}`, known) ?? [];
    const { helpValue } = owner[1] as { readonly helpValue?: string };
    return `--${owner[0]} ${(helpValue ?? '').replace(/\[?(:?)option=.*$/, '$1')}${name}=${value || '...'}`;
  });
  return new RobustError(`unknown flag${unknown.length > 1 ? 's' : ''} ${unknown.join(', ')}`, {
    code: 'FLAG_NOT_FOUND',
    hint: meant.length > 0 ? `Did you mean ${meant.join(', ')}?` : `See ${help}.`,
  });
}

/** The failure as people read it, without the last line break. */
export function failureText({ message, hint, stack }: Failure, verbose: boolean): string {
  const lines = [`Error: ${message}`, ...(hint === undefined ? [] : [hint]), ...(verbose && stack ? [stack] : [])];
  return lines.join('\n').split('\n').map(visible).join('\n');
}

/** The document `--json` prints for a failure. */
export function failureDocument(command: string, { code, message, hint, exit }: Failure, warnings: readonly string[]) {
  const error = { code, message, hint, exit };
  return `${json({ schemaVersion: SCHEMA_VERSION, ok: false, command, error, warnings })}\n`;
}

/** Reports a failure before a command was created: to people, to programs with `--json`, and by the exit code. */
export function reportFailure(error: unknown, argv: readonly string[], known: readonly string[]): void {
  // `robust help nonsense` and `robust nonsense --help` do not come by the hook for unknown commands.
  const unknown = error instanceof Error && /^Command (.+) not found\.$/.exec(error.message)?.[1];
  const failure = failureOf(unknown ? unknownCommand(unknown, known) : error);
  process.exitCode = failure.exit;
  process.stderr.write(`${failureText(failure, argv.includes('--verbose') || argv.includes('-v'))}\n`);
  if (argv.includes('--json')) writeResult(failureDocument('', failure, []));
}
