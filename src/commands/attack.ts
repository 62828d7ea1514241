import { relative } from 'node:path';
import { Flags } from '@oclif/core';
import { EXIT } from '../core/errors.js';
import type { Report } from '../core/types.js';
import type { OpenWhiteBox } from '../gradient/white-box.js';
import type { RunFolder } from '../run/index.js';
import { BaseCommand } from './_shared/base-command.js';
import type { Guessers } from './_shared/fill-masks.js';
import { fraction, outputFlag, speedFlags, victimFlags, wholeNumber } from './_shared/flags.js';
import { commandLine, type Settings, settingsOf } from './_shared/replay.js';
import { RUNS } from './_shared/runs.js';

const ATTACK = { helpGroup: 'attack' };
const RUNNING = { helpGroup: 'running' };

/** What decides the result: recorded with the run, printed as the command that replays it. */
const SETTINGS = [
  ...['model', 'data', 'text-column', 'label-column', 'id-column', 'label-map', 'suite', 'attack', 'num-examples'],
  ...['constraints', 'mlm'],
  ...['seed', 'engine', 'target', 'protect', 'query-budget', 'run-budget', 'max-error-rate', 'force'],
];

export default class Attack extends BaseCommand {
  static override summary = 'Attack a classifier with rewritten texts and report how often its prediction turns.';

  static override description = [
    'Every run is kept in .robust/runs with each outcome, so that it can be resumed after an interruption and rendered again (robust report). Same seed and inputs give the same results, whatever the concurrency.',
    'Each flag can be set in the environment: --num-examples is ROBUST_NUM_EXAMPLES.',
    'Models from the Hub are kept in the cache that its other tools share (HF_HUB_CACHE or HF_HOME; HF_ENDPOINT, HF_TOKEN, HF_HUB_OFFLINE and HF_HUB_DOWNLOAD_TIMEOUT mean what they mean there). Only the files needed are fetched, each is checked by its hash, and a download that broke off goes on where it ended.',
    'Exit codes: 0 done, 2 usage, 3 an input could not be loaded, 4 inconclusive (too many examples ended in an error), 70 internal error, 130 interrupted.',
  ].join('\n\n');

  static override examples = [
    {
      description: 'Misspell 200 reviews until the bundled model gets them wrong',
      command: '<%= config.bin %> attack --model distilbert --suite typos',
    },
    {
      description: 'Your own model and data, two suites, all examples, two reports',
      command: '<%= config.bin %> attack -m ./my-model -d dev.tsv -s typos -s chars -n 0 -o report.md -o report.json',
    },
    {
      description: 'A pretrained model from the Hugging Face Hub; @ and a branch, tag or commit picks a revision',
      command: '<%= config.bin %> attack -m hf:distilbert/distilbert-base-uncased-finetuned-sst-2-english',
    },
    {
      description: 'One attack with other options, and one of your own',
      command: '<%= config.bin %> attack -a deepwordbug:max-edits=5 -a ./my-attack.mjs',
    },
    { description: 'Go on with an interrupted run', command: '<%= config.bin %> attack --resume' },
  ];

  static override flags = {
    ...victimFlags,
    suite: Flags.string({
      char: 's',
      multiple: true,
      multipleNonGreedy: true,
      description: 'a list of attacks by name; repeat [default: typos, unless --attack is given]',
    }),
    attack: Flags.string({
      char: 'a',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'name[:option=value]',
      description: 'an attack by name, or the file of your own; options after colons; repeat',
    }),
    constraints: Flags.string({
      ...ATTACK,
      options: ['ours', 'paper', 'strict', 'none'],
      description: 'how freely words may be swapped: as we would, as the paper did, strictly, or anyhow',
    }),
    mlm: Flags.string({
      ...ATTACK,
      helpValue: 'folder',
      description: 'a masked language model as ONNX that guesses words for attacks that fill gaps; n-grams without',
    }),
    seed: wholeNumber('seed', 0)({ default: 42, description: 'of all randomness' }),
    target: Flags.string({
      ...ATTACK,
      helpValue: 'label',
      description: 'turn predictions into this label, not just any other',
    }),
    protect: Flags.string({
      ...ATTACK,
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'phrase',
      description: 'words no attack may touch; repeat',
    }),
    'query-budget': wholeNumber(
      'query-budget',
      1,
    )({ ...ATTACK, description: 'texts one attack may ask about one example' }),
    'run-budget': wholeNumber('run-budget', 1)({ ...ATTACK, description: 'texts the whole run may ask' }),
    'max-error-rate': fraction('max-error-rate')({
      ...ATTACK,
      description: 'share of errored examples above which the verdict is inconclusive [default: 0.02]',
    }),
    engine: Flags.string({
      ...RUNNING,
      options: ['onnx', 'tfjs'],
      default: 'onnx',
      description: 'what computes gradients, for attacks that need them: onnxruntime, or TF.js',
    }),
    concurrency: wholeNumber(
      'concurrency',
      1,
    )({ ...RUNNING, char: 'j', default: 64, description: 'texts attacked at once' }),
    ...speedFlags,
    resume: Flags.string({
      ...RUNNING,
      helpValue: '[run]',
      description: 'go on with an interrupted run: its id, or the latest; its other flags are remembered',
    }),
    output: outputFlag,
  };

  static override writesReports = true;

  async run(): Promise<void> {
    const { flags, metadata } = await this.parse(Attack, withLatest(this.argv));
    const [engine, { chooseAttacks }, { openGuessers }, { planOf }, { openVictim }, { outputFiles, writeReport }] =
      await Promise.all([
        import('../run/index.js'),
        import('./_shared/choose-attacks.js'),
        import('./_shared/fill-masks.js'),
        import('./_shared/attack-plan.js'),
        import('./_shared/victim.js'),
        import('./_shared/output-files.js'),
      ]);
    const outputs = await outputFiles(flags.output ?? []);
    const resumed = flags.resume === undefined ? undefined : await engine.openRun(RUNS, flags.resume);
    const given = SETTINGS.filter((name) => metadata.flags[name]?.setFromDefault !== true);
    const choice: typeof flags = { ...flags, ...resumed?.record.settings, ...settingsOf(flags, given) };
    if (choice.attack === undefined) choice.suite ??= ['typos'];
    const { constraints, mlm } = choice;
    const chosen = await chooseAttacks(choice.suite ?? [], choice.attack ?? [], { constraints, mlm });
    const loading = await this.loadOptions(choice.model, flags.offline);
    const victim = await this.showing(!flags['no-progress'], () => openVictim(choice, loading));
    const { model, dataset } = victim;
    const settings = settingsOf({ ...choice, model: model.pinned ?? choice.model }, SETTINGS);
    let inside: OpenWhiteBox | undefined;
    let guessers: Guessers | undefined;
    try {
      const speed = choice.workers === undefined ? {} : { workers: choice.workers };
      guessers = await openGuessers(chosen, async (spec) => ({
        ...(await this.loadOptions(spec, flags.offline)),
        ...speed,
      }));
      const { attacks } = guessers;
      if (attacks.some(engine.needsGradients)) {
        const { openWhiteBox } = await import('../gradient/white-box.js');
        inside = await openWhiteBox(model, { engine: choice.engine === 'tfjs' ? 'tfjs' : 'onnx' });
      }
      const plan = planOf(choice, settings, attacks, victim, inside, this.config.version);
      const folder = resumed ?? (await engine.createRun(RUNS, plan));
      const again = commandLine('attack', { resume: folder.id, ...settingsOf(flags, ['output']) });
      const report = await this.interruptible(again, !flags['no-progress'], (hooks) => {
        this.note(`${plan.model.name} on ${dataset.name}: ${attacks.map(({ label }) => label).join(', ')}`);
        return engine.attack(plan, folder, hooks);
      });
      const { computed, batches, meanBatch, secondsBusy } = model.figures();
      this.detail(
        `${computed} texts computed in ${batches} batches of ${meanBatch.toFixed(1)}, ${secondsBusy.toFixed(1)} s of model time`,
      );
      // Closing may have something to say that belongs into the report.
      await model.close();
      const told: Report = { ...report, warnings: [...new Set([...report.warnings, ...this.warnings])] };
      for (const output of outputs) await writeReport(output, told);
      await this.#show(
        told,
        outputs.map(({ path }) => path),
        folder,
        plan.settings,
      );
      if (told.verdict === 'inconclusive') process.exitCode = EXIT.inconclusive;
    } finally {
      await inside?.close();
      await guessers?.close();
      await model.close();
    }
  }

  async #show(report: Report, outputs: readonly string[], folder: RunFolder, settings: Settings): Promise<void> {
    const { jsonOf, terminal } = await import('../../reports/index.js');
    if (this.jsonEnabled()) return this.print(jsonOf('attack').render(report));
    const screen = await this.screen();
    // Whoever reads both streams on one screen has seen the warnings.
    const untold =
      process.stdout.isTTY && !this.quiet ? report.warnings.filter((w) => !this.warnings.includes(w)) : report.warnings;
    await this.print(terminal(screen).render({ ...report, warnings: untold }));
    const { bold, dim } = screen.chalk;
    const next = await nextCommand(report, outputs, settings);
    const lines = [
      ...outputs.map((output) => `Written  ${output}`),
      `Run      ${relative('', folder.path)}`,
      `Next     ${bold(next)}`,
      dim(`Replay   ${report.command}`),
    ];
    await this.print(`\n${lines.join('\n')}\n`);
  }
}

/** What a reader of this report may want to do now. */
async function nextCommand({ run, attacks }: Report, outputs: readonly string[], settings: Settings): Promise<string> {
  if (outputs.length === 0) return `robust report ${run} -o report.md`;
  const { suites } = await import('../../attacks/index.js');
  const other = suites.find(({ name }) => attacks.every(({ suite }) => suite !== name));
  const victim = settingsOf(settings, ['model', 'data']);
  return other === undefined
    ? commandLine('evaluate', victim)
    : commandLine('attack', { ...victim, suite: other.name });
}

/** `--resume` may stand alone, which flags with a value may not: then it means the latest run. */
const withLatest = (argv: readonly string[]): string[] =>
  argv.flatMap((word, i) => (word === '--resume' && (argv[i + 1] ?? '-').startsWith('-') ? [word, 'latest'] : [word]));
