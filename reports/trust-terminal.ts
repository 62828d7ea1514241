/** @file How far weights can be trusted, on a screen. */
import type { Trust } from '../src/index.js';
import type { ExplanationScreen } from './explanation-terminal.js';
import { blocks } from './layout.js';
import { visible } from './visible.js';

const BLOCKS = ' ▁▂▃▄▅▆▇█';

/** The curve from its lowest to its highest value as small bars. */
function curve(values: readonly number[]): string {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return values.map((value) => BLOCKS[1 + Math.round((7 * (value - low)) / Math.max(1e-12, high - low))]).join('');
}

const signed = (value: number | null): string =>
  value === null ? '-' : `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(2)}`;

/** What the figures mean. */
export const TRUST =
  'Fall: how far the value falls on the mean while words go, the heaviest first; a faithful method beats random orders. Rank correlations: other samples should change little (near +1), shuffling the weights of the model everything (near 0).';

export function* trustLines(
  model: string | undefined,
  trust: Trust,
  { chalk, width }: ExplanationScreen,
): Iterable<string> {
  const { faithfulness, agreement, stability, randomised } = trust;
  yield `\n${chalk.bold(model === undefined ? 'Can these weights be trusted?' : `Can these weights be trusted? ${model}`)}\n\n`;
  const correlations = (list: readonly { readonly method: string; readonly correlation: number | null }[]): string[] =>
    faithfulness.map(({ method }) => {
      const found = list.find((each) => each.method === method);
      return found === undefined ? '' : signed(found.correlation);
    });
  const columns = [
    ['', ...faithfulness.map(({ method }) => visible(method))],
    ['fall', ...faithfulness.map(({ aopc }) => aopc.toFixed(3))],
    [
      'in random orders',
      ...faithfulness.map(
        ({ random: { mean, low, high } }) => `${mean.toFixed(3)} (${low.toFixed(2)} to ${high.toFixed(2)})`,
      ),
    ],
    ['other samples', ...correlations(stability)],
    ['shuffled', ...correlations(randomised)],
  ].filter(([, ...cells]) => cells.some((cell) => cell !== ''));
  for (const block of blocks(columns, width)) yield `${block}\n\n`;
  const longest = Math.max(...faithfulness.map(({ method }) => visible(method).length)) + 2;
  for (const { method, deletion, insertion } of faithfulness) {
    yield `${visible(method).padEnd(longest)}words out ${curve(deletion)}  words in ${curve(insertion)}\n`;
  }
  yield '\n';
  for (const {
    methods: [a, b],
    correlation,
  } of agreement)
    yield `${visible(a)} and ${visible(b)} agree: rank correlation ${signed(correlation)}\n`;
}
