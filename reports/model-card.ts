/**
 * @file The figures as the `model-index` block of a Hugging Face model card: to be pasted into the YAML head of its README.md
 * (huggingface_hub, "Model Cards", evaluation results).
 */
import { degeneracy, type Rate, type Report, type ReportRenderer } from '../src/index.js';
import { visible } from './visible.js';

interface Metric {
  readonly type: string;
  readonly name: string;
  readonly value: number;
  /** The conditions: without them a rate means nothing. */
  readonly args: Readonly<Record<string, unknown>>;
}

const rounded = (value: number | null): number | null => (value === null ? null : Number(value.toFixed(6)));

/** A rate that was measured, with its interval among the arguments. */
const metric = (type: string, name: string, rate: Rate, args: Metric['args'] = {}): Metric[] =>
  rate.value === null
    ? []
    : [
        {
          type,
          name: visible(name),
          value: rounded(rate.value) as number,
          args: { ...args, n: rate.n, interval: [rounded(rate.low), rounded(rate.high)] },
        },
      ];

export const modelCard: ReportRenderer = {
  name: 'model-card',
  extension: 'yaml',
  async *render(report) {
    const { stringify } = await import('yaml');
    yield stringify(
      { 'model-index': [{ name: visible(report.model.name), results: [result(report)] }] },
      { lineWidth: 0, aliasDuplicateObjects: false },
    );
  },
};

function result({ data, clean, attacks, leftOut, overall, seed, toolVersion }: Report) {
  const reasons = degeneracy(clean);
  const degenerate = reasons.length > 0 && { degenerate: reasons.map(visible) };
  const hub = /^hf:(.+)$/.exec(data.name)?.[1];
  return {
    task: { type: 'text-classification', name: 'Text Classification' },
    dataset: { name: visible(data.name), type: visible(hub ?? data.name), args: { sha256: data.sha256 } },
    metrics: [
      ...metric('accuracy', 'Accuracy', clean.accuracy, { ...degenerate }),
      { type: 'f1', name: 'Macro F1', value: rounded(clean.macroF1), args: { average: 'macro', ...degenerate } },
      ...attacks.flatMap((attack) => {
        const args = {
          attack: visible(attack.name),
          constraints: attack.constraints.map(visible),
          options: attack.options,
          seed,
          ...degenerate,
          ...(attack.notApplicable && { not_applicable: attack.notApplicable.reason }),
        };
        return [
          ...metric('attack_success_rate', `Attack success rate (${attack.name})`, attack.attackSuccessRate, args),
          ...metric(
            'accuracy_under_attack',
            `Accuracy under attack (${attack.name})`,
            attack.accuracyUnderAttack,
            args,
          ),
        ];
      }),
      ...(attacks.length > 1
        ? metric('accuracy_under_attack', 'Accuracy under all attacks', overall.accuracyUnderAttack, {
            seed,
            ...degenerate,
            ...(leftOut && { without: leftOut.map(({ name }) => visible(name)) }),
          })
        : []),
    ],
    source: { name: `robust ${visible(toolVersion)}` },
  };
}
