/** @file Metrics as OpenMetrics text, which Prometheus reads. https://prometheus.io/docs/specs/om/open_metrics_spec */

export interface MetricSeries {
  readonly name: string;
  readonly type: 'gauge' | 'counter' | 'histogram';
  readonly help: string;
  readonly unit?: string;
  readonly samples: readonly (readonly [
    labels: Readonly<Record<string, string | number>>,
    value: number,
    /** Suffix of the name; `total` for a counter. */
    suffix?: string,
  ])[];
}

export const OPEN_METRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

const escapeLabel = (text: string): string => text.replace(/[\\"\n]/g, (each) => (each === '\n' ? '\\n' : `\\${each}`));

export function openMetrics(families: readonly MetricSeries[]): string {
  const lines = families.flatMap(({ name, type, help, unit, samples }) => [
    `# TYPE ${name} ${type}`,
    ...(unit === undefined ? [] : [`# UNIT ${name} ${unit}`]),
    `# HELP ${name} ${help}`,
    ...samples.map(([labels, value, suffix = type === 'counter' ? 'total' : undefined]) => {
      const inside = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(String(text))}"`);
      return `${name}${suffix === undefined ? '' : `_${suffix}`}${inside.length > 0 ? `{${inside.join(',')}}` : ''} ${value}`;
    }),
  ]);
  return `${[...lines, '# EOF'].join('\n')}\n`;
}
