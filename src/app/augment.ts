/** @file Write perturbed copies of a data set. */
import {
  type GivenValues,
  nonEmptyText,
  pickSettings,
  type Settings,
  textList,
  wholeNumber,
} from '../config/setting.js';
import {
  attackSettings,
  columnSettings,
  dataSettings,
  languageSetting,
  pairSettings,
  seedSetting,
  selectionSettings,
  timeoutSetting,
} from '../config/settings/index.js';
import { keepPlaceholders } from '../constraints/placeholders.js';
import { protect } from '../constraints/words.js';
import { must, RobustError } from '../core/errors.js';
import { quantity } from '../core/figure-text.js';
import { writeStream } from '../files/write.js';
import { leftOutLines } from '../results/report/left-out.js';
import { augment as copiesOf } from '../run/augment.js';
import { withoutInside, withoutLanguage } from './attacks/applicable.js';
import { chooseAttacks } from './attacks/choose-attacks.js';
import { openGuessers } from './attacks/open-attacks.js';
import type { UseCaseHooks } from './context.js';
import { openData } from './data/open-data.js';
import { openLanguage } from './language.js';
import { checkWritable } from './runs/output-files.js';
import { formatOf } from './runs/row-file.js';
import { type UseCaseFunction, useCase } from './use-case.js';
import { dataChoice } from './victim/columns.js';

const NO_MODEL = 'needs the gradients of a model, and augment has none';

const { group: _data, ...ownLanguage } = languageSetting.language;
const { group: _, ...protectSetting } = attackSettings.protect;
const { group: __, ...placeholders } = attackSettings.placeholders;

export const augmentSettings = {
  data: dataSettings.data,
  ...pickSettings(columnSettings, 'textColumn', 'labelColumn', 'idColumn'),
  ...pairSettings,
  language: ownLanguage,
  suites: { ...attackSettings.suites, help: 'suite of attacks; repeat' },
  attacks: {
    ...attackSettings.attacks,
    help: 'one attack, or a file of yours; repeat [default: human-typos, unless --suite is given]',
  },
  numExamples: { ...dataSettings.numExamples, schema: wholeNumber(0).default(0) },
  ...selectionSettings,
  perExample: { schema: wholeNumber(1).default(1), help: 'maximum copies of each text by each attack' },
  protect: { ...protectSetting, schema: textList.optional() },
  placeholders,
  ...seedSetting,
  timeout: { ...timeoutSetting.timeout, help: 'time limit for one text of an attack of yours; 0: no limit' },
  output: {
    schema: nonEmptyText,
    char: 'o',
    required: true,
    value: 'file',
    help: 'file to write: .tsv, .csv or .jsonl',
  },
} as const satisfies Settings;

export interface AugmentOptions extends GivenValues<typeof augmentSettings>, UseCaseHooks {}

export interface AugmentResult {
  readonly output: string;
  readonly examples: number;
  readonly copies: number;
  readonly attacks: readonly string[];
  readonly seed: number;
}

/** Throws RobustError, OutputError. */
export const augment: UseCaseFunction<AugmentOptions, AugmentResult> = useCase({
  settings: augmentSettings,
  async run(choice, online) {
    const { output, numExamples, perExample, seed, suites, attacks: named } = choice;
    const context = online.with({ access: { ...choice, offline: true } });
    const format = formatOf(output, '--output', choice.textColumns);
    checkWritable(output);
    const { name, columns, selection } = dataChoice(choice);
    const language = await openLanguage(choice.language, context.patience, () =>
      openData(name, columns, context.data, { ...selection, numExamples: 0 }),
    );
    const chosen = await chooseAttacks(suites ?? [], named ?? (suites ? [] : ['human-typos']), {}, context.patience);
    const inside = withoutInside(
      chosen,
      NO_MODEL,
      ({ label }) =>
        new RobustError(`${label} ${NO_MODEL}`, {
          code: 'ATTACK_UNSUPPORTED',
          hint: 'Take an attack that needs scores: see robust list attacks.',
        }),
    );
    const fit = withoutLanguage(inside, language);
    for (const line of leftOutLines(fit.leftOut)) context.warn(line);
    const dataset = await openData(name, columns, context.data, selection);
    const { attacks } = await openGuessers(fit.attacks, context);
    const constraints = [
      ...(choice.protect === undefined ? [] : [protect(choice.protect)]),
      ...(choice.placeholders === 'edit' ? [] : [keepPlaceholders]),
    ];
    let copies = 0;
    async function* rows(): AsyncGenerator<string> {
      yield format.header;
      for await (const copy of copiesOf({ dataset, attacks, perExample, numExamples, seed, constraints, language })) {
        context.check('augmenting was interrupted');
        copies++;
        yield format.row({ ...copy, label: must(dataset.labels[copy.label]) });
      }
    }
    await writeStream(output, rows(), 'the copies');
    const examples = numExamples === 0 ? dataset.size : Math.min(numExamples, dataset.size);
    const wanted = examples * attacks.length * perExample;
    if (copies < wanted)
      context.warn(`${wanted - copies} of ${quantity(wanted, 'copy', 'copies')} had no rewrite of their own left`);
    return { output, examples, copies, attacks: attacks.map(({ label }) => label), seed };
  },
});
