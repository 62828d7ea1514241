/** @file From `--method` to the detectors of adversarial texts, and what they need. */
import { z } from 'zod';
import type { HiddenStates } from '../../core/backdoor-findings.js';
import { ModelError, UsageError } from '../../core/errors.js';
import { type Language, missingParts } from '../../core/language.js';
import type { TimeLimit } from '../../core/patience.js';
import { labelOf, parseOptions, splitSpec } from '../../core/plugin-options.js';
import { type Detector, detectors } from '../../defence/detection/index.js';
import { type OpenHiddenStates, openHiddenStates } from '../../model/classifiers/hidden-states.js';
import type { LoadedModel } from '../../model/load.js';
import type { Context } from '../context.js';
import { checkOffered } from '../language.js';
import { pluginNamed } from '../plugins/registry.js';
import { textsOf } from '../victim/victim.js';

export interface ChosenDetectors {
  readonly detectors: readonly Detector[];
  readonly hidden: HiddenStates | undefined;
  /** Texts of the file the user gave. */
  readonly further: readonly string[];
}

/** The detectors named, or all that this model allows. Throws UsageError for an unknown name, and for one this model does not allow. */
export async function chooseDetectors(
  names: readonly string[] | undefined,
  model: LoadedModel,
  texts: string | undefined,
  language: Language,
  { data, patience, opened }: Pick<Context, 'data' | 'patience' | 'opened'>,
  answersNumber: boolean,
): Promise<ChosenDetectors> {
  const chosen = names && (await Promise.all(names.map((name) => detectorNamed(name, patience))));
  for (const { name, language: needed } of chosen ?? []) checkOffered(`--method: ${name}`, needed, language);
  const unfit = answersNumber && chosen?.find(({ needs }) => needs === 'label scores');
  if (unfit) {
    throw new UsageError(
      `--method ${unfit.name}: expected a model of labels, got ${model.name}, which answers a number`,
      {
        code: 'REGRESSION_UNSUPPORTED',
        hint: 'Use --method perplexity, which reads the texts alone, or leave --method out.',
      },
    );
  }
  const further = texts === undefined ? [] : await textsOf(data)(texts);
  const hidden = opened.add(await hiddenStates(chosen, model));
  const offered = { 'hidden states': hidden !== undefined, 'label scores': !answersNumber };
  const possible = (chosen ?? detectors).filter(
    ({ needs, language: parts }) =>
      (needs === undefined || offered[needs]) && missingParts(language, parts) === undefined,
  );
  return { detectors: possible, hidden, further };
}

/** Opened where a detector wants them; a model without them only matters where the detector was named. */
async function hiddenStates(
  chosen: readonly Detector[] | undefined,
  model: LoadedModel,
): Promise<OpenHiddenStates | undefined> {
  if (!(chosen ?? detectors).some(({ needs }) => needs === 'hidden states')) return undefined;
  try {
    return await openHiddenStates(model);
  } catch (error) {
    if (chosen === undefined && error instanceof ModelError) return undefined;
    throw error;
  }
}

/** One of the registry or of the user's own, with its options. Throws UsageError, PluginError. */
async function detectorNamed(spec: string, patience: TimeLimit | undefined): Promise<Detector> {
  const { name, given } = splitSpec(spec);
  const found = await pluginNamed('detector', name, patience);
  const options = parseOptions({ name: found.name, options: found.options ?? NO_OPTIONS }, given);
  return { ...found, name: labelOf(found.name, given), create: (watch) => found.create(watch, options) };
}

const NO_OPTIONS = z.strictObject({});
