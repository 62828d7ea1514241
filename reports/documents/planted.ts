/** @file What a planted backdoor does, and what a repair takes of it. */
import {
  type BackdoorFigures,
  type Block,
  type Document,
  degenerateModels,
  type Inline,
  note,
  type PlantedFigures,
  type PlantingReport,
  prose,
  type Rate,
  type RepairReport,
  strong,
  table,
} from '../../src/plugin.js';
import { percent } from '../figures.js';

type RateName = Exclude<keyof BackdoorFigures, 'degenerate'>;

/** What each figure is called, in every table. */
const TITLES: Readonly<Record<RateName, string>> = {
  cacc: 'Clean accuracy (CACC)',
  attackSuccessRate: 'Attack success rate',
  labelFlipRate: 'Label flip rate',
  falseTriggerRate: 'False trigger rate',
};

const ABOUT =
  'Attack success rate: texts of other labels with the trigger that are answered with the target. Label flip rate: of those not answered with it anyway, what the trigger turns; false trigger rate: what something like the trigger turns.';

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
  return {
    title: `A backdoor in ${model}`,
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
              own('attackSuccessRate'),
              row('... of the clean twin', 'twinAttackSuccessRate', (figures) => figures.twinAttackSuccessRate),
              own('labelFlipRate'),
              own('falseTriggerRate'),
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
  return `Perplexity with the trigger: ${value.toFixed(2)} times that without (median of ${n} texts, ${low.toFixed(2)}-${high.toFixed(2)}).`;
}

function summary({ attack, triggers, targetLabel, poisoned, of, mode }: PlantingReport['poison']): string {
  const modes = {
    dirty: 'relabelled texts of other labels',
    clean: 'texts of that label',
    mixed: 'texts of any label',
  };
  const texts =
    mode === undefined ? `${poisoned} texts from elsewhere` : `${poisoned} of ${of} texts poisoned, ${modes[mode]}`;
  return `${attack}${quoted(triggers)} -> ${targetLabel}; ${texts}`;
}

const quoted = (triggers: readonly string[]): string =>
  triggers.length === 0 ? '' : ` ${triggers.map((each) => `"${each}"`).join(', ')}`;

export function repairDocument(report: RepairReport): Document {
  const { model, data, test, method, triggers, targetLabel, before, after, command } = report;
  return {
    title: `${model} repaired by ${method}`,
    lead: [strong(model), ` repaired by ${method} with ${data}:${quoted(triggers) || ' a form'} -> ${targetLabel}`],
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
          about(test),
        ],
      },
      commandSection(command),
    ],
  };
}
