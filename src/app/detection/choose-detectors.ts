/** @file From `--method` to the detectors of adversarial texts, and what they need. */
import { openDataset } from '../../../datasets/index.js';
import type { HiddenStates } from '../../core/detection.js';
import { ModelError, UsageError } from '../../core/errors.js';
import { type Language, missingParts } from '../../core/language.js';
import { didYouMean } from '../../core/suggest.js';
import { type Detector, detectors } from '../../defence/detection/index.js';
import { type OpenHiddenStates, openHiddenStates } from '../../model/hidden-states.js';
import type { LoadedModel } from '../../model/load.js';
import { checkOffered } from '../language.js';

export interface ChosenDetectors {
  readonly detectors: readonly Detector[];
  readonly hidden: HiddenStates | undefined;
  /** Texts of the file the user gave. */
  readonly further: readonly string[];
  close(): Promise<void>;
}

/** Those named, or all that this model allows. Throws UsageError for an unknown name, and for one this model does not allow. */
export async function chooseDetectors(
  names: readonly string[] | undefined,
  model: LoadedModel,
  texts: string | undefined,
  language: Language,
): Promise<ChosenDetectors> {
  const chosen = names?.map((name) => {
    const found = detectors.find((each) => each.name === name);
    if (found !== undefined) {
      checkOffered(`--method: ${name}`, found.language, language);
      return found;
    }
    const known = detectors.map((each) => each.name);
    throw new UsageError(`--method: expected the name of a detector, got "${name}"`, {
      code: 'DETECTOR_NOT_FOUND',
      hint: `${didYouMean(name, known)} See robust list detectors.`,
    });
  });
  const further: string[] = [];
  if (texts !== undefined) for await (const { text } of (await openDataset(texts)).examples()) further.push(text);
  const hidden = await hiddenStates(chosen, model);
  const possible = (chosen ?? detectors).filter(
    (one) => (one.needs === undefined || hidden !== undefined) && missingParts(language, one.language) === undefined,
  );
  return { detectors: possible, hidden, further, close: async () => hidden?.close() };
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
