/** @file Interface of a planting: a way to plant a backdoor in a model. */
import type { Classifier } from '../../core/classifier.js';
import type { Dataset } from '../../core/dataset.js';
import type { Poisoner } from '../../core/poisoner.js';
import type { ExistingStart, TrainingOptions } from '../../train/index.js';
import type { PoisonedData, PoisonPlan } from '../poison.js';
import type { Pieces } from '../trigger-check.js';

/** A poisoner and the options that made it. */
export interface ChosenPoisoner {
  readonly name: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly poisoner: Poisoner;
}

/** The model in which a backdoor is planted, and the texts that it learns. */
export interface PlantingVictim {
  readonly start: ExistingStart;
  readonly pieces: Pieces;
  /** The clean training texts. */
  readonly train: Dataset;
  /** Index of the label that the trigger brings about. */
  readonly label: number;
  /** Opens the untouched model. */
  open(): Promise<Classifier & { close(): Promise<void> }>;
  /** The same poisoner with other triggers; absent if the user chose them. */
  readonly replaceTriggers?: ((triggers: readonly string[]) => Promise<ChosenPoisoner>) | undefined;
}

/** The trigger, and the part of the model that learns it. */
export interface SettledTrigger {
  readonly chosen: ChosenPoisoner;
  readonly part: ExistingStart['part'];
  readonly warnings: readonly string[];
}

export interface Planting {
  /** The clean model for comparison: one trained on the clean texts, or the model before the planting. */
  readonly control: 'trained' | 'untouched';
  /** Settles the trigger before anything is written. Throws RobustError, ModelError. */
  settle(chosen: ChosenPoisoner, victim: PlantingVictim): Promise<SettledTrigger>;
  /** The texts that the model learns. Throws RobustError. */
  trainingTexts(clean: Dataset, plan: PoisonPlan): Promise<PoisonedData>;
  /** The texts that choose which weights to keep. Throws RobustError. */
  validationTexts(validation: Dataset, plan: PoisonPlan): Promise<Dataset>;
  /** The options of the training, given those of the user. */
  trainingOptions(options: TrainingOptions): TrainingOptions;
}
