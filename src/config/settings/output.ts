/** @file What is printed and written. */
import { z } from 'zod';
import { booleanFlag, nonEmptyText, type Settings, textList } from '../setting.js';

const OUTPUT = { group: 'output' } as const;

/** What all commands take. */
export const streamSettings = {
  quiet: {
    schema: booleanFlag,
    ...OUTPUT,
    char: 'q',
    help: 'no progress, notes or warnings on stderr',
    configured: true,
  },
  verbose: { schema: booleanFlag, ...OUTPUT, char: 'v', help: 'details, and stacks of errors', configured: true },
  json: { schema: booleanFlag, ...OUTPUT, help: 'print one JSON document and nothing else on stdout' },
  noColor: { schema: booleanFlag, ...OUTPUT, help: 'no colours; so do NO_COLOR=1 and TERM=dumb', configured: true },
} as const satisfies Settings;

export const progressSetting = {
  noProgress: { schema: booleanFlag, ...OUTPUT, help: 'no progress on stderr', configured: true },
  log: {
    schema: z.enum(['text', 'json']).default('text'),
    ...OUTPUT,
    help: 'what stderr is: lines for people, or an object a line with time, level, host, pid and message',
    configured: true,
  },
} as const satisfies Settings;

export const detailSettings = {
  wide: {
    schema: booleanFlag,
    ...OUTPUT,
    help: 'print every attack of a suite and all figures',
    configured: true,
  },
  explainMetrics: { schema: booleanFlag, ...OUTPUT, help: 'print what each figure means (also: -v)', configured: true },
} as const satisfies Settings;

export const profileSetting = {
  profile: {
    schema: nonEmptyText.optional(),
    ...OUTPUT,
    of: 'runtime',
    value: 'file',
    help: 'report where the time went, and write a trace for chrome://tracing or ui.perfetto.dev to this file',
  },
} as const satisfies Settings;

export const reporterSetting = {
  reporters: {
    schema: textList.optional(),
    ...OUTPUT,
    flag: 'reporter',
    value: 'module',
    path: 'module',
    help: 'a format of your own, a file or a package (docs/library.md): -o files of its ending are written by it; repeat',
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
    names: 'formats',
    help: 'write the report to this file; its ending picks the format: .md, .html, .json, .csv, .xml (JUnit), .sarif, .prom (OpenMetrics) or .yaml (model card); repeat',
    configured: true,
  },
  ...reporterSetting,
} as const satisfies Settings;

const { configured: _, ...outputs } = reportSettings.outputs;

/** Of commands that write what no configuration asks for. */
export const reportOutputs = { outputs } as const satisfies Settings;

const commentSetting = {
  comment: {
    schema: nonEmptyText.optional(),
    ...OUTPUT,
    value: 'file|github',
    help: 'write the comment for a pull request: to a file, or onto the pull request (needs GITHUB_TOKEN)',
  },
  commentName: {
    schema: nonEmptyText.optional(),
    ...OUTPUT,
    value: 'name',
    help: 'what this comment is about, where a pull request has several: each name has one comment',
  },
} as const satisfies Settings;

const ADVISORY =
  'expected a number from 1 to 255 (0 would make a failed gate look passed; requirements of the level "warn" fail no gate)';

export const gateExitCodeSetting = {
  gateExitCode: {
    // 0 is how a gate says that it passed.
    schema: z.int(ADVISORY).min(1, ADVISORY).max(255, ADVISORY).optional(),
    group: 'judging',
    help: 'instead of 1, where the gate failed; not 0: a requirement of the level "warn" fails no gate',
    configured: true,
  },
} as const satisfies Settings;

/** What `robust gate` writes and prints besides its verdict. */
export const gateOutputSettings = {
  ...commentSetting,
  ...reportSettings,
  ...detailSettings,
  ...gateExitCodeSetting,
} as const satisfies Settings;
