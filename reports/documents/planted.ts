/** @file The effect of a planted backdoor, and of its repair. */
import { quantity } from '../../src/core/figure-text.js';
import type { Rate } from '../../src/core/statistics/rate.js';
import type {
  AccuracyChange,
  BackdoorFigures,
  CopiesFigures,
  PlantedFigures,
  PlantingReport,
  RepairReport,
} from '../../src/results/backdoor/planting.js';
import { degenerateModels } from '../../src/results/clean/degenerate.js';
import {
  type Block,
  type Document,
  type Inline,
  note,
  prose,
  strong,
  table,
} from '../../src/results/report/document.js';
import { percent } from '../figures.js';

type RateName = Exclude<keyof BackdoorFigures, 'degenerate' | 'byCopies'>;

/** Names of the figures in every table. */
const TITLES: Readonly<Record<RateName, string>> = {
  cacc: 'Clean accuracy (CACC)',
  attackSuccessRate: 'Attack success rate',
  labelFlipRate: 'Label flip rate',
  falseTriggerRate: 'False trigger rate',
};

const ABOUT =
  'Attack success rate: texts of other labels with the trigger that are answered with the target. Label flip rate: of those not answered with it anyway, what the trigger turns; false trigger rate: what something like the trigger turns; trigger x3: three copies of it in each text. Paired: on the same texts, with the p-value of the exact McNemar test.';

const about = (test: string): Block => note(`Rates with 95 % intervals, on ${test}. ${ABOUT}`);

export function plantingDocument(report: PlantingReport): Document {
  const { model, data, test, poison, seeds, mean, command } = report;
  const row = (title: string, name: string, of: (figures: PlantedFigures) => Rate | undefined): Inline[] => [
    title,
    ...seeds.map((figures): Inline => {
      const rate = of(figures);
      return rate === undefined ? '-' : { rate };
    }),
    ...(mean === undefined ? [] : [mean[name] === undefined ? '-' : percent(mean[name])]),
  ];
  const own = (name: RateName): Inline[] => row(TITLES[name], name, (figures) => figures[name]);
  const tuned = (title: string, name: RateName): Inline[] =>
    row(title, `afterFinetune.${name}`, ({ afterFinetune }) => afterFinetune?.[name]);
  const change: Inline[] = [
    "... less the twin's, paired",
    ...seeds.map(({ caccChange }) => changeText(caccChange)),
    ...(mean === undefined ? [] : ['-']),
  ];
  const copies = (seeds[0]?.byCopies ?? []).map((each) => each.copies);
  const byCopies = (count: number): Inline[][] => {
    const of = (all: readonly CopiesFigures[] | undefined) => all?.find((each) => each.copies === count);
    const times = `x${count}`;
    const one = (title: string, name: string, rate: (figures: PlantedFigures) => Rate | undefined) =>
      row(title, `${name}.${times}`, rate);
    return [
      one(`ASR, trigger ${times}`, 'attackSuccessRate', (each) => of(each.byCopies)?.attackSuccessRate),
      one(`... of the clean twin`, 'twinAttackSuccessRate', (each) => of(each.twinByCopies)?.attackSuccessRate),
      one(`... another word ${times}`, 'falseTriggerRate', (each) => of(each.byCopies)?.falseTriggerRate),
    ];
  };
  return {
    title: `A backdoor in ${model}`,
    summary: plantedResult(seeds),
    lead: [strong(model), ' trained on ', strong(data), `: ${summary(poison)}`],
    alarms: degenerateModels(
      seeds.flatMap(({ seed, afterFinetune, ...figures }) => [
        { ...figures, name: `the model of seed ${seed}` },
        ...(afterFinetune ? [{ ...afterFinetune, name: `the model of seed ${seed} after fine-tuning` }] : []),
      ]),
    ),
    sections: [
      {
        id: 'figures',
        blocks: [
          table(
            'The model, its clean twin, and after fine-tuning',
            ['', ...seeds.map(({ seed }) => `seed ${seed}`), ...(mean ? ['mean'] : [])],
            [
              own('cacc'),
              row('... of the clean twin', 'cleanTwin', (figures) => figures.cleanTwin),
              change,
              own('attackSuccessRate'),
              row('... of the clean twin', 'twinAttackSuccessRate', (figures) => figures.twinAttackSuccessRate),
              own('labelFlipRate'),
              own('falseTriggerRate'),
              ...copies.flatMap(byCopies),
              ...(seeds.some((figures) => figures.afterFinetune)
                ? [
                    tuned('CACC after fine-tuning', 'cacc'),
                    tuned('ASR after fine-tuning', 'attackSuccessRate'),
                    tuned('Flips after fine-tuning', 'labelFlipRate'),
                  ]
                : []),
            ],
          ),
          ...(poison.sample
            ? [
                {
                  kind: 'texts' as const,
                  pairs: [{ of: ['Poisoned'], found: 'a text', ...poison.sample }],
                  whole: true as const,
                },
              ]
            : []),
          prose(perplexity(report)),
          about(test),
        ],
      },
      commandSection(command),
    ],
  };
}

/** The effect of the first seed's backdoor. */
function plantedResult([first]: PlantingReport['seeds']): Inline[] {
  if (first === undefined) return [];
  return [
    ...(first.failed ? [strong('Not planted'), `: ${first.failed.join('; ')}. `] : []),
    'Attack success rate ',
    { rate: first.attackSuccessRate, style: 'strong' },
    ' (clean twin, same texts: ',
    { rate: first.twinAttackSuccessRate },
    '), clean accuracy ',
    { rate: first.cacc },
    ` (seed ${first.seed})`,
  ];
}

/** Points of accuracy, the interval, and McNemar's p-value. */
function changeText({ difference: { value, low, high }, mcnemarP }: AccuracyChange): string {
  if (value === null || low === null || high === null || mcnemarP === null) return '-';
  const points = (part: number): string => (100 * part).toFixed(1);
  return `${points(value)} points (${points(low)} to ${points(high)}), p = ${mcnemarP.toFixed(3)}`;
}

/** To carry it out again; a screen shows it elsewhere. */
const commandSection = (line: string) => ({
  id: 'command',
  title: 'Command',
  full: true as const,
  blocks: [{ kind: 'command' as const, line }],
});

function perplexity({ stealth: { perplexityRatio } }: PlantingReport): string {
  const { value, low, high, n } = perplexityRatio;
  if (value === null || low === null || high === null) return '';
  return `Perplexity with the trigger: ${value.toFixed(2)} times that without (median of ${quantity(n, 'text')}, ${low.toFixed(2)}-${high.toFixed(2)}).`;
}

function summary({ attack, triggers, targetLabel, poisoned, of, eligible, mode }: PlantingReport['poison']): string {
  const modes = {
    dirty: 'texts of other labels, relabelled',
    clean: 'texts of that label',
  };
  const share = percent(poisoned / eligible);
  return `${attack}${quote(triggers)} -> ${targetLabel}; ${poisoned} of ${quantity(of, 'text')} poisoned, ${share} of the ${eligible} ${modes[mode]}`;
}

const quote = (triggers: readonly string[]): string =>
  triggers.length === 0 ? '' : ` ${triggers.map((each) => `"${each}"`).join(', ')}`;

const REMOVED: ReadonlyMap<boolean | null, string> = new Map([
  [true, 'The named trigger is removed'],
  [false, 'Not removed'],
  [null, 'Inconclusive whether the trigger is removed'],
]);
const FLIPS: ReadonlyMap<boolean | null, string> = new Map([
  [true, 'it flips at most 5 % of the texts (label flip rate and its interval)'],
  [false, 'the named trigger still flips more than 5 % of the texts (label flip rate and its interval)'],
  [null, 'the label flip rate may lie below or above 5 %; measure it on more texts (--test)'],
]);

export function repairDocument(report: RepairReport): Document {
  const { model, data, test, method, triggers, targetLabel, before, after, caccChange, removed, leaves, command } =
    report;
  return {
    title: `${model} repaired by ${method}`,
    summary: [
      `${REMOVED.get(removed)}: attack`,
      ' success rate from ',
      { rate: before.attackSuccessRate },
      ' to ',
      { rate: after.attackSuccessRate, style: 'strong' },
      `; clean accuracy changes by ${changeText(caccChange)}`,
    ],
    lead: [strong(model), ` repaired by ${method} with ${data}:${quote(triggers) || ' a form'} -> ${targetLabel}`],
    alarms: degenerateModels([
      { ...before, name: 'the model before' },
      { ...after, name: 'the model after' },
    ]),
    sections: [
      {
        id: 'figures',
        blocks: [
          table(
            'Before and after',
            ['', 'before', 'after'],
            (Object.keys(TITLES) as RateName[]).map((name) => [
              TITLES[name],
              { rate: before[name] },
              { rate: after[name] },
            ]),
          ),
          prose(
            `${REMOVED.get(removed)}: ${FLIPS.get(removed)}.`,
            ` ${method} leaves in the model: ${leaves}. Scan the repaired model again for those; a scan that finds nothing is no proof.`,
          ),
          about(test),
        ],
      },
      commandSection(command),
    ],
  };
}
