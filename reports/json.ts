/** @file The report for programs: the document `--json` prints, one line a member, one line an example. */
import type { Report, ReportRenderer } from '../src/index.js';

/** Version of the document's shape; raised when a consumer would break. */
export const SCHEMA_VERSION = 1;

/** Controls, direction overrides and invisible characters that `JSON.stringify` leaves as they are. */
const ACTIVE = /[\u007F-\u009F\u00AD\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF]/g;

/** JSON on one line, safe to print: what a screen might obey is written as an escape; no value changes by it. */
export const json = (value: unknown): string =>
  JSON.stringify(value).replace(ACTIVE, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The renderer for the document of a command. */
export function jsonOf(command: string): ReportRenderer {
  return {
    name: 'json',
    extension: 'json',
    async *render({ examples, telling: _, warnings, verdict, run, command: replay, ...result }: Report) {
      yield `{"schemaVersion":${SCHEMA_VERSION},"ok":true,"command":${json(command)},"result":{\n`;
      for (const [key, value] of Object.entries(result)) yield `${json(key)}:${json(value)},\n`;
      yield '"examples":[';
      let separator = '\n';
      for await (const example of examples) {
        yield `${separator}${json(example)}`;
        separator = ',\n';
      }
      yield `\n],\n"verdict":${json(verdict)},\n"run":${json(run)},\n"replay":${json(replay)}\n},"warnings":${json(warnings)}}\n`;
    },
  };
}
