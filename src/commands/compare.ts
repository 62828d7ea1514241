import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Flags, type Interfaces } from '@oclif/core';
import type { ComparedModel, Comparison, ComparisonReport, TransferRate } from '../core/comparison.js';
import { UsageError } from '../core/errors.js';
import type { LoadedModel } from '../model/load.js';
import type { RunFolder } from '../run/index.js';
import { BaseCommand } from './_shared/base-command.js';
import { commandLine, quoted, settingsOf } from './_shared/replay.js';
import { RUNS } from './_shared/runs.js';
import Attack from './attack.js';

const { model: _model, resume: _resume, 'run-budget': _runBudget, ...attackFlags } = Attack.flags;

/** A finished run, and its model while that is open. */
interface Contender {
  readonly folder: RunFolder;
  readonly model?: LoadedModel;
}

export default class Compare extends BaseCommand {
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
    { description: 'Two finished runs', command: '<%= config.bin %> compare 20261120T211400Z-ab12cd latest' },
  ];

  static override usage = '<%= command.id %> MODEL MODEL... [FLAGS]';
  static override strict = false;

  static override flags = {
    ...attackFlags,
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
    const [{ compareRuns, comparedModel }, { outputFiles, writeReport }, documents, { RUN_SETTINGS }] =
      await Promise.all([
        import('../run/index.js'),
        import('./_shared/output-files.js'),
        import('../../reports/index.js'),
        import('./_shared/attacked.js'),
      ]);
    const { comparisonJson, comparisonMarkdown, comparisonTerminal } = documents;
    const outputs = await outputFiles(flags.output ?? [], [comparisonMarkdown, comparisonJson]);
    const replay = (names: readonly string[]): string =>
      commandLine(['compare', ...names.map(quoted)].join(' '), settingsOf(flags, RUN_SETTINGS));
    const contenders: Contender[] = [];
    try {
      for (const [at, spec] of specs.entries()) {
        const done = contenders.map(({ folder }) => folder.id);
        // Finished runs stand in for their models, so that nothing is done twice.
        const again = (run: string): string =>
          `robust attack --resume ${run} && ${replay([...done, run, ...specs.slice(at + 1)])}`;
        contenders.push(
          isRun(spec)
            ? await existing(spec)
            : await this.#attacked({ ...flags, model: spec, 'run-budget': undefined }, again),
        );
      }
      const names = new Map(contenders.map(({ folder }, at) => [folder.id, specs[at] as string]));
      const named = (model: ComparedModel): ComparedModel => ({ ...model, name: names.get(model.run) ?? model.name });
      const [first, ...others] = contenders.map(({ folder }) => folder) as [RunFolder, ...RunFolder[]];
      const compared: Comparison[] = [];
      for (const other of others) {
        const { models, ...rest } = await compareRuns(first, other);
        compared.push({ models: [named(models[0]), named(models[1])], ...rest });
      }
      const [{ models: _, ...comparison }, ...further] = compared as [Comparison, ...Comparison[]];
      const { data, seed, clean } = first.record;
      const report: ComparisonReport = {
        models: contenders.map(({ folder }) => named(comparedModel(folder))),
        data: { name: data.name, sha256: data.sha256, examples: clean?.examples ?? 0 },
        seed,
        ...comparison,
        further,
        transfer: flags.transfer ? await this.#transfer(contenders, specs) : [],
        toolVersion: this.config.version,
        command: replay(specs),
      };
      for (const output of outputs) await writeReport(output, report);
      await this.answer(report, async () => comparisonTerminal(await this.screen()).render(report));
      if (!this.jsonEnabled() && outputs.length > 0) {
        await this.print(`\n${outputs.map(({ path }) => `Written  ${path}\n`).join('')}`);
      }
    } finally {
      for (const { model } of contenders) await model?.close();
    }
  }

  async #attacked(choice: CompareFlags, again: (run: string) => string): Promise<Contender> {
    const [{ attacked }, { chooseAttacks }] = await Promise.all([
      import('./_shared/attacked.js'),
      import('./_shared/choose-attacks.js'),
    ]);
    const suites = choice.suite ?? (choice.attack === undefined ? ['typos'] : []);
    const { constraints } = choice;
    const attacks = await chooseAttacks(suites, choice.attack ?? [], { constraints });
    const loading = await this.loadOptions(choice.model, choice.offline);
    let run = '';
    return this.interruptible(
      () => (run === '' ? 'the same command' : again(run)),
      !choice['no-progress'],
      (hooks) => {
        this.note(`${choice.model}: ${attacks.map(({ label }) => label).join(', ')}`);
        const begun = { ...hooks, began: (folder: RunFolder) => (run = folder.id) };
        return attacked(choice, attacks, { loading, toolVersion: this.config.version }, begun);
      },
    );
  }

  /** Each model's adversarial texts before each other model that is open; of finished runs only the texts are at hand. */
  async #transfer(contenders: readonly Contender[], names: readonly string[]): Promise<TransferRate[]> {
    const { transferRates } = await import('../run/index.js');
    const rates: TransferRate[] = [];
    for (const [at, from] of contenders.entries()) {
      for (const [other, to] of contenders.entries()) {
        if (at === other || to.model === undefined) continue;
        const found = await transferRates(from.folder, to.folder, to.model);
        rates.push(...found.map((rate) => ({ ...rate, from: names[at] as string, to: names[other] as string })));
      }
    }
    return rates;
  }
}

type CompareFlags = Interfaces.InferredFlags<typeof Compare.flags> & {
  readonly model: string;
  readonly 'run-budget': undefined;
};

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
