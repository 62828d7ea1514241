/** @file Can the adversarial texts of a run be distinguished from ordinary ones? */

import { fraction, type GivenValues, nonEmptyText, type Settings, textList } from '../config/setting.js';
import { attackSettings, offlineSetting, seedSetting, speedSettings } from '../config/settings/index.js';
import { defined } from '../core/defined.js';
import { UsageError } from '../core/errors.js';
import { quantity } from '../core/figure-text.js';
import { random } from '../core/random.js';
import { distinctBy, textKey } from '../core/text-census.js';
import { judgeDetectors } from '../defence/detection/index.js';
import { openRun, type RunFolder, type RunTexts, readReport, textsOf } from '../run/index.js';
import { type UseCaseHooks, withDefaults } from './context.js';
import { chooseDetectors } from './detection/choose-detectors.js';
import { stopwatch } from './progress.js';
import { recordedSettings } from './runs/recorded-settings.js';
import { RUNS } from './runs/runs.js';
import { type UseCaseFunction, useCase } from './use-case.js';
import { victimChoice } from './victim/choice.js';
import { answeringClassifier, openVictim } from './victim/victim.js';

/** Different clean texts of each kind (learnt from, setting the threshold, testing) below which nothing can be said. */
const MIN_CLEAN_TEXTS = 10;
/** Different adversarial texts of an attack below which no detector can be judged by them. */
const MIN_ADVERSARIAL_TEXTS = 10;

export const detectSettings = {
  method: {
    schema: textList.optional(),
    names: 'detectors',
    help: 'detector by name; see robust list detectors; repeat [default: all that the model allows]',
  },
  frr: { schema: fraction.default(0.05), help: 'share of clean texts that may be flagged' },
  texts: { schema: nonEmptyText.optional(), value: 'file', help: 'further clean texts to learn from' },
  seed: { ...seedSetting.seed, help: 'random seed of the division into thirds' },
  offline: { ...offlineSetting.offline, help: 'never use the network' },
  ...speedSettings,
} as const satisfies Settings;

export interface DetectOptions extends GivenValues<typeof detectSettings>, UseCaseHooks {
  /** Id or folder of a finished attack. @default 'latest' */
  readonly run?: string | undefined;
}

export interface DetectResult {
  /** Id of the run. */
  readonly run: string;
  readonly model: string;
  /** Share of clean texts that may be taken for adversarial. */
  readonly wantedFrr: number;
  readonly seed: number;
  /** Different clean texts of each kind. */
  readonly clean: { readonly learnt: number; readonly calibration: number; readonly test: number };
  readonly detectors: Awaited<ReturnType<typeof judgeDetectors>>;
  /** Inconclusive where the figures are not evidence; else nothing is judged. */
  readonly verdict: 'inconclusive' | 'none';
  /** Why it is inconclusive. */
  readonly reasons: readonly string[];
}

/** Throws UsageError NOTHING_TO_DETECT for a run without enough texts, and what opening its model throws. */
export const detect: UseCaseFunction<DetectOptions, DetectResult> = useCase({
  settings: detectSettings,
  others: ['run'],
  async run(choice, context, { run: named = 'latest' }) {
    const folder = await openRun(RUNS, named);
    const { clean, adversarial, reasons } = await evidenceOf(folder);
    const { model: attacked } = folder.record;
    const what = { what: `run ${folder.id}`, again: `attack --resume ${folder.id}` };
    const wanted = withDefaults(attackSettings, await recordedSettings(attackSettings, folder.record, {}, what));
    const victim = await openVictim(victimChoice(wanted), context);
    const { classifier, name, sha256 } = answeringClassifier(victim);
    if (sha256 !== attacked.sha256) throw otherModel(folder.id, wanted.model, attacked.sha256, sha256);
    const shuffled = random(choice.seed, 'detect').shuffle(clean);
    const third = Math.floor(shuffled.length / 3);
    const part = (at: number): string[] => shuffled.slice(at * third, (at + 1) * third);
    const [learnt, calibration, test] = [part(0), part(1), part(2)];
    const {
      detectors,
      hidden,
      further: given,
    } = await chooseDetectors(
      choice.method,
      victim.model,
      choice.texts,
      victim.language,
      context,
      attacked.decision?.kind === 'regression',
    );
    const further = unseenTexts(given, [...calibration, ...test, ...[...adversarial.values()].flat()]);
    if (further.length < given.length) {
      context.warn(
        `--texts: ${given.length - further.length} of ${quantity(given.length, 'text')} are left out, because the detectors are tested on them`,
      );
    }
    const seconds = stopwatch();
    const found = await judgeDetectors(
      {
        detectors,
        watch: {
          victim: classifier,
          language: victim.language,
          clean: [...learnt, ...further],
          vocabulary: victim.model.onnx?.encoder.words() ?? [],
          ...defined({ hidden }),
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
      verdict: reasons.length > 0 ? ('inconclusive' as const) : ('none' as const),
      reasons,
    };
  },
});

/** The different texts of a finished run, and why they may be too few. Throws UsageError NOTHING_TO_DETECT. */
async function evidenceOf(folder: RunFolder): Promise<RunTexts & { readonly reasons: readonly string[] }> {
  const { clean, adversarial } = differentTexts(await textsOf(folder));
  const { status } = folder.record;
  if (status !== 'done' || adversarial.size === 0 || clean.length < 3 * MIN_CLEAN_TEXTS) {
    const texts = adversarial.size === 0 ? 'no adversarial text' : `${clean.length} different texts`;
    throw new UsageError(
      `expected a finished run with adversarial texts and at least ${3 * MIN_CLEAN_TEXTS} different texts that the model classified correctly, got ${status === 'done' ? texts : 'an unfinished run'} in ${folder.id}`,
      { code: 'NOTHING_TO_DETECT', hint: 'Run robust attack first, on more examples.' },
    );
  }
  return {
    clean,
    adversarial,
    reasons: [...((await readReport(folder)).reasons ?? []), ...fewAdversarial(adversarial)],
  };
}

/** Copies would be learnt from, and tested on: each text once. */
const differentTexts = ({ clean, adversarial }: RunTexts): RunTexts => ({
  clean: distinctBy(clean, (text) => text),
  adversarial: new Map([...adversarial].map(([name, texts]) => [name, distinctBy(texts, (text) => text)])),
});

/** Why no attack has adversarial texts enough; an attack with few is judged beside one with enough. */
function fewAdversarial(adversarial: RunTexts['adversarial']): string[] {
  const counts = [...adversarial].map(([name, { length }]) => `${length} of ${name}`);
  const enough = [...adversarial.values()].some(({ length }) => length >= MIN_ADVERSARIAL_TEXTS);
  return enough
    ? []
    : [`too few different adversarial texts (${counts.join(', ')}), expected at least ${MIN_ADVERSARIAL_TEXTS}`];
}

/** The texts that differ from all others. */
function unseenTexts(texts: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others.map(textKey));
  return texts.filter((text) => !known.has(textKey(text)));
}

const otherModel = (run: string, spec: string, then: string, now: string): UsageError =>
  new UsageError(
    `${spec}: expected the model that run ${run} attacked (sha256 ${then.slice(0, 12)}...), got another (${now.slice(0, 12)}...)`,
    {
      code: 'DETECT_MISMATCH',
      hint: 'Restore the model of the run, or attack the one that is there now: robust attack.',
    },
  );
