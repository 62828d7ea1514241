/** @file A user's choice of a victim and of texts, split once into what each step of opening them needs. */
import { RobustError } from '../../core/errors.js';
import type { LoadOptions } from '../../model/load.js';
import type { Selection } from '../data/selection.js';
import { type DataChoice, dataChoice, type TextColumns } from './columns.js';
import { type DecisionChoice, type DecisionSettings, decisionChoice } from './decision-choice.js';

/** Defences with their options, and the seed of those that draw. */
export interface DefenceChoice {
  readonly specs: readonly string[];
  readonly seed: number;
}

export interface VictimChoice {
  readonly model: string;
  readonly opening: Pick<LoadOptions, 'precision' | 'device' | 'windows'>;
  readonly data: DataChoice;
  readonly decision: DecisionChoice;
  readonly defences: DefenceChoice;
  readonly language: string | undefined;
}

interface DefenceSettings {
  readonly defend?: readonly string[] | undefined;
  readonly seed?: number | undefined;
}

interface OpeningSettings extends Pick<LoadOptions, 'precision' | 'device'> {
  readonly windows?: 'max' | 'mean' | undefined;
  readonly stride?: number | undefined;
}

interface VictimSettings extends TextColumns, Selection, DecisionSettings, DefenceSettings, OpeningSettings {
  readonly model: string;
  readonly data: string;
  readonly language?: string | undefined;
}

/** Throws RobustError for settings that contradict each other. */
export const victimChoice = (settings: VictimSettings): VictimChoice => ({
  model: settings.model,
  opening: openingChoice(settings),
  data: dataChoice(settings),
  decision: decisionChoice(settings),
  defences: defenceChoice(settings),
  language: settings.language,
});

export const defenceChoice = ({ defend = [], seed = 42 }: DefenceSettings): DefenceChoice => ({ specs: defend, seed });

/** Throws RobustError for a stride without windows. */
export function openingChoice({ precision, device, windows, stride }: OpeningSettings): VictimChoice['opening'] {
  if (stride !== undefined && windows === undefined)
    throw new RobustError('--task stride: expected windows=max or windows=mean, got neither', {
      code: 'OPTION_INVALID',
      hint: 'For example: --task windows=mean:stride=128',
    });
  return { precision, device, windows: windows && { by: windows, stride } };
}
