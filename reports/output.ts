/** @file How a model's answers were read, in a line. */
import type { OutputReading } from '../src/core/output-reading.js';
import { percent } from './figures.js';

const APPLIED: Readonly<Record<OutputReading['activation'], string>> = {
  softmax: 'softmax of its scores',
  sigmoid: 'sigmoid of its scores',
  'log-softmax': 'powers of e of its scores',
  none: 'its scores as they are',
};
const WORD: Readonly<Record<OutputReading['decidedBy'], string>> = {
  manifest: 'as robust.json says',
  graph: 'as the graph says',
  config: 'as config.json says',
  decision: 'as labels that hold independently need it',
  values: 'judged by some of their values',
};

export const outputLine = (reading: OutputReading): string => {
  const { activation, normalised, decidedBy, windows, tags } = reading;
  const scores = `${APPLIED[activation]}${normalised ? ', divided by their sum' : ''}, ${WORD[decidedBy]}`;
  return `${tags === undefined ? scores : tagsLine(tags)}${windows === undefined ? '' : `; ${windowsLine(windows)}`}`;
};

const FOUND = {
  whole: 'an entity is found if a span of its type contains it and at most one more word on each side',
  cover: 'an entity is found if spans cover all its characters',
} as const;

const tagsLine = ({ aggregation, match, least, share }: NonNullable<OutputReading['tags']>): string =>
  [
    `spans by the aggregation "${aggregation}"${least > 0 ? `, from a score of ${least} on` : ''}`,
    FOUND[match],
    ...(share === undefined ? [] : [`a text is lost with ${percent(share)} of its entities`]),
  ].join('; ');

const windowsLine = ({ by, tokens, stride }: NonNullable<OutputReading['windows']>): string =>
  `long texts in windows of ${tokens} tokens, one every ${stride}, by the ${by} of their answers`;
