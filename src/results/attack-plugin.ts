/** @file The plugin interface of an attack, with what it measures besides its success. Types only. */
import type { EvasionAttack, Plugin, TransformationPlugin } from '../core/plugin.js';
import type { Measure } from './measures/measure.js';

/** Readers who can still read the rewritten text. `decoder`: only readers who know, or find out, how to decode it. */
type Reader = 'person' | 'language model' | 'decoder';

export interface EvasionPlugin<O = unknown> extends Plugin<O> {
  readonly kind: 'evasion';
  readonly level: 'character' | 'word' | 'sentence' | 'embedding';
  /** Access to the victim. `labels`: it tries edits until the goal is reached; `scores`: it follows rising scores. */
  readonly needs: 'labels' | 'scores' | 'gradients';
  /** Present if a success is something other than a flipped prediction. */
  readonly ownGoal?: true;
  /**
   * It queries texts that are not rewrites of one example. Such an attack is left out for pairs, because the other text would be missing.
   */
  readonly ownTexts?: true;
  /** Who can still read the whole text; present on attacks that keep it readable. */
  readonly readers?: readonly Reader[];
  /** For models that tag: entities get other forms or values on purpose, so their words need not stay recognisable. */
  readonly otherEntities?: true;
  /** Additional measurements besides its success. */
  readonly measures?: readonly Measure[];
  /** The edits that it makes, which recipes may also use. */
  readonly transformation?: TransformationPlugin;
  create(options: O): EvasionAttack;
}
