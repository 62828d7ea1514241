/** The GitHub action: its steps, run as the runner does, in an environment of nothing else, against a GitHub of our own. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { packageRoot } from '../../src/core/package-root.js';
import { scene } from '../scenes.js';
import { folder, toy } from './cli.js';

interface Step {
  readonly id?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const action = parse(readFileSync(join(packageRoot, 'action.yml'), 'utf8'));
const steps: readonly Step[] = action.runs.steps;

/** The package that npm installs instead: this one, without its dependencies. */
let installed: string;
/** Requests to GitHub, the newest last. */
const asked: { readonly method: string; readonly url: string; readonly body: string }[] = [];
const gitHub = createServer((request, response) => {
  let body = '';
  request.on('data', (data) => (body += data));
  request.on('end', () => {
    asked.push({ method: String(request.method), url: String(request.url), body });
    if (request.url === '/graphql') response.writeHead(404).end('{}');
    else response.end(request.method === 'GET' ? '[]' : '{}');
  });
});

beforeAll(async () => {
  await new Promise<void>((listening) => gitHub.listen(0, '127.0.0.1', listening));
  const source = folder({
    'package.json': '{ "name": "robust-text", "version": "0.0.0", "type": "module", "bin": { "robust": "run.js" } }',
    // Only doctor is replaced: it would delete files of this clone.
    'run.js': `#!/usr/bin/env node\nif (process.argv[2] === 'doctor') console.log(process.argv.slice(2).join(' '));\nelse await import(${JSON.stringify(pathToFileURL(join(packageRoot, 'bin', 'run.js')).href)});\n`,
  });
  execFileSync('npm', ['pack', '--pack-destination', source], { cwd: source, stdio: 'ignore' });
  installed = join(source, 'robust-text-0.0.0.tgz');
});
afterAll(() => gitHub.close());

/** The steps that are scripts, until one fails: its exit code, what all printed, and the outputs by step. */
async function carriedOut(
  inputs: Readonly<Record<string, string>>,
  cwd: string,
  more: Record<string, string> = {},
  actionPath: string = packageRoot,
) {
  const temp = mkdtempSync(join(tmpdir(), 'robust-runner-'));
  const outputs: Record<string, string> = { 'cache.cache-hit': '' };
  const filled = (text: string): string =>
    text.replace(/\$\{\{ ([^}]+) \}\}/g, (_, expression: string) => {
      const [, kind, name] = /^(inputs|github|runner|steps)\.(.+)$/.exec(expression) as unknown as string[];
      if (kind === 'inputs') return inputs[name as string] ?? String(action.inputs[name as string].default);
      if (kind === 'steps') return outputs[(name as string).replace('.outputs', '')] as string;
      return ({ action_path: actionPath, temp } as Record<string, string>)[name as string] as string;
    });
  let printed = '';
  for (const step of steps.filter(({ run }) => run !== undefined)) {
    const file = join(temp, `${step.id ?? 'install'}.output`);
    writeFileSync(file, '');
    const env = Object.fromEntries(Object.entries(step.env ?? {}).map(([name, text]) => [name, filled(text)]));
    const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;
    const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run as string], {
      cwd,
      env: { PATH, HOME: temp, GITHUB_ACTIONS: 'true', GITHUB_OUTPUT: file, ...env, ...more },
    });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (printed += data));
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
    const written = readFileSync(file, 'utf8');
    for (const [, name, value] of written.matchAll(/^([\w-]+)(?:=|<<robust-\S+\n)(.*)$/gm))
      outputs[`${step.id}.${name}`] = value as string;
    if (code !== 0) return { code, printed, outputs };
  }
  return { code: 0, printed, outputs };
}

describe('the action', () => {
  const rows = Array.from(
    { length: 40 },
    (_, at) => `The ${scene(at)}: a ${at % 2 ? 'good' : 'dull'} film, number ${at}.\t${at % 2}`,
  );
  const data = `text\tlabel\n${rows.join('\n')}\n`;
  const config = (limit: string): string =>
    `model: ${JSON.stringify(toy)}\ndata: data.tsv\nattacks: [deepwordbug]\nrequire: ["clean.accuracy ${limit}"]\n`;

  test('installs, gates, and writes the report; arguments span several lines, with quotes', async () => {
    const cwd = folder({ 'data.tsv': data, 'my config.yaml': config('>= 0.5') });
    const args = `--seed 3\n  --require "deepwordbug.attackSuccessRate >= 0 and <= 1"\n--output 'second report.md'\n`;
    const { code, printed, outputs } = await carriedOut(
      { package: installed, config: 'my config.yaml', report: 'r.md', args, name: 'toy / 1' },
      cwd,
    );
    expect({ code, printed }).toEqual({ code: 0, printed: expect.stringContaining('Gate passed') });
    expect(readFileSync(join(cwd, 'r.md'), 'utf8')).toContain('seed 3');
    expect(readFileSync(join(cwd, 'second report.md'), 'utf8')).toContain('deepwordbug.attackSuccessRate');
    expect(outputs).toMatchObject({ 'plan.artifact': 'robust-report-toy___1', 'gate.verdict': 'passed' });
    expect(outputs['gate.run']).not.toBe('');
  });

  test('fails where no verdict was written, such as with args: --help', async () => {
    const cwd = folder({ 'data.tsv': data, 'robust.config.yaml': config('>= 0.5') });
    const { code, printed } = await carriedOut({ package: installed, report: '', args: '--help' }, cwd);
    expect(code).not.toBe(0);
    expect(printed).toContain('::error::');
  });

  test('fails as the gate does, and says so in a comment of its name; variables of the job are ignored, and reported', async () => {
    const cwd = folder({
      ...{ 'data.tsv': data, 'robust.config.yaml': config('>= 0 and < 0.5'), 'lax.yaml': config('>= 0.1') },
      'event.json': '{ "pull_request": { "number": 7 } }',
    });
    // Each would let it pass.
    const lax = { ROBUST_THRESHOLD: 'clean.accuracy>=0.1', ROBUST_CONFIG: 'lax.yaml', ROBUST_GATE_EXIT_CODE: '0' };
    const env = {
      ...lax,
      ...{ GITHUB_EVENT_NAME: 'pull_request', GITHUB_EVENT_PATH: join(cwd, 'event.json'), GITHUB_REPOSITORY: 'o/r' },
      GITHUB_API_URL: `http://127.0.0.1:${(gitHub.address() as AddressInfo).port}`,
      ...{ GITHUB_SERVER_URL: 'https://github.example', GITHUB_RUN_ID: '12' },
    };
    const { code, printed } = await carriedOut(
      { package: installed, token: 't', report: '', name: 'distilbert, typos' },
      cwd,
      env,
    );
    expect({ code, printed }).toEqual({ code: 1, printed: expect.stringContaining('::error') });
    for (const name of Object.keys(lax)) expect(printed).toContain(`::warning::${name} is set and ignored`);
    const { method, url, body } = asked.at(-1) as (typeof asked)[number];
    expect([method, url]).toEqual(['POST', '/repos/o/r/issues/7/comments']);
    const comment = JSON.parse(body).body as string;
    expect(comment.split('\n')[0]).toBe('<!-- robust-gate: distilbert%2C%20typos -->');
    expect(comment).toContain('Gate failed');
    expect(comment).toContain('https://github.example/o/r/actions/runs/12');
  });

  test.each([
    [{ args: '--require "clean.accuracy >= 0.5' }, /quote/],
    [{ package: '/nowhere/robust-text.tgz' }, /ENOENT|no such file/i],
  ])('an input that is wrong ends the step: %j', async (inputs, told) => {
    const { code, printed } = await carriedOut({ package: installed, ...inputs }, folder({ 'data.tsv': data }));
    expect(code).not.toBe(0);
    expect(printed).toMatch(told);
  });

  test('without a package it installs its own commit until npm has it, then the exact version from npm', async () => {
    const source = (published: boolean) =>
      folder({
        'package.json': JSON.stringify({
          ...{ name: 'robust-text', version: '9.8.7', type: 'module', bin: { robust: 'run.js' } },
          scripts: { prepare: "node -e \"fs.writeFileSync('built.js', 'export {}')\"" },
        }),
        'release/state.json': JSON.stringify({ published }),
        'package-lock.json':
          '{ "name": "robust-text", "version": "9.8.7", "lockfileVersion": 3, "packages": { "": { "name": "robust-text", "version": "9.8.7" } } }',
        'run.js': `#!/usr/bin/env node\nawait import('./built.js');\nconsole.log('of this commit:', ...process.argv.slice(2));\nif (process.argv[2] === 'gate') (await import('node:fs')).appendFileSync(process.env.GITHUB_OUTPUT, 'verdict<<robust-x\\npassed\\nrobust-x\\n');\n`,
      });
    const own = await carriedOut({ report: '' }, folder({}), {}, source(false));
    expect(own).toMatchObject({ code: 0, printed: expect.stringContaining('of this commit: gate\n') });
    expect(own.outputs).toMatchObject({ 'plan.package': '', 'plan.published': 'false' });
    // No registry at that address.
    const offline = { npm_config_registry: 'http://127.0.0.1:9/', npm_config_fetch_retries: '0' };
    const released = await carriedOut({ report: '' }, folder({}), offline, source(true));
    expect(released.code).not.toBe(0);
    expect(released.outputs).toMatchObject({ 'plan.package': 'robust-text@9.8.7', 'plan.published': 'true' });
    const cache = steps.find(({ uses }) => uses?.startsWith('actions/cache')) as { readonly if?: string };
    expect(cache.if).toContain("steps.plan.outputs.published == 'true'");
  });

  test('an old Node is reported, and not replaced', async () => {
    const old = folder({
      node: `#!/bin/sh\n[ "$1" = -e ] || exit 0\nexec "${process.execPath}" -e 'Object.defineProperty(process.versions, "node", { value: "18.20.0" });'"$2"\n`,
    });
    execFileSync('chmod', ['+x', join(old, 'node')]);
    const { code, printed } = await carriedOut({}, old, { PATH: `${old}:${process.env.PATH}` });
    expect({ code, printed }).toEqual({
      code: 1,
      printed: expect.stringContaining('::error::robust needs Node 20.19'),
    });
  });
});

test('every input it reads is declared, and every output it declares is written', () => {
  const text = readFileSync(join(packageRoot, 'action.yml'), 'utf8');
  const read = [...text.matchAll(/inputs\.([\w-]+)/g)].map(([, name]) => name);
  expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(read));
  expect(Object.keys(action.outputs)).toEqual(['verdict', 'run', 'artifact']);
  const workflow = parse(readFileSync(join(packageRoot, '.github', 'workflows', 'robustness.yml'), 'utf8'));
  const own = workflow.jobs.gate.steps.at(-1);
  expect(own.uses).toBe('./');
  expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(own.with)));
});
