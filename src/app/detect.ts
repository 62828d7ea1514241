/** @file Can the adversarial texts of a run be told from ordinary ones? */
import { fraction, type GivenValues, nonEmptyText, type Settings, textList } from '../config/setting.js';
import { attackSettings, offlineSetting, seedSetting, speedSettings } from '../config/settings/index.js';
import { UsageError } from '../core/errors.js';
import { random } from '../core/random.js';
import { judgeDetectors } from '../defence/detection/index.js';
import { openRun, textsOf } from '../run/index.js';
import { valuesOfRecord } from './command-line.js';
import { Context, type UseCaseHooks, withDefaults } from './context.js';
import { chooseDetectors } from './detection/choose-detectors.js';
import { stopwatch } from './progress.js';
import { RUNS } from './runs/runs.js';
import { answeringClassifier, openVictim } from './victim/victim.js';

/** Clean texts of each kind (learnt from, setting the threshold, testing) below which nothing can be said. */
const MIN_CLEAN_TEXTS = 10;

export const detectSettings = {
  method: {
    schema: textList.optional(),
    help: 'a detector by name (robust list detectors); repeat [default: all that the model allows]',
  },
  frr: { schema: fraction.default(0.05), help: 'share of clean texts that may be taken for adversarial' },
  texts: { schema: nonEmptyText.optional(), value: 'file', help: 'further ordinary texts to learn from' },
  seed: { ...seedSetting.seed, help: 'of the division into thirds' },
  offline: { ...offlineSetting.offline, help: 'never use the network' },
  ...speedSettings,
} as const satisfies Settings;

export interface DetectOptions extends GivenValues<typeof detectSettings>, UseCaseHooks {
  /** Id or folder of a finished attack. @default 'latest' */
  readonly run?: string | undefined;
}

/** Throws UsageError NOTHING_TO_DETECT for a run without enough texts, and what opening its model throws. */
export async function detect({ run: named = 'latest', ...options }: DetectOptions = {}) {
  const choice = withDefaults(detectSettings, options);
  const context = new Context(options, choice);
  const folder = await openRun(RUNS, named);
  const { clean, adversarial } = await textsOf(folder);
  const { settings, status } = folder.record;
  if (status !== 'done' || adversarial.size === 0 || clean.length < 3 * MIN_CLEAN_TEXTS) {
    const texts = adversarial.size === 0 ? 'no adversarial text' : `${clean.length} texts`;
    throw new UsageError(
      `expected a finished run with adversarial texts and at least ${3 * MIN_CLEAN_TEXTS} texts read right, got ${status === 'done' ? texts : 'an unfinished run'} in ${folder.id}`,
      { code: 'NOTHING_TO_DETECT', hint: 'Run robust attack first, on more examples.' },
    );
  }
  const wanted = withDefaults(attackSettings, { ...valuesOfRecord(attackSettings, settings), workers: choice.workers });
  const victim = await openVictim(wanted, context.loading(wanted.model));
  try {
    const { classifier, name } = answeringClassifier(victim);
    const shuffled = random(choice.seed, 'detect').shuffle(clean);
    const third = Math.floor(shuffled.length / 3);
    const part = (at: number): string[] => shuffled.slice(at * third, (at + 1) * third);
    const [learnt, calibration, test] = [part(0), part(1), part(2)];
    const { detectors, hidden, further, close } = await chooseDetectors(
      choice.method,
      victim.model,
      choice.texts,
      victim.language,
      context.data,
    );
    try {
      const seconds = stopwatch();
      const found = await judgeDetectors(
        {
          detectors,
          watch: {
            victim: classifier,
            language: victim.language,
            clean: [...learnt, ...further],
            vocabulary: victim.model.onnx?.encoder.words() ?? [],
            ...(hidden && { hidden }),
          },
          calibration,
          test,
          adversarial,
          wantedFrr: choice.frr,
        },
        (title) => {
          context.check('detecting was interrupted');
          context.run.work({ title, words: '', done: 0, total: undefined, seconds: seconds() });
        },
      );
      return {
        run: folder.id,
        model: name,
        wantedFrr: choice.frr,
        seed: choice.seed,
        clean: { learnt: learnt.length + further.length, calibration: calibration.length, test: test.length },
        detectors: found,
      };
    } finally {
      await close();
    }
  } finally {
    await victim.model.close();
  }
}

export type DetectResult = Awaited<ReturnType<typeof detect>>;
