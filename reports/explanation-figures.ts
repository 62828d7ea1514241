/** @file A method's own figures in words: how far its weights can be trusted. */
import type { Attribution } from '../src/index.js';

const number = (value: number | string | undefined, digits = 3): string =>
  typeof value === 'number' ? value.toFixed(digits) : String(value);

/** How far a method can be trusted, in its own figures. */
export function told({ name, check, words }: Attribution): string {
  const spread = Math.max(0, ...words.map(({ weight, high }) => (high === undefined ? 0 : high - weight)));
  const within = spread > 0 ? `, weights ± ${spread.toFixed(3)} or less (95 %)` : '';
  switch (name) {
    case 'lime':
      return `R² ${number(check.r2, 2)} over ${check.samples} texts${within}`;
    case 'shap': {
      const rest =
        typeof check.unresolved === 'number' && check.unresolved > 0
          ? `, ${Math.round(100 * check.unresolved)} % of the credit shared out evenly within phrases`
          : '';
      return `${check.estimator}, ${check.samples} texts${within}${rest}; from ${number(check.baseValue)} without words to ${number(check.value)}`;
    }
    case 'integrated-gradients':
      return `completeness error ${number(100 * Number(check.completenessError), 2)} % in ${check.steps} steps from ${check.baseline}; from ${number(check.baseValue)} to ${number(check.value)}`;
    case 'attention':
      return `rollout over ${check.layers} layers of ${check.heads} heads, seen from the ${check.from}; punctuation and special tokens ${number(check.rest)}; attention has no sign`;
    default:
      return Object.entries(check)
        .map(([key, value]) => `${key} ${number(value)}`)
        .join(', ');
  }
}
