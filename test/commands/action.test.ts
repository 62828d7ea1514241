/** The GitHub action: what its step runs, run as the runner does. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { packageRoot } from '../../src/plugin.js';
import { folder, toy } from './cli.js';

interface Step {
  readonly id?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const action = parse(readFileSync(join(packageRoot, 'action.yml'), 'utf8'));
const steps: readonly Step[] = action.runs.steps;
const gate = steps.find(({ id }) => id === 'gate') as Step;

/** The step's exit code and output, with these inputs besides the defaults. */
function step(inputs: Readonly<Record<string, string>>, cwd: string, more: Readonly<Record<string, string>> = {}) {
  const filled = (text: string): string =>
    text.replace(/\$\{\{ (?:inputs\.([\w-]+)|github\.action_path) \}\}/g, (_, name?: string) =>
      name === undefined ? packageRoot : (inputs[name] ?? String(action.inputs[name].default)),
    );
  const env = Object.fromEntries(Object.entries(gate.env ?? {}).map(([name, text]) => [name, filled(text)]));
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', gate.run as string], {
    cwd,
    env: { PATH: process.env.PATH, ...env, ...more },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
  return new Promise<{ code: number | null; output: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, output })),
  );
}

describe.concurrent('the action', () => {
  const rows = Array.from({ length: 40 }, (_, at) => `A ${at % 2 ? 'good' : 'dull'} film, number ${at}.\t${at % 2}`);
  const data = `text\tlabel\n${rows.join('\n')}\n`;
  const config = (limit: string): string =>
    `model: ${JSON.stringify(toy)}\ndata: data.tsv\nattacks: [deepwordbug]\nthresholds:\n  clean.accuracy: [error, "${limit}"]\n`;

  test('gates, and writes the report', async () => {
    const cwd = folder({ 'data.tsv': data, 'my config.yaml': config('>= 0.5') });
    const { code, output } = await step({ config: 'my config.yaml', report: 'r.md', args: '--seed 3' }, cwd);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('Gate passed') });
    expect(readFileSync(join(cwd, 'r.md'), 'utf8')).toContain('seed 3');
  });

  test('fails as the gate does; a comment that cannot be written changes no verdict', async () => {
    const cwd = folder({ 'data.tsv': data, 'robust.config.yaml': config('> 1') });
    const { code, output } = await step({ token: '', report: '' }, cwd, { GITHUB_EVENT_NAME: 'pull_request' });
    expect({ code, output }).toEqual({
      code: 1,
      output: expect.stringMatching(/--comment github: expected a pull request/),
    });
  });
});

test('every input it reads is declared, and every output it declares is written', () => {
  const text = readFileSync(join(packageRoot, 'action.yml'), 'utf8');
  const read = [...text.matchAll(/inputs\.([\w-]+)/g)].map(([, name]) => name);
  expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(read));
  expect(Object.keys(action.outputs)).toEqual(['verdict', 'run']);
  const workflow = parse(readFileSync(join(packageRoot, '.github', 'workflows', 'robustness.yml'), 'utf8'));
  const [, own] = workflow.jobs.gate.steps;
  expect(own.uses).toBe('./');
  expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(own.with)));
});
