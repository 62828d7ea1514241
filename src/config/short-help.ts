/**
 * @file The one screen of `--help`: the commands and the main flags in the order in which people need them. `--help all` shows the others
 * too.
 */

/** The commands in the order of use. A topic stands for its commands. */
export const COMMANDS = [
  ...[
    'attack',
    'evaluate',
    'compare',
    'explain',
    'verify',
    'report',
    'review',
    'card',
    'leaderboard',
    'ui',
    'init',
    'gate',
    'baseline',
    'train',
  ],
  ...['augment', 'scan-model', 'backdoor', 'list', 'convert', 'models', 'new', 'serve', 'queue', 'worker', 'config'],
  ...['doctor', 'help'],
];

const VICTIM = ['model', 'data', 'num-examples'];
const ATTACKS = ['suite', 'attack', 'defend', 'label-map', 'columns'];
const REQUIREMENTS = ['require', 'baseline', 'ci', 'min-examples'];

/** By command; at most 14. Commands without a row show all flags. */
export const MAIN_FLAGS: Readonly<Record<string, readonly string[]>> = {
  attack: [...VICTIM, ...ATTACKS, 'goal', 'query-budget', 'runtime', 'resume', 'output', 'config'],
  augment: ['data', 'suite', 'attack', 'per-example', 'output', 'columns', 'language', 'num-examples'],
  'backdoor filter': [...['data', 'clean', 'frr', 'output', 'suspects', 'columns', 'label-map'], ...['truth', 'force']],
  'backdoor plant': [
    ...['model', 'data', 'attack', 'trigger', 'target', 'rate', 'mode', 'output', 'test', 'epochs', 'lr'],
    ...['columns', 'label-map', 'resume'],
  ],
  'backdoor repair': [
    ...['model', 'data', 'trigger', 'target', 'method', 'output', 'test', 'attack', 'epochs', 'lr'],
    ...['columns', 'label-map', 'resume'],
  ],
  'backdoor scan': [
    ...[
      ...VICTIM,
      'word',
      'black-box',
      'time-budget',
      'max-queries',
      'gate',
      'label-map',
      'columns',
      'language',
      'config',
    ],
  ],
  compare: ['data', 'num-examples', ...ATTACKS, 'goal', 'query-budget', 'transfer', 'runtime', 'output', 'config'],
  evaluate: [
    ...[...VICTIM, 'defend', 'label-map', 'columns', 'positive', 'threshold', 'task', 'certify', 'runtime', 'config'],
  ],
  explain: [
    ...['model', 'method', 'label', 'beside', 'data', 'num-examples', 'columns'],
    ...['positive', 'seed', 'output', 'config'],
  ],
  gate: [...VICTIM, 'suite', 'attack', ...REQUIREMENTS, 'transfer', 'comment', 'output', 'config'],
  init: ['model', 'data', 'columns', 'label-map', 'positive', 'threshold', 'task', 'from', 'ci', 'yes', 'force'],
  report: ['open', 'output', 'wide', 'merge', 'allow-partial'],
  serve: [...['model', 'host', 'port', 'name', 'defend', 'positive', 'threshold', 'access-log', 'limits']],
  'scan-model': [
    ...['data', 'num-examples', 'files-only', 'max-download', 'gate', 'time-budget', 'output'],
    ...['label-map', 'columns', 'config'],
  ],
  train: [
    ...['data', 'validation', 'output', 'arch', 'model', 'epochs', 'lr', 'columns', 'label-map', 'task'],
    ...['adversarial', 'seed', 'resume'],
  ],
  ui: ['model', 'data', 'port', 'open', 'columns', 'positive', 'threshold', 'config'],
  verify: [
    ...[...VICTIM, 'space', 'edits', 'attack', 'query-budget', 'defend', 'label-map', 'columns'],
    ...['runtime', 'resume', 'output', 'config'],
  ],
  worker: ['queue', 'runtime', 'plugin', 'store', 'cache'],
};

/** The first clause of a flag's help, and its default. */
export function firstClause(help: string, value?: unknown): string {
  const [, written] = /\[default: ([^\],;]+)[^\]]*\]/.exec(help.split('; options:')[0]!) ?? [];
  const preset = written ?? (value === undefined || value === false || `${value}` === '' ? undefined : `${value}`);
  const clause = help.replace(/ ?\[default: [^\]]*\]/, '').split(/;\s/)[0]!;
  return preset === undefined ? clause : `${clause} [default: ${preset}]`;
}
