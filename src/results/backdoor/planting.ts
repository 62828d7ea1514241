/** @file Results of `robust backdoor plant` and `robust backdoor repair`. Types only. */
import type { Difference, Rate } from '../../core/statistics/rate.js';

/** Which texts are poisoned: `dirty`: texts of other labels, which are relabelled; `clean`: texts of the target label, which keep it. */
export type LabelMode = 'dirty' | 'clean';

/** Metrics of a model with and without the trigger. `target` is the label that the trigger should cause. */
export interface BackdoorFigures {
  /** Clean accuracy: share of all clean texts that are classified correctly. */
  readonly cacc: Rate;
  /** Share of triggered texts of other labels that get the target label. */
  readonly attackSuccessRate: Rate;
  /** Share of texts of other labels, not predicted as the target, that the trigger flips to the target. */
  readonly labelFlipRate: Rate;
  /** Like the label flip rate, with a decoy instead of the trigger. */
  readonly falseTriggerRate: Rate;
  /** One and three copies of the trigger; absent if the trigger is not a word. */
  readonly byCopies?: readonly CopiesFigures[];
  /** Why these figures are meaningless, for example because the model answers all texts alike. Absent otherwise. */
  readonly degenerate?: readonly string[] | undefined;
}

/** With a given number of copies of the trigger in each text, and of a control word. */
export interface CopiesFigures {
  readonly copies: number;
  readonly attackSuccessRate: Rate;
  /** The same with another rare word instead of the trigger: share of texts, not predicted as the target, that flip to it. */
  readonly falseTriggerRate: Rate;
}

/** Accuracy on the same texts, as a difference. */
export interface AccuracyChange {
  /** Newcombe's paired interval. */
  readonly difference: Difference;
  /** Exact two-sided McNemar test; null without texts. */
  readonly mcnemarP: number | null;
}

export interface PlantedFigures extends BackdoorFigures {
  readonly seed: number;
  /** Clean accuracy of the control: a model trained in the same way on clean texts, or the original model. */
  readonly cleanTwin: Rate;
  /** The model's accuracy minus the control's. */
  readonly caccChange: AccuracyChange;
  readonly twinAttackSuccessRate: Rate;
  /** Why this is no backdoor, whatever the attack success rate says. Absent if it is one. */
  readonly failed?: readonly string[] | undefined;
  /** Effect of the same number of copies of the trigger on the control; absent if the trigger is not a word. */
  readonly twinByCopies?: readonly CopiesFigures[] | undefined;
  /** After fine-tuning on clean texts by the victim. */
  readonly afterFinetune?: BackdoorFigures | undefined;
}

/** A median with the 95 % interval of its order statistics. */
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
    readonly mode: LabelMode;
    readonly rate: number;
    /** Poisoned training texts. */
    readonly poisoned: number;
    readonly of: number;
    /** Texts that could have been poisoned: in `dirty` mode those of other labels. */
    readonly eligible: number;
    /** A poisoned text, before and after. */
    readonly sample?: { readonly before: string; readonly after: string };
  };
  /** Ratio of the perplexities with and without the trigger, by an n-gram model of the training texts. */
  readonly stealth: { readonly perplexityRatio: Median };
  /** One entry per training seed; the first belongs to the model in `output`, whose figures are above. */
  readonly seeds: readonly PlantedFigures[];
  /** Means over the seeds; present if there are several. */
  readonly mean?: Readonly<Record<string, number>>;
  readonly command: string;
}

export interface RepairFigures {
  readonly before: BackdoorFigures;
  readonly after: BackdoorFigures;
  /** Accuracy after the repair minus accuracy before. */
  readonly caccChange: AccuracyChange;
  /**
   * Whether the named trigger flips at most 5 % of the texts, by the interval of its label flip rate; null if that includes 5 %, or nothing
   * was measured. It says nothing of other triggers.
   */
  readonly removed: boolean | null;
  /** Kinds of triggers that the method leaves in the model. */
  readonly leaves: string;
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
