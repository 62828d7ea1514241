/** @file What it takes to get the same numbers again. */
import type { Provenance, Report } from '../../src/index.js';
import { json } from '../json.js';
import { outputLine } from '../output.js';
import { type Content, html, type Markup } from './markup.js';
import { facts, table } from './page.js';

/** A command to copy. */
export const command = (line: string): Markup =>
  html`<div class="command"><code>${line}</code><button type="button" class="copy" hidden>Copy</button></div>\n`;

/** Hashes, seed, versions, machine, settings with where each was set, and the command that replays the run. */
export const provenance = ({
  model,
  data,
  seed,
  engine,
  toolVersion,
  run,
  provenance: made,
  command: replay,
}: Report): Markup =>
  html`${facts([
    ['Model', html`${model.name}<br><code>sha256 ${model.sha256}</code>`],
    ...(model.output === undefined ? [] : [['Output', outputLine(model.output)] as const]),
    ...(model.defence === undefined ? [] : [['Defence', model.defence] as const]),
    ['Data', html`${data.name}, ${data.examples} examples<br><code>sha256 ${data.sha256}</code>`],
    ['Seed', seed],
    ['Tool', `robust ${toolVersion}, engine ${engine}`],
    ['Run', run],
    ...(made === undefined ? [] : machine(made)),
  ])}${made !== undefined && settings(made)}${command(replay)}`;

const machine = ({
  created,
  hardware,
  platform,
  versions,
  config,
  merged,
}: Provenance): (readonly [Content, Content])[] => [
  ['Made', created],
  ['Machine', [hardware, platform].filter((part) => part !== '').join('; ')],
  [
    'Versions',
    Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', '),
  ],
  ...(config === null ? [] : [['Configuration', config] as const]),
  ...(merged === undefined
    ? []
    : [['Shards', merged.map((one) => html`${one.shard}: ${one.run}, ${one.platform}<br>`)] as const]),
];

/** What was set and by whom, and what must be equal for two runs to be comparable; folded, since few ask. */
const settings = ({
  settings: all,
  fingerprint,
}: Provenance): Markup => html`<details><summary>Settings and where each was set</summary>
${table(
  'Settings',
  [{ title: 'Setting' }, { title: 'Value', align: 'left' }, { title: 'Set by', align: 'left' }],
  Object.entries(all).map(([name, { value, origin }]) => [name, html`<code>${shown(value)}</code>`, origin]),
)}</details>
<details><summary>Fingerprint: equal for runs that can be compared</summary>
${facts(Object.entries(fingerprint).map(([name, value]) => [name, html`<code>${shown(value)}</code>`]))}</details>
`;

const shown = (value: unknown): string => (typeof value === 'string' ? value : json(value));
