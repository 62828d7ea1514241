/** @file What reports say of a model of label sets. */
import type { MultiLabelRule } from '../../core/decision.js';
import { RATES_OF_LABELS } from '../one-label/words.js';
import type { RateWords, Words } from '../task.js';
import { deciding } from './decide.js';

function rates(_: MultiLabelRule, goal: string, labels: readonly string[]): RateWords {
  const one = labels[Number(/^label-lost of label (\d+)/.exec(goal)?.[1] ?? -1)];
  if (one !== undefined) {
    return {
      original: { label: 'Original recall', about: `share of the texts labelled ${one} in which it is found` },
      underAttack: {
        label: 'Recall under attack',
        about: `share of the texts labelled ${one} in which it is still found`,
      },
    };
  }
  if (goal.startsWith('label-lost')) {
    return {
      original: { label: 'True label found', about: 'share of the labelled texts in which a true label is found' },
      underAttack: {
        label: 'Found labels kept',
        about: 'share of the labelled texts in which a true label is found and none of them is lost under attack',
      },
    };
  }
  if (goal.startsWith('label-gained')) {
    return {
      original: { label: 'Texts that can gain a label' },
      underAttack: { label: 'Texts that gain no label', about: 'of those that can gain one, under attack' },
    };
  }
  if (goal === '') return RATES_OF_LABELS;
  return {
    original: { label: 'Sets correct', about: 'share of the texts for which the set of labels is correct' },
    underAttack: { label: 'Sets correct under attack' },
  };
}

export const words: Words<MultiLabelRule> = {
  rates,
  accuracy: () => 'sets correct',
  each: 'any number of labels for each text',
  answers: deciding.text,
};
