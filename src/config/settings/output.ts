/** @file Settings of printed and written output. */
import { z } from 'zod';
import { booleanFlag, nonEmptyText, type Settings, textList } from '../setting.js';

const OUTPUT = { group: 'output' } as const;

/** Settings of all commands. */
export const streamSettings = {
  quiet: {
    schema: booleanFlag,
    ...OUTPUT,
    char: 'q',
    help: 'no progress, notes or warnings on stderr',
    configured: true,
  },
  verbose: {
    schema: booleanFlag,
    ...OUTPUT,
    char: 'v',
    help: 'details, what each figure means, and stack traces of errors',
    configured: true,
  },
  json: { schema: booleanFlag, ...OUTPUT, help: 'print one JSON document on stdout; nothing else' },
} as const satisfies Settings;

/** Present on commands that read a configuration. */
export const allowCodeSetting = {
  allowCode: {
    schema: booleanFlag,
    group: 'running',
    help: 'in CI: let a configuration that was found, not named by --config, be or name code',
  },
} as const satisfies Settings;

export const progressSetting = {
  log: {
    schema: z.enum(['text', 'plain', 'json']).default('text'),
    ...OUTPUT,
    help: 'format of stderr: text, plain (without progress) or json; a line of JSON has time, level, host, pid and message',
    configured: true,
  },
} as const satisfies Settings;

export const detailSettings = {
  wide: { schema: booleanFlag, ...OUTPUT, help: 'print every attack of a suite and all figures', configured: true },
} as const satisfies Settings;

export const reporterSetting = {
  reporters: {
    schema: textList.optional(),
    ...OUTPUT,
    flag: 'reporter',
    value: 'module',
    path: 'module',
    help: 'report format of yours, a file or a package (docs/library.md); it writes -o files of its extension; repeat',
    configured: true,
  },
} as const satisfies Settings;

export const reportSettings = {
  outputs: {
    schema: textList.optional(),
    ...OUTPUT,
    flag: 'output',
    char: 'o',
    value: 'file',
    path: 'output',
    help: 'write a report: .html, .md, .json, .csv, ...; also .sarif, .xml (JUnit), .prom (OpenMetrics) and .yaml (model card); repeat',
    configured: true,
  },
  ...reporterSetting,
} as const satisfies Settings;

const { configured: _, ...outputs } = reportSettings.outputs;

/** Report files of commands without a configuration. */
export const reportOutputs = { outputs } as const satisfies Settings;

const commentSetting = {
  comment: {
    schema: nonEmptyText.optional(),
    ...OUTPUT,
    value: 'file|github',
    help: 'write the pull request comment; to a file, or with github onto the pull request (needs GITHUB_TOKEN)',
  },
  commentName: {
    schema: nonEmptyText.optional(),
    ...OUTPUT,
    of: 'comment',
    option: 'name',
    help: 'name of this comment, if a pull request has several',
  },
} as const satisfies Settings;

const ADVISORY =
  'expected a number from 1 to 255 (0 would make a failed gate look passed; requirements of the level "warn" fail no gate)';

export const gateExitCodeSetting = {
  gateExitCode: {
    // 0 is how a gate says that it passed.
    schema: z.int(ADVISORY).min(1, ADVISORY).max(255, ADVISORY).optional(),
    group: 'judging',
    help: 'exit code of a failed gate, instead of 1; not 0: a requirement of the level "warn" fails no gate',
    configured: true,
  },
} as const satisfies Settings;

/** Output of `robust gate` besides its verdict. */
export const gateOutputSettings = {
  ...commentSetting,
  ...reportSettings,
  ...gateExitCodeSetting,
} as const satisfies Settings;
