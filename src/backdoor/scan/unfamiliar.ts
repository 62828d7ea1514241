/** @file Models for which the threshold of the score was not chosen. */
import type { WhiteBox } from '../../core/classifier.js';

/** A scanned model: its network's type in its configuration, and its gradients. */
interface ScannedModel {
  readonly architecture?: string | undefined;
  readonly gradients?: WhiteBox | undefined;
}

/** Architectures of the models that chose the threshold: bench/backdoor-zoo. */
const KNOWN = ['bert', 'bilstm', 'distilbert', 'word-cnn'];

/** Why the usual scores of such a model are not known; empty if they are. */
export function unfamiliar({ architecture, gradients }: ScannedModel): string[] {
  if (gradients === undefined) {
    return [
      'scanned as a black box, with words of the dictionary and of the texts: its own vocabulary was not searched, and what scores are usual so is not known',
    ];
  }
  if (architecture !== undefined && KNOWN.includes(architecture)) return [];
  return [
    `the verdict is calibrated on ${KNOWN.join(', ')}, and this is ${architecture === undefined ? 'of unknown architecture' : `"${architecture}"`}: its own words may be as strong as a planted one`,
  ];
}
