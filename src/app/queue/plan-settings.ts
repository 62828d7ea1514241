/** @file The settings of a run that travel to its workers: those that name no file, since what a job names must not be opened there. */
import { z } from 'zod';
import { flagOf, type Setting, type Values } from '../../config/setting.js';
import { attackSettings } from '../../config/settings/index.js';
import { RobustError } from '../../core/errors.js';
import { outputReadingSchema } from '../../core/output-reading.js';
import { labelOf, splitSpec } from '../../core/plugin-options.js';
import { readBy } from '../../core/read-by.js';
import { DEVICES, deviceOf } from '../../model/workers/device.js';
import { isPackageName, packagesIn } from '../../modules/own-module.js';
import { textsIn } from '../runs/named.js';

/** The scope of a package's name holds a stroke. */
const withoutScope = (spec: string): string =>
  isPackageName(splitSpec(spec).name) ? spec.replace(/^@[^/]+\//, '') : spec;

/** A masked language model is opened by what the plan has under that name, and by nothing else. */
const withoutGuesser = (spec: string): string => {
  const { name, given } = splitSpec(spec);
  return labelOf(name, new Map([...given].filter(([option]) => option !== 'mlm')));
};

/** Options of attacks, parts and defences whose values are files or models. */
const FILES = /(^|[:,"])\s*(mlm|vectors|texts|table|from|file|surrogate)=/i;

/** A package is code of the worker's own installation, and has the hash that the plan states. */
function namesNoFile(spec: string): boolean {
  if (spec.length > 10_000 || /\.[cm]?[jt]s\b/i.test(spec)) return false;
  const rest = withoutGuesser(spec);
  return !/[\\/]/.test(withoutScope(rest)) && !FILES.test(rest);
}

type AttackTable = typeof attackSettings;
type TravellingKey = {
  [K in keyof AttackTable]: AttackTable[K] extends { travels: true } ? K : never;
}[keyof AttackTable];

const rows = Object.entries<Setting>(attackSettings).filter(([, { travels }]) => travels === true);

/** Plugins travel by the names that every installation has for them. */
const schemaOf = (key: string, { schema, path }: Setting): z.ZodType =>
  path === 'module' || key === 'suites'
    ? schema.refine((value) => textsIn(value).every(namesNoFile), 'names a file')
    : schema;

/** As a worker reads them: whoever can write to Redis writes no more than this. */
export const travelling = z.strictObject({
  ...(Object.fromEntries(rows.map(([key, setting]) => [key, schemaOf(key, setting)])) as {
    [K in TravellingKey]: AttackTable[K]['schema'];
  }),
  language: z.string().regex(/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/, 'names a file'),
  /** The attacks' name for their masked language model, which is part of the plan; nothing is opened by that name. */
  mlm: z.string().min(1).max(1000).optional(),
  /** Each worker chooses which of several devices of this kind it uses. */
  device: z.enum(DEVICES).optional(),
  /** The kind of decision; the plan has its rule. */
  task: z.enum(['argmax', 'threshold', 'multi-label', 'regression', 'tags']).optional(),
  /** How spans are made of tags. */
  tags: outputReadingSchema.shape.tags.unwrap().optional(),
});
export type TravellingSettings = z.infer<typeof travelling>;

/** The packages of plugins that settings name: code, which a worker loads only where its --plugin lists it. */
export const packagesOf = (settings: Readonly<Record<string, unknown>>): string[] => [
  ...new Set(Object.values(settings).flatMap((value) => [value].flat().flatMap((each) => packagesIn(String(each))))),
];

/** Throws RobustError for settings that name files, and for those of a run that must be in one piece. */
export function settingsThatTravel(
  choice: Values<AttackTable>,
  language: string,
  { task, tags }: Pick<TravellingSettings, 'task' | 'tags'>,
): TravellingSettings {
  const refuse = (what: string, hint: string): never => {
    throw new RobustError(`--queue: ${what}`, { code: 'QUEUE_UNSUPPORTED', hint });
  };
  if (choice.shard !== undefined) refuse('the queue divides the run, and got --shard too', 'Leave one of them out.');
  if (choice.runBudget !== undefined)
    refuse(
      'a budget of the whole run ends it in an order that many machines do not have',
      'Take --query-budget, which is per example.',
    );
  if (choice.device === 'auto')
    refuse('expected the device that the workers have, got auto', 'Name it, as in --runtime device=cuda.');
  const found = readBy(travelling, {
    ...Object.fromEntries(rows.map(([key]) => [key, choice[key as TravellingKey]])),
    language,
    device: deviceOf(choice.device ?? 'cpu')?.kind,
    task,
    tags,
  });
  if (found.success) return JSON.parse(JSON.stringify(found.data)) as TravellingSettings;
  const [{ path, message }] = found.faults;
  const [, named] = rows.find(([key]) => key === path[0]) ?? [];
  return refuse(
    `${named === undefined ? '' : `--${flagOf(String(path[0]), named)} `}${message}: workers take attacks, parts and languages by the names they have there`,
    'Attack with those that robust list shows; or divide the run by --shard, where each machine has the files.',
  );
}
