/** @file The report for programs: the document `--json` prints, one line a member, one line an example. */
import type { Renderer, Report, ReportRenderer } from '../src/results/report/report.js';
import { INVISIBLE } from './visible.js';

/** Version of the document's shape; raised when a consumer would break. */
export const SCHEMA_VERSION = 1;

/** Where a command of a CI runner would begin its name: `##[error]`, `##vso[...]`. */
const BRACKET = /(?<=##(?:vso|teamcity)?)\[/gi;

const escapeText = (text: string): string =>
  Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');

/** JSON on one line, safe to print: what a screen or a runner might obey is written as an escape; no value changes by it. */
export const json = (value: unknown): string =>
  JSON.stringify(value).replace(INVISIBLE, escapeText).replace(BRACKET, escapeText);

/** The renderer for the document of a command, from what it holds. */
export const documentJson = <T>(
  command: string,
  of: (what: T) => { readonly result: unknown; readonly warnings: readonly string[] },
): Renderer<T> => ({
  name: 'json',
  extension: 'json',
  *render(what) {
    yield `${json({ schemaVersion: SCHEMA_VERSION, ok: true, command, ...of(what) })}\n`;
  },
});

/** The same for a report of attacks, whose examples stream. */
export function jsonOf(command: string): ReportRenderer {
  return {
    name: 'json',
    extension: 'json',
    async *render({
      examples,
      closest: _,
      measures: __,
      next: ___,
      stated: ____,
      warnings,
      verdict,
      reasons = [],
      run,
      command: replay,
      ...result
    }: Report) {
      yield `{"schemaVersion":${SCHEMA_VERSION},"ok":true,"command":${json(command)},"result":{\n`;
      for (const [key, value] of Object.entries(result)) yield `${json(key)}:${json(value)},\n`;
      yield '"examples":[';
      let separator = '\n';
      for await (const example of examples) {
        yield `${separator}${json(example)}`;
        separator = ',\n';
      }
      yield `\n],\n"verdict":${json(verdict)},\n"reasons":${json(reasons)},\n"run":${json(run)},\n"replay":${json(replay)}\n},"warnings":${json(warnings)}}\n`;
    },
  };
}
