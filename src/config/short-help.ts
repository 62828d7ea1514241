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
  ...[
    'augment',
    'detect',
    'scan-model',
    'backdoor',
    'list',
    'convert',
    'models',
    'new',
    'serve',
    'queue',
    'worker',
    'config',
  ],
  ...['completion', 'doctor', 'help'],
];

const VICTIM = ['model', 'data', 'num-examples'];
const ATTACKS = ['suite', 'attack', 'defend', 'label-map', 'columns'];
const REQUIREMENTS = ['require', 'baseline', 'max-increase', 'ci', 'min-examples'];

/** By command; at most 14. Commands without a row show all flags. */
export const MAIN_FLAGS: Readonly<Record<string, readonly string[]>> = {
  attack: [...VICTIM, ...ATTACKS, 'goal', 'query-budget', 'device', 'resume', 'output', 'config'],
  augment: ['data', 'suite', 'attack', 'per-example', 'originals', 'output', 'columns', 'language', 'num-examples'],
  'backdoor filter': [
    ...['data', 'clean', 'frr', 'output', 'suspects', 'columns', 'label-map'],
    ...['truth', 'truth-column', 'force'],
  ],
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
  compare: ['data', 'num-examples', ...ATTACKS, 'goal', 'query-budget', 'transfer', 'device', 'output', 'config'],
  'config show': [...VICTIM, ...ATTACKS, ...REQUIREMENTS, 'config'],
  detect: ['method', 'frr', 'texts', 'seed', 'offline', 'runtime'],
  evaluate: [
    ...[...VICTIM, 'defend', 'label-map', 'columns', 'positive', 'threshold', 'task', 'certify', 'device', 'config'],
  ],
  explain: [
    ...['model', 'method', 'label', 'beside', 'data', 'num-examples', 'global', 'check', 'columns', 'samples'],
    ...['positive', 'seed', 'output', 'config'],
  ],
  gate: [...VICTIM, 'suite', 'attack', ...REQUIREMENTS, 'transfer', 'comment', 'output', 'config'],
  report: ['open', 'output', 'wide', 'explain-metrics', 'merge', 'allow-partial'],
  serve: [
    ...['model', 'protocol', 'host', 'port', 'name', 'defend', 'scores', 'positive', 'threshold', 'access-log'],
    ...['max-batch', 'max-queue', 'request-timeout'],
  ],
  'scan-model': [
    'data',
    'num-examples',
    'files-only',
    'max-download',
    'gate',
    'time-budget',
    'output',
    'label-map',
    'columns',
    'config',
  ],
  train: [
    ...['data', 'validation', 'output', 'arch', 'model', 'epochs', 'lr', 'columns', 'label-map', 'task'],
    ...['teacher', 'adversarial', 'seed', 'resume'],
  ],
  ui: ['model', 'data', 'port', 'open', 'columns', 'positive', 'threshold', 'config'],
  verify: [
    ...[...VICTIM, 'space', 'edits', 'alphabet', 'attack', 'query-budget', 'count-edits', 'defend', 'label-map'],
    ...['resume', 'output', 'config'],
  ],
  worker: ['queue', 'concurrency', 'workers', 'device', 'plugin', 'store', 'cache', 'listen'],
};

/** The first clause of a flag's help, and its default. */
export function firstClause(help: string, value?: unknown): string {
  const [, written] = /\[default: ([^\],;]+)[^\]]*\]/.exec(help.split('; options:')[0]!) ?? [];
  const preset = written ?? (value === undefined || value === false || `${value}` === '' ? undefined : `${value}`);
  const clause = help.replace(/ ?\[default: [^\]]*\]/, '').split(/;\s/)[0]!;
  return preset === undefined ? clause : `${clause} [default: ${preset}]`;
}
