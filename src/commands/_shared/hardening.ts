/** @file The comparison adversarial training ends with: untouched, control and hardened models under the same attacks. */
import { join } from 'node:path';
import type { Comparison } from '../../core/comparison.js';
import type { Dataset } from '../../core/dataset.js';
import { gainsOf, type HardeningReport, type SeedComparison } from '../../core/hardening.js';
import { writeStream } from '../../files/write.js';
import type { LoadOptions } from '../../model/load.js';
import { compareRuns, type PlannedAttack, type RunFolder, type RunHooks } from '../../run/index.js';
import type { AdversarialMethod } from '../../train/index.js';
import { MAX_ERROR_RATE } from './attack-plan.js';
import { attacked } from './attacked.js';
import { chooseAttacks } from './choose-attacks.js';
import { attacksNamed } from './rewriter.js';
import { formatOf } from './row-file.js';
import type { TrainFlags } from './train-plan.js';

/** Models of one seed, by folder. */
export interface Trained {
  readonly seed: number;
  readonly hardened: string;
  readonly control: string;
}

/** Texts attacked at once. */
const CONCURRENCY = 64;

/** The attacks asked for, or those the methods are meant to withstand. Throws PluginError, UsageError. */
export async function comparedAttacks(
  { suite, attack }: Pick<TrainFlags, 'suite' | 'attack'>,
  methods: readonly AdversarialMethod[],
): Promise<PlannedAttack[]> {
  if (suite || attack) return chooseAttacks(suite ?? [], attack ?? []);
  const all = (await Promise.all(methods.map(matching))).flat();
  return all.filter(({ label }, at) => all.findIndex((each) => each.label === label) === at);
}

/** What a method is meant against, at the size it trains with. */
function matching(method: AdversarialMethod): Promise<PlannedAttack[]> {
  if (method.kind === 'augment') return attacksNamed(method.attacks);
  if (method.kind === 'hotflip') return chooseAttacks([], ['hotflip']);
  if (!('epsilon' in method)) return chooseAttacks(['synonyms'], []);
  const { epsilon } = method;
  const norm = method.kind === 'freelb' ? 'l2' : method.norm;
  const one = norm === 'l2' ? 'fgm' : 'fgsm';
  return chooseAttacks([], [`${one}:epsilon=${epsilon}`, `pgd:epsilon=${epsilon}${norm === 'l2' ? ':norm=l2' : ''}`]);
}

/** The texts to compare on, as `--data` names them; validation texts that were held out are written beside the training's record. */
export async function comparedTexts(
  flags: TrainFlags,
  folder: string,
  validation: Dataset,
): Promise<Partial<TrainFlags>> {
  const own = flags.test ?? flags.validation;
  if (own !== undefined) return { data: [own] };
  const path = join(folder, 'held-out.tsv');
  const format = formatOf(path, '--output');
  async function* rows(): AsyncGenerator<string> {
    yield format.header;
    for await (const { id, text, label } of validation.examples()) {
      yield format.row({ id, text, label: validation.labels[label] as string, attack: '' });
    }
  }
  await writeStream(path, rows(), 'the texts to compare on');
  return {
    data: [path],
    'text-column': undefined,
    'label-column': undefined,
    'id-column': undefined,
    'label-map': undefined,
  };
}

/** Attacks the models of each seed, and the untouched one, with that seed; keeps each run in .robust/runs. */
export async function hardening(
  trained: readonly Trained[],
  flags: TrainFlags,
  attacks: readonly PlannedAttack[],
  loading: (spec: string) => Promise<LoadOptions>,
  toolVersion: string,
  hooks: RunHooks & { told(text: string): void },
): Promise<Pick<HardeningReport, 'data' | 'seeds' | 'gains'>> {
  const seeds: SeedComparison[] = [];
  let last: RunFolder | undefined;
  for (const { seed, hardened, control } of trained) {
    const run = async (model: string): Promise<RunFolder> => {
      hooks.told(`${model}, seed ${seed}: ${attacks.map(({ label }) => label).join(', ')}`);
      const choice = {
        ...flags,
        model,
        data: flags.data?.[0] as string,
        // What the run's record replays.
        ...(flags.suite || flags.attack ? {} : { attack: attacks.map(({ label }) => label) }),
        seed,
        workers: undefined,
        concurrency: CONCURRENCY,
        'max-error-rate': MAX_ERROR_RATE,
        'query-budget': undefined,
        'run-budget': undefined,
        protect: undefined,
        target: undefined,
        force: true,
      };
      const done = await attacked(choice, attacks, { loading, toolVersion }, hooks);
      await done.model.close();
      return done.folder;
    };
    const ofHardened = await run(hardened);
    const ofControl = await run(control);
    const untouched = flags.model === undefined ? undefined : await run(flags.model);
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
        gain: await named(untouched, flags.model as string, ofHardened, hardened),
        drift: await named(untouched, flags.model as string, ofControl, control),
      }),
      beyond: await named(ofControl, control, ofHardened, hardened),
    });
    last = ofHardened;
  }
  const { data, clean } = (last as RunFolder).record;
  return {
    data: { name: data.name, sha256: data.sha256, examples: clean?.examples ?? 0 },
    seeds,
    gains: gainsOf(seeds),
  };
}
