/** @file How far the weights of a text can be trusted. */
import type { Faithfulness, Trust } from '../../src/index.js';
import { lineChart } from './line-chart.js';
import { html, type Markup } from './markup.js';
import { table } from './page.js';
import { signed } from './word-weights.js';

const correlation = (value: number | null | undefined): string =>
  value === undefined ? '' : value === null ? '–' : signed(value);

export function trust({ faithfulness, agreement, stability, randomised }: Trust): Markup {
  const methods = faithfulness.map(({ method }) => method);
  return html`${table(
    'Trust by method',
    [
      { title: 'Method' },
      ...['Fall, heaviest first', 'In random orders', 'Other samples', 'Shuffled weights'].map((title) => ({
        title,
        align: 'right' as const,
      })),
    ],
    faithfulness.map(({ method, aopc, random }) => [
      method,
      aopc.toFixed(3),
      html`${random.mean.toFixed(3)} <span class="bounds">${random.low.toFixed(2)} to ${random.high.toFixed(2)}</span>`,
      correlation(stability.find((each) => each.method === method)?.correlation),
      correlation(randomised.find((each) => each.method === method)?.correlation),
    ]),
  )}${methods.length > 1 && agreementTable(methods, agreement)}<div class="charts">${faithfulness.map(curves)}</div>
`;
}

const agreementTable = (methods: readonly string[], agreement: Trust['agreement']): Markup => {
  const of = (a: string, b: string): number | null | undefined =>
    agreement.find(({ methods: [one, other] }) => (one === a && other === b) || (one === b && other === a))
      ?.correlation;
  return html`<p>Do the methods agree? Their rank correlations:</p>
${table(
  'Rank correlation of each two methods',
  [{ title: '' }, ...methods.map((title) => ({ title, align: 'right' as const }))],
  methods.map((a) => [a, ...methods.map((b) => (a === b ? '' : correlation(of(a, b))))]),
)}`;
};

const curves = ({ method, steps, deletion, insertion }: Faithfulness): Markup =>
  lineChart({
    title: method,
    x: { label: 'words left out, or put in' },
    y: { label: 'value', format: (value) => String(Number(value.toFixed(2))) },
    lines: [
      { name: 'left out', tone: 'hit', points: steps.map((x, at) => ({ x, y: deletion[at] as number })) },
      { name: 'put in', tone: 'hold', points: steps.map((x, at) => ({ x, y: insertion[at] as number })) },
    ],
  });
