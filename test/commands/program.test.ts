/** A program behind every command gives what the same function gives as a module; and its page does what it says. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { packageRoot } from '../../src/core/package-root.js';
import { parseProgram } from '../../src/model/opening/manifest.js';
import { lasting } from '../calibration.js';
import { MODULE, runs, speaking, until } from '../remote/programs.js';
import { journal } from '../remote/runs.js';
import { scene } from '../scenes.js';
import { folder, robust, robustProcess } from './cli.js';

const DATA = `text\tlabel\n${Array.from(
  { length: 40 },
  (_, at) => `The ${scene(at)}: a ${at % 2 ? 'good and warm' : 'dull and boring'} film\t${at % 2}`,
).join('\n')}\n`;

const home = () =>
  folder({
    'victim.mjs': MODULE,
    'program.mjs': speaking(),
    'data.tsv': DATA,
    'v.yaml': 'command: node program.mjs\nreplicas: 2\n',
  });
const VICTIMS = ['./victim.mjs', 'cmd:node program.mjs', 'cmd:v.yaml'];

/** Without what names the victim, the run and the time. */
const results = (stdout: string): string =>
  stdout
    .replaceAll(/\d{8}T\d{6}Z-[0-9a-f]{6}/g, 'RUN')
    .replaceAll(
      /"(?:sha256|fingerprint|durationSeconds|seconds|command|createdAt|name|model)": ?(?:"[^"]*"|[\d.e-]+)/g,
      '',
    );

describe('a program is the same victim as the module', () => {
  test.each([
    ['evaluate', ['evaluate', '-d', 'data.tsv', '--json'], (json: { result: { clean: unknown } }) => json.result.clean],
    ['explain', ['explain', 'a good and warm film', '--json'], undefined],
  ])('%s', async (_, args, part) => {
    const [module, ...programs] = await Promise.all(
      VICTIMS.map(async (spec) => {
        const { code, stdout, stderr } = await robust([...args, '-m', spec], { cwd: home() });
        expect(code, stderr).toBe(0);
        return part === undefined ? results(stdout) : part(JSON.parse(stdout));
      }),
    );
    for (const program of programs) expect(program).toEqual(module);
  });

  test('attack and gate', async () => {
    const ended = await Promise.all(
      VICTIMS.map(async (spec) => {
        const cwd = home();
        const done = await robust(['attack', '-m', spec, '-d', 'data.tsv', '-s', 'typos', '-n', '0'], { cwd });
        expect(done.code, done.stderr).toBe(0);
        const judged = await robust(['gate', 'latest', '--require', 'overall.accuracyUnderAttack >= 0.99', '--json'], {
          cwd,
        });
        return { journal: journal(cwd), code: judged.code };
      }),
    );
    expect(ended[0]?.code).toBe(1);
    expect(ended[1]).toEqual(ended[0]);
    expect(ended[2]).toEqual(ended[0]);
  });

  test('a configuration elsewhere names it by its own folder', async () => {
    const cwd = folder({
      'sub/robust.config.yaml': 'model: cmd:node program.mjs\ndata: data.tsv\n',
      ...{ 'sub/program.mjs': speaking(), 'sub/data.tsv': DATA },
    });
    const { code, stderr } = await robust(['evaluate', '-c', 'sub/robust.config.yaml'], { cwd });
    expect(code, stderr).toBe(0);
  });

  test('its log is on stderr with --verbose alone, and never in the document', async () => {
    const cwd = folder({
      'data.tsv': DATA,
      'p.mjs': speaking(
        "{ console.log('a log line'); console.error('a warning of its'); say({ id: q.id, scores: q.texts.map(classify) }); }",
      ),
    });
    for (const verbose of [[], ['--verbose']]) {
      const { stdout, stderr } = await robust(
        ['evaluate', '-m', 'cmd:node p.mjs', '-d', 'data.tsv', '--json', ...verbose],
        { cwd },
      );
      expect(JSON.parse(stdout).ok).toBe(true);
      for (const line of ['a log line', 'a warning of its']) expect(stderr.includes(line)).toBe(verbose.length > 0);
    }
  });
});

const page = readFileSync(join(packageRoot, 'docs/reference/process.md'), 'utf8');
const blocks = (language: string): string[] =>
  Array.from(page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms')), ([, code]) => code as string);

describe('docs/reference/process.md', () => {
  const python = spawnSync('python3', ['--version']).status === 0;
  let cwd: string;
  beforeAll(() => {
    cwd = folder({
      'dev.tsv': DATA,
      'victim.py': blocks('python')[0] as string,
      'victim.yaml': blocks('yaml')[0] as string,
    });
  });

  test.skipIf(!python)('its transcript is what its program writes (skipped without python3)', async () => {
    const child = spawn('python3', ['victim.py'], { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    for (const line of (blocks('text')[0] as string).trim().split('\n')) {
      const said = line.slice(2);
      if (line.startsWith('>')) child.stdin.write(`${said}\n`);
      else expect((await lines.next()).value).toBe(said);
    }
    child.stdin.end();
    expect((await lines.next()).done).toBe(true);
  });

  test.skipIf(!python)('its commands run (skipped without python3)', async () => {
    const env = { MODEL_TOKEN: 'secret' };
    const commands = Array.from(page.matchAll(/^ {4}robust (.*)$/gm), ([, words]) => words as string);
    expect(commands.length).toBe(2);
    for (const command of commands) {
      const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? (plain as string));
      const { code, stderr } = await robust([...words, '-n', '4'], { cwd, env });
      expect(code, stderr).toBe(0);
    }
  });

  test('its files are right', () => {
    const all = blocks('yaml');
    expect(all.length).toBe(3);
    for (const each of all) parseProgram(parse(each), 'the page');
  });
});

test('a run goes on only with the program that it began with', async () => {
  const cwd = home();
  const begun = await robust(['attack', '-m', 'cmd:v.yaml', '-d', 'data.tsv', '-a', 'deepwordbug', '-n', '0'], { cwd });
  expect(begun.code, begun.stderr).toBe(0);
  const again = () => robust(['attack', '--resume', 'latest'], { cwd });
  expect(await again()).toMatchObject({ code: 0 });
  // What a description names is part of what this user named.
  writeFileSync(join(cwd, 'program.mjs'), `${speaking()}\n// changed\n`);
  const refused = await again();
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('names code or an address') });
  const named = await robust(['attack', '--resume', 'latest', '-m', 'cmd:v.yaml'], { cwd });
  expect(named).toMatchObject({ code: 2, stderr: expect.stringContaining('program.mjs') });
});

test('kill -9 of robust leaves no process of a program that ignores everything, and --resume continues to the same bytes', async () => {
  // It says its pid and that of its child, and takes its time; neither ends with its standard input, nor by SIGTERM.
  const stubborn = speaking(`{
  if (asked === 1) {
    const stay = 'process.on("SIGTERM", () => {}); process.on("SIGHUP", () => {}); setInterval(() => {}, 1000);';
    eval(stay);
    const child = spawn(process.execPath, ['-e', stay], { stdio: 'ignore' });
    appendFileSync('pids', process.pid + ' ' + child.pid + ' ');
  }
  if (existsSync('slow')) await new Promise((resolve) => setTimeout(resolve, 50));
  say({ id: q.id, scores: q.texts.map(classify) });
}`);
  const files = { 'victim.mjs': stubborn, 'data.tsv': DATA };
  const args = ['attack', '-m', 'cmd:node victim.mjs', '-d', 'data.tsv', '-a', 'deepwordbug', '-n', '0'];
  const [cwd, whole] = [folder({ ...files, slow: '' }), folder(files)];
  const pids = () => {
    const path = join(cwd, 'pids');
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split(' ').map(Number) : [];
  };
  const ended = await robustProcess(args, {
    cwd,
    watch: (child) =>
      void until(() => existsSync(join(cwd, '.robust/runs/latest')), lasting(30_000)).then(() => child.kill('SIGKILL')),
  });
  expect(ended).toMatchObject({ signal: 'SIGKILL' });
  expect(pids()).toHaveLength(2);
  expect(await until(() => !pids().some(runs), lasting(5000))).toBe(true);
  rmSync(join(cwd, 'slow'));
  expect(await robust(['attack', '--resume'], { cwd })).toMatchObject({ code: 0 });
  expect(await robust(args, { cwd: whole })).toMatchObject({ code: 0 });
  expect(journal(cwd)).toBe(journal(whole));
  expect(await until(() => !pids().some(runs), lasting(5000))).toBe(true);
});
