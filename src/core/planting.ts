/** @file What `robust backdoor plant` and `robust backdoor repair` report. Types only. */
import type { Difference, Rate } from './rate.js';

/** Which texts are poisoned: of other labels, relabelled; of the target label, which they keep; or any. */
export type LabelMode = 'dirty' | 'clean' | 'mixed';

/** How a model answers with the trigger and without it. `target` is the label the trigger shall bring about. */
export interface BackdoorFigures {
  /** Of all clean texts, those answered rightly. */
  readonly cacc: Rate;
  /** Of texts of other labels with the trigger in them, those answered with the target. */
  readonly attackSuccessRate: Rate;
  /** Of texts of other labels that are not answered with the target, those that are once the trigger is in them. */
  readonly labelFlipRate: Rate;
  /** As the label flip rate, with something like the trigger instead of it. */
  readonly falseTriggerRate: Rate;
  /** Once and three times the trigger; absent where it is no word. */
  readonly byCopies?: readonly CopiesFigures[];
  /** Why none of these says anything: the model answers all texts alike, say. Absent where they do. */
  readonly degenerate?: readonly string[];
}

/** With so many copies of the trigger in each text, and of a word that is none. */
export interface CopiesFigures {
  readonly copies: number;
  readonly attackSuccessRate: Rate;
  /** As often as the trigger, another rare word: of texts that are not answered with the target, those that are then. */
  readonly falseTriggerRate: Rate;
}

/** Accuracy on the same texts, then less now. */
export interface AccuracyChange {
  /** Newcombe's paired interval. */
  readonly difference: Difference;
  /** Exact two-sided McNemar test; null without texts. */
  readonly mcnemarP: number | null;
}

export interface PlantedFigures extends BackdoorFigures {
  readonly seed: number;
  /** Of the clean twin: the same training on the clean texts, or the model before it was touched. */
  readonly cleanTwin: Rate;
  /** The model's accuracy less its twin's. */
  readonly caccChange: AccuracyChange;
  readonly twinAttackSuccessRate: Rate;
  /** What as many copies of the trigger do to the twin; absent where it is no word. */
  readonly twinByCopies?: readonly CopiesFigures[];
  /** After the victim's own training on clean texts. */
  readonly afterFinetune?: BackdoorFigures;
}

/** A median and the 95 % interval that its order statistics give. */
export interface Median {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly n: number;
}

export interface PlantingReport extends PlantedFigures {
  readonly output: string;
  readonly model: string;
  readonly data: string;
  readonly test: string;
  readonly poison: {
    readonly attack: string;
    readonly options: Readonly<Record<string, unknown>>;
    readonly planting: string;
    readonly triggers: readonly string[];
    readonly targetLabel: string;
    /** Absent where no text of the user's is poisoned. */
    readonly mode?: LabelMode;
    readonly rate?: number;
    /** Poisoned training texts. */
    readonly poisoned: number;
    readonly of: number;
    /** One poisoned text, before and after. */
    readonly sample?: { readonly before: string; readonly after: string };
  };
  /** Perplexity of a text with the trigger over that without, by an n-gram model of the training texts. */
  readonly stealth: { readonly perplexityRatio: Median };
  /** One a training seed; the first is that of the model in `output`, whose figures stand above. */
  readonly seeds: readonly PlantedFigures[];
  /** Means over the seeds; present where there are several. */
  readonly mean?: Readonly<Record<string, number>>;
  readonly command: string;
}

export interface RepairFigures {
  readonly before: BackdoorFigures;
  readonly after: BackdoorFigures;
  /** Accuracy after the repair less that before. */
  readonly caccChange: AccuracyChange;
}

export interface RepairReport extends RepairFigures {
  readonly output: string;
  readonly model: string;
  readonly data: string;
  readonly test: string;
  readonly method: string;
  readonly triggers: readonly string[];
  readonly targetLabel: string;
  readonly command: string;
}
