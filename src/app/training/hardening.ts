/** @file The comparison adversarial training ends with: untouched, control and hardened models under the same attacks. */
import { join } from 'node:path';
import type { GivenValues } from '../../config/setting.js';
import { attackSettings } from '../../config/settings/index.js';
import type { Dataset } from '../../core/dataset.js';
import { must } from '../../core/errors.js';
import type { TimeLimit } from '../../core/patience.js';
import { inCodePoints } from '../../core/tags/code-points.js';
import { PRIVATE, writeStream } from '../../files/write.js';
import type { Comparison } from '../../results/comparison/comparison.js';
import {
  gainsOf,
  type HardeningReport,
  type SeedComparison,
  type SeedTexts,
} from '../../results/comparison/hardening.js';
import { compareRuns, type PlannedAttack, pairedAnswers, type RunFolder } from '../../run/index.js';
import type { AdversarialMethod } from '../../train/index.js';
import { chooseAttacks } from '../attacks/choose-attacks.js';
import { type Context, withDefaults } from '../context.js';
import { formatOf } from '../runs/row-file.js';
import { runAttacks } from '../runs/run-attacks.js';
import { attacksNamed } from './rewriter.js';
import type { TrainChoice } from './train-plan.js';

/** Models of one seed, by folder. */
export interface TrainedModel {
  readonly seed: number;
  readonly hardened: string;
  readonly control: string;
}

/** Attacks on texts, of words and of characters: what anybody who sends text can do. */
const ON_TEXTS = ['synonym', 'deepwordbug'];

/** The attacks that the user chose, or those that the methods harden against; of methods on embeddings, attacks on texts too. Throws RobustError. */
export async function comparedAttacks(
  { suites, attacks }: Pick<TrainChoice, 'suites' | 'attacks'>,
  methods: readonly AdversarialMethod[],
  patience: TimeLimit,
  warn: (line: string) => void,
): Promise<PlannedAttack[]> {
  if (suites || attacks) {
    const chosen = await chooseAttacks(suites ?? [], attacks ?? [], {}, patience);
    if (!chosen.some(onTexts))
      warn(
        `no attack on texts is compared: nobody who only sends text can run ${must(chosen[0]).label}; add -a ${ON_TEXTS[1]}`,
      );
    return chosen;
  }
  const planned = async (names: readonly string[]) =>
    (await Promise.all(names.map((name) => attacksNamed(name, patience)))).flat();
  const against = await planned(methods.flatMap((method) => method.against));
  const all = against.some(onTexts) ? against : [...against, ...(await planned(ON_TEXTS))];
  // Nobody asked for one of them: an attack that the language does not offer is left out.
  return all
    .filter(({ label }, at) => all.findIndex((each) => each.label === label) === at)
    .map((attack) => ({ ...attack, named: false }));
}

const onTexts = ({ plugin }: PlannedAttack): boolean => plugin.level !== 'embedding';

/** The texts to compare on, as `--data` names them; validation texts that were held out are written beside the training's record. */
export async function comparedTexts(
  flags: TrainChoice,
  folder: string,
  validation: Dataset,
): Promise<Partial<TrainChoice>> {
  const own = flags.test ?? flags.validation;
  if (own !== undefined) return { data: [own] };
  if (validation.tagged) return heldOutTags(folder, validation);
  const path = join(folder, 'held-out.tsv');
  const format = formatOf(path, '--output', flags.textColumns);
  async function* rows(): AsyncGenerator<string> {
    yield format.header;
    const name = (label: number) => must(validation.labels[label]);
    for await (const { label, labels, value, ...example } of validation.examples()) {
      const written = value !== undefined ? String(value) : labels ? JSON.stringify(labels.map(name)) : name(label);
      yield format.row({ ...example, label: written, attack: '' });
    }
  }
  await writeStream(path, rows(), 'the texts to compare on', PRIVATE);
  // By name: the robust.json of the model names the columns of the training data.
  const textColumn = flags.textColumns === undefined ? 'text' : undefined;
  return { data: [path], textColumn, labelColumn: 'label', idColumn: undefined, labelMap: undefined };
}

/** Texts with the places of their entities in code points. */
async function heldOutTags(folder: string, validation: Dataset): Promise<Partial<TrainChoice>> {
  const path = join(folder, 'held-out.jsonl');
  async function* rows(): AsyncGenerator<string> {
    for await (const { text, entities = [] } of validation.examples()) {
      yield `${JSON.stringify({ text, spans: inCodePoints(text, entities) })}\n`;
    }
  }
  await writeStream(path, rows(), 'the texts to compare on', PRIVATE);
  return { data: [path], textColumn: 'text', labelColumn: 'spans', idColumn: undefined, labelMap: undefined };
}

/** Settings that training and attack share: columns, language, ... */
const alike = ({ data: _, ...choice }: TrainChoice): GivenValues<typeof attackSettings> =>
  Object.fromEntries(Object.entries(choice).filter(([name]) => name in attackSettings));

/** Attacks the models of each seed, and the untouched one, with that seed; keeps each run in .robust/runs, and takes from there what was attacked alike. */
export async function hardening(
  trained: readonly TrainedModel[],
  choice: TrainChoice,
  attacks: readonly PlannedAttack[],
  context: Context,
): Promise<Pick<HardeningReport, 'data' | 'seeds' | 'gains'>> {
  const seeds: SeedComparison[] = [];
  const texts: SeedTexts[] = [];
  let last: RunFolder | undefined;
  for (const { seed, hardened, control } of trained) {
    const run = async (model: string): Promise<RunFolder> => {
      context.hooks.onNote?.(`${model}, seed ${seed}: ${attacks.map(({ label }) => label).join(', ')}`);
      const attacking = withDefaults(attackSettings, {
        ...alike(choice),
        model,
        seed,
        data: choice.data?.[0] as string,
        force: true,
        // Replayed by the run's record.
        attacks: choice.suites || choice.attacks ? choice.attacks : attacks.map(({ label }) => label),
      });
      return (await context.scope((scope) => runAttacks(attacking, attacks, scope, { reuse: true }))).folder;
    };
    const ofHardened = await run(hardened);
    const ofControl = await run(control);
    const untouched = choice.model === undefined ? undefined : await run(choice.model);
    const named = async (a: RunFolder, nameA: string, b: RunFolder, nameB: string): Promise<Comparison> => {
      const { models, ...rest } = await compareRuns(a, b);
      return {
        models: [
          { ...models[0], name: nameA },
          { ...models[1], name: nameB },
        ],
        ...rest,
      };
    };
    seeds.push({
      seed,
      hardened,
      control,
      ...(untouched && {
        gain: await named(untouched, must(choice.model), ofHardened, hardened),
        drift: await named(untouched, must(choice.model), ofControl, control),
      }),
      beyond: await named(ofControl, control, ofHardened, hardened),
    });
    if (trained.length > 1)
      texts.push({
        ...(untouched && { gain: await pairedAnswers(untouched, ofHardened) }),
        beyond: await pairedAnswers(ofControl, ofHardened),
      });
    last = ofHardened;
  }
  const { data, clean } = must(last).record;
  return {
    data: { name: data.name, sha256: data.sha256, examples: clean?.examples ?? 0 },
    seeds,
    gains: gainsOf(seeds, texts),
  };
}
