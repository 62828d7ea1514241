/** @file Everything needed to reproduce a report: model, data, settings, machine, endpoint. */
import type { EndpointReport } from '../../src/core/endpoint.js';
import { quantity } from '../../src/core/figure-text.js';
import { type Block, code, type Inline, type Section } from '../../src/results/report/document.js';
import { modelTitle } from '../../src/results/report/model-title.js';
import type { Provenance, Report } from '../../src/results/report/report.js';
import { decisionText } from '../../src/tasks/decide.js';
import { json } from '../json.js';
import { outputLine } from '../output.js';
import { overrideFacts, provenanceSection } from './provenance.js';

/** Everything needed to reproduce the numbers. */
export function reportProvenance({
  model,
  data,
  seed,
  engine,
  toolVersion,
  run,
  verdict,
  provenance: made,
  command,
  clean: { approximation },
  endpoint,
}: Report): Section {
  const facts: (readonly [Inline, Inline])[] = [
    ['Model', { lines: [modelTitle(model), code(`sha256 ${model.sha256}`)] }],
    ...(model.output === undefined ? [] : [['Output', outputLine(model.output)] as const]),
    ...(model.defence === undefined ? [] : [['Defence', model.defence] as const]),
    ...(model.decision === undefined ? [] : [['Decision', decisionText(model.decision)] as const]),
    ['Data', { lines: [`${data.name}, ${quantity(data.examples, 'example')}`, code(`sha256 ${data.sha256}`)] }],
    ['Seed', seed],
    ['Tool', `robust ${toolVersion}, engine ${engine}`],
    ...(approximation === undefined
      ? []
      : [
          [
            approximation.device ? 'Device' : 'Precision',
            approximation.device
              ? `searches used the model on ${approximation.device}, whose scores are not reproducible to the byte; the clean pass and the confirmation of every success ran on the processor`
              : `searches used the model in ${approximation.precision}; the clean pass and the confirmation of every success used the model itself`,
          ] as const,
        ]),
    ...(endpoint === undefined ? [] : [['Endpoint', endpointLines(endpoint)] as const]),
    ['Run', run],
    ['Verdict', verdict],
  ];
  return provenanceSection(
    [...facts, ...(made === undefined ? [] : machine(made))],
    [...(made === undefined ? [] : settings(made)), { kind: 'command', line: command }],
  );
}

/** The endpoint: its queries, how much its scores vary, and its cost. */
function endpointLines({
  protocol,
  address,
  facts,
  probe,
  requests,
  repeated,
  texts,
  price,
  cost,
}: EndpointReport): Inline {
  const described = Object.entries(facts).map(([name, value]) => `${name} ${value.slice(0, 80)}`);
  const steps =
    probe.grid === null ? 'finer than 0.00001' : probe.grid === 1 ? 'labels alone' : `rounded to ${probe.grid}`;
  return {
    lines: [
      [protocol, address, ...described].join(', '),
      `${quantity(texts, 'text')} in ${quantity(requests, 'request')}, ${repeated} of which were repeated${cost === undefined ? '' : `; cost ${cost} at ${price} a text`}`,
      `probe of ${quantity(probe.queries, 'query', 'queries')}: scores of the same text differ by ${probe.repeated.toPrecision(2)}, in another batch by ${probe.company.toPrecision(2)}; scores ${steps}`,
    ],
  };
}

const machine = ({
  created,
  hardware,
  platform,
  versions,
  config,
  overrides,
  merged,
}: Provenance): (readonly [Inline, Inline])[] => [
  ['Made', created],
  ['Machine', [hardware, platform].filter((part) => part !== '').join('; ')],
  [
    'Versions',
    Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', '),
  ],
  ...(config === null ? [] : [['Configuration', config] as const]),
  ...overrideFacts({ overrides }),
  ...(merged === undefined
    ? []
    : [['Shards', { lines: merged.map((one) => `${one.shard}: ${one.run}, ${one.platform}`) }] as const]),
];

/** Each setting with its origin, and the fingerprint that comparable runs share. Both are folded, as few readers need them. */
const settings = ({ settings: all, fingerprint }: Provenance): Block[] => [
  {
    kind: 'fold',
    title: 'Settings and where each was set',
    blocks: [
      {
        kind: 'table',
        caption: 'Settings',
        columns: ['setting', 'value', 'set by'].map((title) => ({ title, align: 'left' })),
        rows: Object.entries(all).map(([name, { value, origin }]) => [name, code(display(value)), origin]),
      },
    ],
  },
  {
    kind: 'fold',
    title: 'Fingerprint: equal for runs that can be compared',
    blocks: [
      {
        kind: 'facts',
        heads: ['what', 'which'],
        facts: Object.entries(fingerprint).map(([name, value]) => [name, code(display(value))]),
      },
    ],
  },
];

const display = (value: unknown): string => (typeof value === 'string' ? value : json(value));
