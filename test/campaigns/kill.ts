/**
 * @file kill -9 at a random moment of a command's life, sometimes again while it is resumed, then resumed to its end: what it leaves
 * must equal, byte for byte, what the command leaves undisturbed; meanwhile each file is whole or not there.
 */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/core/package-root.js';
import { random } from '../../src/core/random.js';
import { lasting } from '../calibration.js';
import { runs, speaking, until } from '../remote/programs.js';
import type { Campaign, Trial } from './campaign.js';

const bin = join(packageRoot, 'bin', 'run.js');
const toy = join(packageRoot, 'test', 'commands', 'toy-classifier.mjs');

interface Ended {
  readonly code: number | null;
  readonly killed: boolean;
  readonly stderr: string;
  readonly ms: number;
}

/** Runs a command, and kills it after the given milliseconds if it still runs. */
function robust(args: readonly string[], cwd: string, after?: number): Promise<Ended> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('ROBUST_')));
  const began = performance.now();
  const child = spawn(process.execPath, [bin, ...args], { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (data) => {
    stderr += data;
  });
  const timer = after === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), after);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, killed: signal === 'SIGKILL', stderr, ms: performance.now() - began });
    });
  });
}

interface Command {
  readonly name: string;
  /** Makes what it starts from, in a folder that has the data. */
  prepare?(cwd: string): Promise<void>;
  readonly args: readonly string[];
  /** The command that continues it; the same command if it is simply run again. */
  readonly resume: readonly string[];
  /** Error codes of `resume` if there is nothing to continue: the command is then run again. */
  readonly nothing?: RegExp;
  /** Said by `resume` where all was done already. */
  readonly done?: RegExp;
  /** Its results, by name. */
  products(cwd: string): Readonly<Record<string, Buffer>>;
  /** The fault of a killed command's files, if any. */
  broken?(cwd: string, whole: Readonly<Record<string, Buffer>>): string | undefined | Promise<string | undefined>;
}

const RUNS = join('.robust', 'runs');
const runsIn = (cwd: string): string[] =>
  existsSync(join(cwd, RUNS)) ? readdirSync(join(cwd, RUNS)).filter((name) => /^\d/.test(name)) : [];
const read = (cwd: string, ...names: readonly string[]): Record<string, Buffer> =>
  Object.fromEntries(names.map((name) => [name, readFileSync(join(cwd, name))]));

/** The run that was made last, and the report that was asked for. */
const runAndReport = (cwd: string): Record<string, Buffer> => ({
  'results.jsonl': readFileSync(join(cwd, RUNS, runsIn(cwd).at(-1) as string, 'results.jsonl')),
  ...read(cwd, 'r.csv'),
});

/** Each whole line of an unfinished journal is one of the undisturbed run's, and there once; each run has its record. */
function brokenRun(cwd: string, whole: Readonly<Record<string, Buffer>>): string | undefined {
  const known = new Set((whole['results.jsonl'] as Buffer).toString().split('\n'));
  for (const run of runsIn(cwd)) {
    if (!existsSync(join(cwd, RUNS, run, 'run.json'))) return `${run} has no run.json`;
    const path = join(cwd, RUNS, run, 'results.jsonl');
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
    if (new Set(lines).size !== lines.length) return `${run}: a line is there twice`;
    const foreign = lines.find((line) => !known.has(line));
    if (foreign !== undefined) return `${run}: a line that the undisturbed run has not: ${foreign.slice(0, 200)}`;
  }
  return brokenFile(cwd, whole);
}

/** Each file is the whole one or the old one, or not there. */
function brokenFile(cwd: string, whole: Readonly<Record<string, Buffer>>): string | undefined {
  const torn = Object.entries(whole).find(([name, content]) => {
    const path = join(cwd, name);
    if (!existsSync(path)) return false;
    const now = readFileSync(path);
    return !now.equals(content) && now.toString() !== OLD;
  });
  return torn && `${torn[0]} is neither the old file nor the whole new one`;
}

const OLD = 'what was there before\n';

function sentences(count: number, seed: number): string {
  const draw = random(seed, 'sentences');
  const row = (_: unknown, at: number): string => {
    const label = draw.int(2);
    const word = draw.pick(label ? ['good', 'fun', 'fine'] : ['bad', 'dull', 'poor']);
    return `${draw.pick(['a', 'the'])} ${word} ${draw.pick(['film', 'tale', 'plot'])} number ${at}\t${label}`;
  };
  return `text\tlabel\n${Array.from({ length: count }, row).join('\n')}\n`;
}

const ATTACK = ['-m', toy, '-d', 'data.tsv', '-a', 'deepwordbug', '-a', 'pruthi', '-n', '0'];
const SMALL = ['--arch', 'layers=1:dim=16:heads=2:vocabulary=60', '--lr', '0.01', '--epochs', '4'];

const JUDGE = ['gate', 'latest', '--require', 'overall.accuracyUnderAttack >= 0 and <= 1'].concat(
  ['g.json', 'g.md', 'g.xml'].flatMap((file) => ['-o', file]),
);
const MERGE = ['report', '--merge', 'one', '--merge', 'two', '-o', 'r.csv'];

const DYING = speaking(`{
  if (asked === 1) {
    appendFileSync('pids', process.pid + '\\n');
    // Its end of standard input is not enough for every other one.
    if (process.pid % 2) setInterval(() => {}, 1000);
  }
  // Each process dies of its 25th request.
  if (asked % 25 === 0) process.kill(process.pid, 'SIGKILL');
  say({ id: q.id, scores: q.texts.map(classify) });
}`);

/** Processes of the program that are left when robust has been gone for a while. */
async function brokenProgram(cwd: string): Promise<string | undefined> {
  const pids = existsSync(join(cwd, 'pids'))
    ? readFileSync(join(cwd, 'pids'), 'utf8').trim().split('\n').map(Number)
    : [];
  const gone = await until(() => !pids.some(runs), lasting(5000));
  return gone ? undefined : `a process of the program is left: ${pids.filter(runs)}`;
}

const commands: readonly Command[] = [
  {
    name: 'attack',
    args: ['attack', ...ATTACK, '-o', 'r.csv'],
    resume: ['attack', '--resume', '-o', 'r.csv'],
    nothing: /There is no run yet/,
    products: runAndReport,
    broken: brokenRun,
  },
  {
    name: 'resume',
    // Half of a run, as a kill leaves it.
    async prepare(cwd) {
      await done(['attack', ...ATTACK], cwd);
      const run = join(cwd, RUNS, runsIn(cwd)[0] as string);
      const {
        clean: _,
        outcomes: __,
        resultsSha256: ___,
        ...record
      } = JSON.parse(readFileSync(join(run, 'run.json'), 'utf8'));
      writeFileSync(join(run, 'run.json'), JSON.stringify({ ...record, status: 'running' }));
      const lines = readFileSync(join(run, 'results.jsonl'), 'utf8').split(/(?<=\n)/);
      writeFileSync(join(run, 'results.jsonl'), lines.slice(0, lines.length / 2).join(''));
    },
    args: ['attack', '--resume', '-o', 'r.csv'],
    resume: ['attack', '--resume', '-o', 'r.csv'],
    products: runAndReport,
    broken: brokenRun,
  },
  {
    // A program that ends by itself now and then, which must not outlive robust, whether it notices or not.
    name: 'program',
    prepare: async (cwd) => writeFileSync(join(cwd, 'victim.mjs'), DYING),
    args: ['attack', '-m', 'cmd:node victim.mjs', ...ATTACK.slice(2), '-o', 'r.csv'],
    resume: ['attack', '--resume', '-o', 'r.csv'],
    nothing: /There is no run yet/,
    products: runAndReport,
    broken: async (cwd, whole) => (await brokenProgram(cwd)) ?? brokenRun(cwd, whole),
  },
  {
    name: 'train',
    args: ['train', '-d', 'data.tsv', ...SMALL, '-o', 'm'],
    resume: ['train', '--resume', '-o', 'm'],
    nothing: /expected an interrupted training in \S+, found none/,
    done: /got one that has finished/,
    products: (cwd) => read(cwd, 'm/model.onnx', 'm/tokenizer.json', 'm/config.json', 'm/training/history.json'),
  },
  {
    name: 'plant',
    prepare: async (cwd) => void (await done(['train', '-d', 'data.tsv', ...SMALL, '-o', 'model'], cwd)),
    args: [
      'backdoor',
      'plant',
      '-m',
      'model',
      '-d',
      'data.tsv',
      '--test',
      'data.tsv',
      '--target',
      '1',
      '--lr',
      '0.01',
    ].concat(['--epochs', '2', '-o', 'p']),
    resume: ['backdoor', 'plant', '--resume', '-o', 'p'],
    nothing: /expected an interrupted training in \S+, found none/,
    done: /got one that has finished/,
    products: (cwd) => read(cwd, 'p/model.onnx', 'p/planting/report.md', 'p/planting/poisoned.tsv'),
  },
  {
    name: 'gate',
    async prepare(cwd) {
      await done(['attack', ...ATTACK], cwd);
      for (const name of ['g.json', 'g.md', 'g.xml']) writeFileSync(join(cwd, name), OLD);
    },
    args: JUDGE,
    resume: JUDGE,
    products: (cwd) => read(cwd, 'g.json', 'g.md', 'g.xml'),
    broken: brokenFile,
  },
  {
    name: 'merge',
    async prepare(cwd) {
      for (const [shard, name] of ['one', 'two'].entries()) {
        await done(['attack', ...ATTACK, '--shard', `${shard + 1}/2`], cwd);
        cpSync(join(cwd, RUNS, runsIn(cwd).at(-1) as string), join(cwd, name), { recursive: true });
      }
      for (const each of runsIn(cwd)) cpSync(join(cwd, RUNS, each), join(cwd, 'away', each), { recursive: true });
      rmSync(join(cwd, '.robust'), { recursive: true });
    },
    args: MERGE,
    resume: MERGE,
    products: runAndReport,
    broken: (cwd, whole) => {
      const half = runsIn(cwd).find(
        (run) => !existsSync(join(cwd, RUNS, run, 'results.jsonl')) || !existsSync(join(cwd, RUNS, run, 'run.json')),
      );
      return half === undefined ? brokenRun(cwd, whole) : `${half} is half a run`;
    },
  },
];

async function done(args: readonly string[], cwd: string): Promise<number> {
  const { code, stderr, ms } = await robust(args, cwd);
  if (code !== 0) throw new Error(`robust ${args.join(' ')}: expected exit code 0, got ${code}: ${stderr}`);
  return ms;
}

/** Kills of these commands; of all without names. */
export const killing = (names: readonly string[] = commands.map(({ name }) => name)): Campaign => ({
  name: 'kill',
  summary: 'kill -9 at a random moment, then resume: nothing lost, repeated or changed',
  count: 1000,
  async open(home) {
    const killed = commands.filter(({ name }) => names.includes(name));
    const known = new Map<string, { readonly whole: Readonly<Record<string, Buffer>>; readonly ms: number }>();
    for (const { name, args, products, prepare } of killed) {
      const start = join(home, name);
      mkdirSync(start, { recursive: true });
      writeFileSync(join(start, 'data.tsv'), sentences(name === 'plant' || name === 'train' ? 160 : 60, 1));
      await prepare?.(start);
      const cwd = join(home, `${name}-undisturbed`);
      cpSync(start, cwd, { recursive: true });
      const ms = await done(args, cwd);
      known.set(name, { ms, whole: products(cwd) });
    }
    return {
      async trial(number, { random: draw, folder }): Promise<Trial> {
        const command = killed[number % killed.length] as Command;
        const { whole, ms } = known.get(command.name) as { whole: Record<string, Buffer>; ms: number };
        const fault = (what: string): Trial => ({ kind: command.name, ended: 'a fault', fault: `${what} (${folder})` });
        const cwd = join(folder, 'at');
        cpSync(join(home, command.name), cwd, { recursive: true });
        // As long as the undisturbed one took, and a little more: a few are over before.
        const moments = Array.from({ length: 1 + draw.int(2) }, () => draw.unit() * ms * 1.1);
        let kills = 0;
        let args = command.args;
        for (const moment of moments) {
          const { killed } = await robust(args, cwd, moment);
          if (!killed) break;
          kills++;
          const broken = await command.broken?.(cwd, whole);
          if (broken !== undefined) return fault(broken);
          args = command.resume;
        }
        for (let tries = 0; kills > 0; tries++) {
          const { code, stderr } = await robust(args, cwd);
          if (code === 0 || command.done?.test(stderr)) break;
          if (tries > 0 || !command.nothing?.test(stderr)) return fault(`resuming ended with ${code}: ${stderr}`);
          args = command.args;
        }
        const left = command.products(cwd);
        const changed = Object.entries(whole).find(([name, content]) => !left[name]?.equals(content));
        if (changed !== undefined) return fault(`${changed[0]} differs from the undisturbed one`);
        return {
          kind: command.name,
          ended: kills === 0 ? 'over before the kill' : `killed ${kills === 1 ? 'once' : 'twice'}, the same bytes`,
        };
      },
      async [Symbol.asyncDispose]() {},
    };
  },
});

export const kill = killing();

/** Of robust and of a program that is its victim, which ends by itself too. */
export const programs: Campaign = {
  ...killing(['program']),
  name: 'programs',
  summary:
    'kill -9 of robust and of the program that it attacks, then resume: nothing lost or changed, no process left',
  count: 50,
};
