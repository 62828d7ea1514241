/** @file What cards of models and of guards say alike. */
import { quantity } from '../../src/core/figure-text.js';
import type { StandingCard } from '../../src/results/card/card.js';
import type { GuardCard } from '../../src/results/card/guard-card.js';
import { type Curves, curvesOfModel } from '../../src/results/measures/curves.js';
import { code, type Inline, type Section, strong } from '../../src/results/report/document.js';
import { modelTitle } from '../../src/results/report/model-title.js';
import { provenanceSection } from './provenance.js';

type Card = StandingCard | GuardCard;
type Facts = readonly (readonly [Inline, Inline])[];

export const cardLead = ({ model, data, seed }: Card): Inline => [
  strong(modelTitle(model)),
  ' on ',
  strong(data.name),
  `, ${quantity(data.examples, 'example')}, seed ${seed}`,
  model.defence === undefined ? '' : `. Defended: ${model.defence}`,
];

export function cardCurves(of: readonly { readonly name: string; readonly curves?: Curves | undefined }[]): Section[] {
  const found = of.flatMap(({ name, curves }) => (curves === undefined ? [] : [{ attack: name, value: curves }]));
  return found.length === 0 ? [] : [curvesOfModel(found)];
}

/** `point` stands below the model, `runs` below the run. */
export const cardProvenance = (
  { model, data, seed, toolVersion, run, replay }: Card,
  suite: string,
  { point = [], runs = [] }: { readonly point?: Facts; readonly runs?: Facts } = {},
): Section =>
  provenanceSection(
    [
      ['Suite', suite],
      ['Model', { lines: [modelTitle(model), code(`sha256 ${model.sha256}`)] }],
      ...point,
      ['Data', { lines: [`${data.name}, ${quantity(data.examples, 'example')}`, code(`sha256 ${data.sha256}`)] }],
      ['Examples', code(`sha256 ${data.examplesSha256}`)],
      ['Seed', seed],
      ['Tool', `robust ${toolVersion}`],
      ['Run', run],
      ...runs,
    ],
    [{ kind: 'command', line: replay }],
  );
