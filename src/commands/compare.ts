import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Flags } from '@oclif/core';
import { EXIT, UsageError } from '../core/errors.js';
import { defences } from '../defence/index.js';
import type { Classifier } from '../index.js';
import type { LoadedModel } from '../model/load.js';
import type { RunFolder } from '../run/index.js';
import { attackFlags, SETTINGS } from './_shared/attack-flags.js';
import { AttackingCommand, attacksOf } from './_shared/attacking-command.js';
import { outputFlag } from './_shared/flags.js';
import { commandLine, quoted, settingsOf } from './_shared/replay.js';
import { RUNS } from './_shared/runs.js';

const { model: _model, 'run-budget': _runBudget, shard: _shard, ...flagsOfAttack } = attackFlags;

/** A budget of the run would end each model's at another example. */
const NO_BUDGET = { 'run-budget': undefined, shard: undefined };

/** What decides the result, besides the models. */
const SETTINGS_HERE = SETTINGS.filter((name) => name !== 'model');

/** A finished run, and its model while that is open. */
interface Contender {
  readonly folder: RunFolder;
  readonly model?: LoadedModel;
  readonly classifier?: Classifier;
}

export default class Compare extends AttackingCommand {
  static override summary = 'Compare models on the same examples under the same attacks: is the difference real?';

  static override description = [
    'The first model is the one the others are compared with. Each is attacked as robust attack does it, and keeps its run in .robust/runs; finished runs can be given instead of models, by id or folder.',
    'Differences are paired, example by example: Newcombe intervals, the exact McNemar test, and the Holm correction over the attacks. Attack success rates are over the examples that both models read right unedited. Adversarial texts of each model are read by the others too (transfer).',
  ].join('\n\n');

  static override examples = [
    {
      description: 'Does the hardened model withstand more?',
      command: '<%= config.bin %> compare distilbert ./hardened --data dev.tsv --suite typos --suite synonyms',
    },
    {
      description: 'The two bundled models, as Markdown',
      command: '<%= config.bin %> compare distilbert bert-mini -o comparison.md',
    },
    {
      description: 'What a defence is worth',
      command: '<%= config.bin %> compare distilbert distilbert+spelling --suite typos',
    },
    { description: 'Two finished runs', command: '<%= config.bin %> compare 20261120T211400Z-ab12cd latest' },
  ];

  static override usage = '<%= command.id %> MODEL MODEL... [FLAGS]';
  static override strict = false;

  static override flags = {
    ...flagsOfAttack,
    output: outputFlag,
    transfer: Flags.boolean({
      allowNo: true,
      default: true,
      helpGroup: 'attack',
      description: "also let each model read the others' adversarial texts",
    }),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Compare);
    const specs = argv as string[];
    checkSpecs(specs);
    const [{ comparisonReport }, { outputFiles, writeReport }, documents] = await Promise.all([
      import('./_shared/comparison-report.js'),
      import('./_shared/output-files.js'),
      import('../../reports/index.js'),
    ]);
    const { comparisonJson, comparisonMarkdown, comparisonTerminal } = documents;
    const outputs = await outputFiles(flags.output ?? [], [comparisonMarkdown, comparisonJson]);
    const replay = (names: readonly string[]): string =>
      commandLine(['compare', ...names.map(quoted)].join(' '), settingsOf(flags, [...SETTINGS_HERE, 'isolate']));
    const contenders: Contender[] = [];
    try {
      for (const [at, spec] of specs.entries()) {
        const done = contenders.map(({ folder }) => folder.id);
        // Finished runs stand in for their models, so that nothing is done twice.
        const again = (run: string): string =>
          `${commandLine('attack', { resume: run, ...settingsOf(flags, ['isolate']) })} && ${replay([...done, run, ...specs.slice(at + 1)])}`;
        contenders.push(
          isRun(spec)
            ? await existing(spec)
            : await this.attackedOpen(
                { ...flags, ...modelAndDefences(spec, flags.defend), ...NO_BUDGET },
                { again, only: contenders[0] && attacksOf(contenders[0].folder) },
              ),
        );
      }
      const report = await comparisonReport(
        contenders.map(({ folder, classifier }, at) => ({
          name: specs[at] as string,
          folder,
          ...(classifier && flags.transfer ? { classifier } : {}),
        })),
        { toolVersion: this.config.version, command: replay(specs) },
      );
      if (report.verdict === 'inconclusive') process.exitCode = EXIT.inconclusive;
      for (const output of outputs) await writeReport(output, report);
      await this.answer(report, async () => comparisonTerminal(await this.screen()).render(report));
      if (!this.jsonEnabled() && outputs.length > 0) {
        await this.print(`\n${outputs.map(({ path }) => `Written  ${path}\n`).join('')}`);
      }
    } finally {
      for (const { model } of contenders) await model?.close();
    }
  }
}

/** `model+defence+defence`: what follows a plus sign is a defence where one has that name, else part of the model's. */
function modelAndDefences(spec: string, all: readonly string[] = []): { model: string; defend: string[] } {
  const [model = '', ...parts] = spec.split('+');
  const defend: string[] = [];
  while (parts.length > 0 && isDefence(parts.at(-1) as string)) defend.unshift(parts.pop() as string);
  return { model: [model, ...parts].join('+'), defend: [...all, ...defend] };
}

const isDefence = (part: string): boolean => defences.some(({ name }) => name === part.split(':')[0]);

async function existing(spec: string): Promise<Contender> {
  const { openRun } = await import('../run/index.js');
  return { folder: await openRun(RUNS, spec) };
}

/** A run by id or folder, or the latest: not a model. */
const isRun = (spec: string): boolean =>
  spec === 'latest' || [spec, join(RUNS, spec)].some((path) => existsSync(join(path, 'run.json')));

function checkSpecs(specs: readonly string[]): void {
  const flag = specs.find((spec) => spec.startsWith('-'));
  if (flag !== undefined) {
    throw new UsageError(`expected models or runs, got "${flag}"`, {
      code: 'USAGE',
      hint: 'See robust compare --help.',
    });
  }
  if (specs.length < 2) {
    throw new UsageError(`expected two models or runs, got ${specs.length === 0 ? 'none' : `"${specs[0]}" alone`}`, {
      code: 'USAGE',
      hint: 'For example: robust compare distilbert bert-mini',
    });
  }
  const twice = specs.find((spec, at) => specs.indexOf(spec) !== at);
  if (twice !== undefined) {
    throw new UsageError(`"${twice}" is given twice`, { code: 'USAGE', hint: 'A model is equal to itself.' });
  }
}
