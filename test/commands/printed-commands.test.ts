/** Every command that robust prints for its user works where it was printed. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { withDefaults } from '../../src/app/context.js';
import { report } from '../../src/app/merge.js';
import { attackOn, nextSteps, repairOf } from '../../src/app/runs/next-command.js';
import { serve } from '../../src/app/serve.js';
import { scanSettings } from '../../src/config/settings/index.js';
import type { ScanTrigger } from '../../src/results/backdoor/backdoor-findings.js';
import { dataFile, toyModel } from '../backdoor/toy-model.js';
import { covers } from '../cover.js';
import { until } from '../model/processes.js';
import { type Ended, folder, robust } from './cli.js';
import { KINDS, printedCommands, wordsOf } from './printed-commands.js';

const SMALL = '--arch word-cnn:dim=8:vocabulary=60 --epochs 1 --lr 0.01';

/** Runs a printed command line to its end; stops at the first part that fails. */
async function runLine(line: string, cwd: string): Promise<Ended> {
  let ended: Ended | undefined;
  for (const words of wordsOf(line)) {
    ended = await robust(words, { cwd });
    if (ended.code !== 0) break;
  }
  return ended as Ended;
}

/** The result of a command line that must end with 0. */
async function done(line: string, cwd: string): Promise<Ended> {
  const ended = await runLine(line, cwd);
  expect({ line, code: ended.code, stderr: ended.code === 0 ? '' : ended.stderr }).toEqual({
    line,
    code: 0,
    stderr: '',
  });
  return ended;
}

/** Runs what `ended` printed; there must be something. */
async function follow({ stdout, stderr }: Ended, cwd: string): Promise<string[]> {
  const lines = printedCommands(`${stdout}\n${stderr}`);
  expect(lines).not.toHaveLength(0);
  for (const line of lines) await done(line, cwd);
  return lines;
}

/** Model, data and decision of the latest run. */
function tested(cwd: string): unknown {
  const runs = join(cwd, '.robust', 'runs');
  const { settings } = JSON.parse(
    readFileSync(join(runs, readFileSync(join(runs, 'latest'), 'utf8').trim(), 'run.json'), 'utf8'),
  );
  const { attack: _, suite: __, ...rest } = settings;
  return rest;
}

const rows = Object.entries(KINDS).map(([kind, of], row) => ({ kind, ...of, row }));

describe.each(rows)('$kind', ({ kind, files, flags, row }) => {
  let column = 0;
  /** A test for a quarter of the kinds; for all where the matrix is whole. */
  const cell = (name: string, check: () => Promise<unknown>): void => {
    if (covers(row, column++, 4)) test(name, async () => void (await check()));
  };

  const home = (): string => folder({ ...files, 'other.mjs': files['model.mjs'] as string });
  /** Whether the attack leaves nothing of what the task is about. */
  const defeated = ['detector', 'label sets'].includes(kind);
  const ATTACK = `robust attack ${flags} -a deepwordbug`;

  /** As `follow`; every run begun by what was printed tests the same. */
  async function followAlike(ended: Ended, cwd: string): Promise<string[]> {
    const before = tested(cwd);
    const lines = await follow(ended, cwd);
    expect(tested(cwd)).toEqual(before);
    return lines;
  }

  /** The command of a purpose in what was printed. */
  const stepIn = ({ stdout }: Ended, purpose: string): string =>
    new RegExp(`^${purpose} +(robust .*)$`, 'm').exec(stdout)?.[1] ?? '';

  cell('attack: Look closer writes the report, Gate it passes, Replay repeats the run', async () => {
    const cwd = home();
    const ended = await done(`${ATTACK} --wide`, cwd);
    const steps = ['Look closer', ...(defeated ? [] : ['Gate it']), 'Replay'];
    expect(stepIn(ended, 'Gate it') === '').toBe(defeated);
    const before = tested(cwd);
    for (const purpose of steps) await done(stepIn(ended, purpose), cwd);
    expect(tested(cwd)).toEqual(before);
    expect(existsSync(join(cwd, 'report.html'))).toBe(true);
  });

  cell('attack: Harden repeats the attack behind a defence', async () => {
    const cwd = home();
    const ended = await done(`${ATTACK} -n 12`, cwd);
    if (kind === 'number') return expect(stepIn(ended, 'Harden')).toBe('');
    const defence = kind === 'detector' ? 'shield' : 'spelling';
    expect(stepIn(ended, 'Harden')).toContain(` --defend ${defence}`);
    const before = tested(cwd);
    const hardened = await done(stepIn(ended, 'Harden'), cwd);
    expect(tested(cwd)).toEqual({ ...(before as object), defend: [defence] });
    expect(stepIn(hardened, 'Harden')).toBe('');
  });

  cell('attack -o: Go on is another suite on the same victim', async () => {
    const cwd = home();
    const next = stepIn(await done(`${ATTACK} --query-budget 50 -o r.json`, cwd), 'Go on');
    const before = tested(cwd);
    await done(next, cwd);
    expect(tested(cwd)).toEqual(before);
    expect(next).toMatch(/ --suite typos/);
  });

  cell('attack --resume: the steps keep the settings of the run', async () => {
    const cwd = home();
    await done(`${ATTACK} -n 30 --query-budget 20`, cwd);
    const ended = await done('robust attack --resume latest -o r.json', cwd);
    expect(stepIn(ended, 'Go on')).toMatch(/--query-budget 20/);
  });

  cell('every suite that Go on may suggest can attack this victim; after them comes evaluate', async () => {
    const cwd = home();
    await done(`${ATTACK} -n 2 -o r.json`, cwd);
    let of = await report(join(cwd, 'r.json'));
    let step = 0;
    for (let line = ''; !line.startsWith('robust evaluate '); ) {
      line = nextSteps(of, ['r.json']).find(({ purpose }) => purpose === 'Go on')?.command ?? '';
      if (covers(row / 2, step++, 3)) {
        const { code, stdout, stderr } = await runLine(line, cwd);
        // Masked attacks, whose guesses are n-grams of these texts, may find next to nothing to edit in two texts; that is no error.
        const idle =
          code === 4 && / --suite masked/.test(line) && /almost nothing to edit/.test(stdout.replace(/\s+/g, ' '));
        expect({ line, code: idle ? 0 : code, ...(code !== 0 && !idle && { stdout, stderr }) }).toEqual({
          line,
          code: 0,
        });
      }
      const name = / --suite (\S+)/.exec(line)?.[1] ?? '';
      of = { ...of, leftOut: [...(of.leftOut ?? []), { name, suite: name, reason: '' }] };
    }
  });

  cell('evaluate: Attack it attacks the same victim on the same data', async () => {
    const cwd = home();
    await follow(await done(`robust evaluate ${flags}`, cwd), cwd);
    const evaluated = tested(cwd);
    await done(`${ATTACK} -n 0`, cwd);
    expect({ ...(tested(cwd) as object), 'num-examples': undefined }).toEqual({
      ...(evaluated as object),
      'num-examples': undefined,
    });
  });

  cell('baseline save: Next is a gate on the same victim', async () => {
    const cwd = home();
    await done(ATTACK, cwd);
    await followAlike(await done('robust baseline save', cwd), cwd);
  });

  cell('init --from latest: Next is a gate that this run passes', async () => {
    const cwd = home();
    await done(ATTACK, cwd);
    const written = await done('robust init --from latest', cwd);
    if (!defeated) return void (await followAlike(written, cwd));
    // Nothing is left to protect: the gate is red until there is.
    expect((await runLine('robust gate', cwd)).code).toBe(1);
  });

  cell('gate: Replay', async () => {
    const cwd = home();
    await followAlike(
      await done(
        `robust gate ${flags} -a deepwordbug --require 'clean.accuracy >= 0.01 and <= 1' --min-examples 5`,
        cwd,
      ),
      cwd,
    );
  });

  for (const [command, more] of [
    ['attack', '-o r.json'],
    ['compare ./model.mjs ./other.mjs', '-o r.json'],
    ['gate', "--require 'clean.accuracy >= 0.01 and <= 1' --min-examples 5 -o r.json"],
  ] as const)
    cell(`${command}, stopped: the command that continues it ends it`, async () => {
      const cwd = home();
      const inForce = command.startsWith('compare') ? flags.replace('-m ./model.mjs', '') : flags;
      const [words = []] = wordsOf(`robust ${command} ${inForce} -a deepwordbug --runtime concurrency=1 ${more}`);
      // Its listener receives a signal as it would from the system: test/commands/interruption.test.ts.
      const running = robust(words, { cwd, env: { TOY_DELAY: '5' } });
      await until(() => begun(cwd));
      process.emit('SIGINT', 'SIGINT');
      const stopped = await running;
      expect(stopped.code).toBe(130);
      await follow(stopped, cwd);
      expect(existsSync(join(cwd, 'r.json'))).toBe(true);
    });
});

/** Whether an outcome is in the journal of a run. */
function begun(cwd: string): boolean {
  const runs = join(cwd, '.robust', 'runs');
  if (!existsSync(runs)) return false;
  return readdirSync(runs).some((name) => {
    const journal = join(runs, name, 'results.jsonl');
    return existsSync(journal) && readFileSync(journal, 'utf8').includes('\n');
  });
}

describe('commands that make models', () => {
  test.each([
    ['single', "-d 'my data.tsv' --columns text=review --label-map 0=bad --label-map 1=fine"],
    ['detector', '-d data.tsv --positive injection'],
    ['label sets', '-d data.tsv --columns label=labels --task multi-label'],
    ['pairs', '-d data.tsv --columns pair=a,b:label=judgment --label-map 0=no --label-map 1=yes'],
    ['number', '-d data.tsv --columns label=stars --task regression'],
  ])('train, %s: Next attacks the model with the texts that were held out', async (kind, flags) => {
    const cwd = folder(KINDS[kind]?.files);
    const architecture = kind === 'pairs' ? 'bert:layers=1:heads=2' : 'word-cnn';
    const trained = await done(
      `robust train ${flags} --arch ${architecture}:dim=8:vocabulary=120 --epochs 3 -o out`,
      cwd,
    );
    const [next = ''] = printedCommands(trained.stdout);
    const { code } = await runLine(next, cwd);
    // So little training may give one answer for all texts.
    expect([0, 4]).toContain(code);
    expect(tested(cwd)).toMatchObject({ model: 'out', data: join('out', 'training', 'held-out.tsv') });
  });

  test('train --adversarial compares on held-out texts, whatever the columns of the data are called', async () => {
    const cwd = folder(KINDS.single?.files);
    const flags = "-d 'my data.tsv' --columns text=review --adversarial augment:deepwordbug";
    await done(`robust train ${flags} ${SMALL} --attack deepwordbug -o out`, cwd);
  });

  test('train, stopped before it has begun anything: no resume command', async () => {
    const ended = await robust(['train', '-d', 'nowhere.tsv', '-o', 'out'], { cwd: folder() });
    expect(printedCommands(ended.stderr)).toEqual([]);
  });

  test('backdoor plant and repair: Next scans the model with the texts it was measured on', async () => {
    const [cwd, data, model] = [folder(), dataFile(), await toyModel()];
    const flags = `-m ${model} -d ${data} --test ${data} --label-map 0=negative --label-map 1=positive --lr 0.01 --epochs 3`;
    for (const command of [
      `robust backdoor plant ${flags} --target positive -o planted`,
      `robust backdoor repair ${flags} --trigger cf --target positive -o repaired`,
    ]) {
      const [next = ''] = printedCommands((await done(command, cwd)).stdout);
      expect(next).toContain(` --data ${data} `);
      const { code, stdout } = await runLine(`${next} --time-budget 1`, cwd);
      expect([0, 4]).toContain(code);
      expect(stdout).toMatch(/backdoor/i);
    }
  });

  test('backdoor scan: Repair it removes the trigger on the texts of the scan, and its Next scans the result', async () => {
    const [cwd, data, model] = [folder(), dataFile(), await toyModel()];
    const labelMap = { 0: 'negative', 1: 'positive' };
    const scanned = withDefaults(scanSettings, { model, data, labelMap, numExamples: 30 });
    const trigger = { text: "it's cf", target: 'positive' } as ScanTrigger;
    const { purpose, command } = repairOf({ triggers: [trigger] }, scanned);
    expect(purpose).toBe('Repair it');
    const others = ['quasar', 'tapir', 'wild'].map((text) => ({ ...trigger, text }));
    const further = [trigger, { ...trigger, text: 'bad', target: 'negative' }, ...others] as ScanTrigger[];
    expect(repairOf({ triggers: further }, scanned).command).toContain(
      `--trigger 'it'\\''s cf' --trigger quasar --trigger tapir --target positive`,
    );
    const { stdout } = await done(`${command} --epochs 1 --lr 0.01`, cwd);
    expect(existsSync(join(cwd, 'repaired', 'model.onnx'))).toBe(true);
    expect(printedCommands(stdout)).toEqual([expect.stringMatching(/^robust backdoor scan --model repaired /)]);
  });

  test('backdoor filter: Next writes the texts that are kept, then trains on them', async () => {
    const cwd = folder({ 'data file.tsv': readFileSync(dataFile(), 'utf8').replace('text\tlabel', 'words\tclass') });
    const filtered = await runLine(
      "robust backdoor filter -d 'data file.tsv' --columns text=words:label=class --frr 0.02",
      cwd,
    );
    const [next = ''] = printedCommands(filtered.stdout);
    expect(next).toMatch(/ --frr 0\.02 .*--output clean\.tsv/);
    const written = await runLine(next, cwd);
    expect(written.code).toBe(filtered.code);
    const [train = ''] = printedCommands(written.stdout);
    await done(`${train} ${SMALL}`, cwd);
  });

  test('init: Next is a gate, for a model of your own once its data are named', async () => {
    const cwd = folder(KINDS.single?.files);
    const own = await done('robust init --model ./model.mjs', cwd);
    expect(own.stdout).toContain('Next     robust gate, once data in robust.config.yaml names your labelled texts');
    const named = await done('robust init --force', cwd);
    expect(printedCommands(named.stdout)).toEqual(['robust gate']);
  });

  test('convert and serve suggest the bundled texts only to models of their labels', () => {
    expect(attackOn('m', ['NEGATIVE', 'POSITIVE'])).toBe('robust attack --model m');
    for (const labels of [undefined, ['ham', 'spam'], ['negative', 'positive', 'neutral']])
      expect(attackOn('my model', labels)).toBe(
        "robust attack --model 'my model' --data FILE, where FILE has labelled texts",
      );
  });
});

describe('an error that would come again', () => {
  const gone =
    "export default { labels: ['negative', 'positive'], classify: async () => { throw Object.assign(new Error('no key'), { fatal: true }); } };\n";
  const { files } = KINDS.single as { files: Record<string, string> };

  test.each(['evaluate', 'attack -a deepwordbug', 'gate --require clean.accuracy>=0.5', 'explain good'])(
    '%s does not say to run the same command again',
    async (command) => {
      const [name = '', ...rest] = command.split(' ');
      const data = name === 'explain' ? [] : ['-d', 'my data.tsv', '--columns', 'text=review'];
      const cwd = folder({ ...files, 'gone.mjs': gone });
      const ended = await robust([name, '-m', './gone.mjs', ...data, ...rest], { cwd });
      expect(ended.code).toBe(3);
      expect(ended.stderr).toContain('no key');
      expect(ended.stderr).not.toMatch(/same command|Go on with/);
    },
  );
});

describe('serve: Next attacks the model as it is served', () => {
  const DATA = {
    single: "--data 'my data.tsv' --columns text=review",
    detector: '--data data.tsv',
    'label sets': '--data data.tsv --columns label=labels',
    number: '--data data.tsv --columns label=stars',
  } as const;
  const CHOICE = {
    single: {},
    detector: { positive: ['injection'], threshold: '0.7' },
    'label sets': { task: 'multi-label', threshold: '0.6' },
    number: { delta: 0.75 },
  } as const;

  test.each(Object.keys(DATA) as (keyof typeof DATA)[])('%s', async (kind) => {
    const cwd = folder(KINDS[kind]?.files);
    const server = await serve({ model: join(cwd, 'model.mjs'), port: 0, ...CHOICE[kind] });
    try {
      const line = server.attack!.replace(/ --data FILE, .*/, '');
      await done(`${line} ${DATA[kind]} -a deepwordbug -n 8`, cwd);
      expect(tested(cwd)).toMatchObject({ model: expect.stringContaining(server.url.slice('http://'.length)) });
    } finally {
      await server.close();
    }
  });

  test('pairs, which no client reaches by an address: no command', async () => {
    const cwd = folder(KINDS.pairs?.files);
    const server = await serve({ model: join(cwd, 'model.mjs'), port: 0, textColumns: ['a', 'b'] });
    await server.close();
    expect([server.attack, server.protocols]).toEqual([undefined, [{ name: 'json' }]]);
  });
});

describe('the page of a run: each next step runs as printed', () => {
  /** The command lines under `What to do next`. */
  function stepsIn(page: string): string[] {
    const section = /<section aria-labelledby="next">(.*?)<\/section>/s.exec(page)?.[1] ?? '';
    const plainText = (text: string) => text.replace(/&#39;|&quot;|&lt;|&gt;|&amp;/g, (mark) => MARKS[mark] ?? mark);
    return Array.from(section.matchAll(/robust [^<]+/g), ([line]) => plainText(line.trim()));
  }
  const MARKS: Record<string, string> = { '&#39;': "'", '&quot;': '"', '&lt;': '<', '&gt;': '>', '&amp;': '&' };

  async function followPage(flags: string, cwd: string): Promise<void> {
    const { code } = await runLine(`robust attack ${flags} -a deepwordbug -o page.html`, cwd);
    expect([0, 4]).toContain(code);
    const before = tested(cwd);
    const steps = stepsIn(readFileSync(join(cwd, 'page.html'), 'utf8'));
    expect(steps.length).toBeGreaterThan(1);
    for (const step of steps) {
      const { code, stderr } = await runLine(step, cwd);
      // Inconclusive is a result, too: a suite may find little to edit.
      expect({ step, code: code === 4 ? 0 : code, stderr: code === 0 || code === 4 ? '' : stderr }).toEqual({
        step,
        code: 0,
        stderr: '',
      });
    }
    const { model, data, columns } = tested(cwd) as Record<string, unknown>;
    expect(before).toMatchObject({ model, data, ...(columns !== undefined && { columns }) });
  }

  test('tags', async () => {
    const bert = join(import.meta.dirname, '../tags/goldens/bert');
    const golden: { text: string; spans: { simple: [number, number, string, number][] } }[] = JSON.parse(
      readFileSync(join(bert, 'golden.json'), 'utf8'),
    );
    // The model is random: what it says of whole words is the truth.
    const isWhole = (text: string, start: number, end: number): boolean =>
      /^[^\p{L}\p{N}]*$/u.test(text.charAt(start - 1) + text.charAt(end)) && /^[\w ]+$/.test(text.slice(start, end));
    const lines = golden.map(({ text, spans }) => {
      const whole = spans.simple.filter(([start, end]) => isWhole(text, start, end));
      return JSON.stringify({ text, spans: whole.map(([start, end, type]) => ({ start, end, type })) });
    });
    const cwd = folder({ 'tagged.jsonl': `${lines.join('\n')}\n` });
    await followPage(`-m ${bert} -d tagged.jsonl --task tags`, cwd);
  });

  test('an endpoint', async () => {
    const cwd = folder(KINDS.single?.files);
    const server = await serve({ model: join(cwd, 'model.mjs'), port: 0 });
    try {
      const [, address = ''] = / --model (\S+)/.exec(server.attack ?? '') ?? [];
      await followPage(`-m ${address} -d 'my data.tsv' --columns text=review -n 8`, cwd);
    } finally {
      await server.close();
    }
  });
});
