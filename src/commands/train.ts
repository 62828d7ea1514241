import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { CleanMetrics } from '../core/clean-metrics.js';
import type { Dataset } from '../core/dataset.js';
import { RobustError, UsageError } from '../core/errors.js';
import type { HardeningReport } from '../core/hardening.js';
import type { Engine } from '../gradient/engine.js';
import type { PlannedAttack, RunHooks } from '../run/index.js';
import type { History } from '../train/index.js';
import { BaseCommand } from './_shared/base-command.js';
import type { Trained } from './_shared/hardening.js';
import type { Work } from './_shared/progress-line.js';
import { commandLine, settingsOf } from './_shared/replay.js';
import { trainFlags } from './_shared/train-flags.js';
import type { TrainFlags } from './_shared/train-plan.js';
import { workOf } from './_shared/training-work.js';

/** Flags that say how to run, not what to train. */
const NOT_REMEMBERED = ['output', 'resume', 'force', 'no-progress', 'offline'];
const SETTINGS = Object.keys(trainFlags).filter((name) => !NOT_REMEMBERED.includes(name));

export default class Train extends BaseCommand {
  static override summary = 'Train a classifier from scratch, or go on training one.';

  static override description = [
    'A new model is one of four architectures with a vocabulary learnt from the data; --model trains any ONNX classifier whose graph can be differentiated. The folder it writes is what --model takes and what other tools read: Hugging Face files around an ONNX graph. The weights that did best on the validation texts are kept.',
    'In it, training/ holds the learning curve and the history, and while it runs a checkpoint: a training that was interrupted and resumed ends in the same weights as one that was not.',
  ].join('\n\n');

  static override examples = [
    {
      description: 'A small DistilBERT, from scratch',
      command:
        '<%= config.bin %> train --data train.tsv --validation dev.tsv --arch distilbert --layers 4 --dim 256 --vocabulary 8000 -o models/mine',
    },
    {
      description: 'Go on with a model, only its last layer',
      command: '<%= config.bin %> train --model ./some-onnx-folder --data more.tsv --epochs 1 --part head -o tuned',
    },
    { description: 'Go on after an interruption', command: '<%= config.bin %> train --resume -o models/mine' },
  ];

  static override flags = trainFlags;

  async run(): Promise<void> {
    const { flags: given, metadata } = await this.parse(Train);
    const { output } = given;
    const folder = join(output, 'training');
    const { recall } = await import('./_shared/train-record.js');
    const set = SETTINGS.filter((name) => metadata.flags[name]?.setFromDefault !== true);
    const flags: TrainFlags = { ...given, ...(given.resume && (await recall(folder))), ...settingsOf(given, set) };
    if (flags.data === undefined)
      throw new UsageError('expected --data, got none', { code: 'USAGE', hint: 'Name the texts to learn.' });
    checkSeeds(flags);
    if (!given.resume) {
      const files = ['config.json', 'robust.json', 'model.onnx'].map((name) => join(output, name));
      if (files.some((file) => existsSync(file)) && !given.force) throw occupied(output);
    }
    const again = commandLine('train', { resume: true, output });
    const progress = !flags['no-progress'];
    const compares = flags.adversarial !== undefined && !flags['no-compare'];
    // Before hours of training, so that a mistyped name is told at once.
    const attacks = compares ? await this.#attacks(flags) : [];
    const trained: Trained[] = [];
    let first: { history: History; validation: Dataset } | undefined;
    for (let at = 0; at < flags.seeds; at++) {
      const seed = flags.seed + at;
      const hardened = at === 0 ? output : join(output, `seed-${seed}`);
      const control = join(hardened, 'control');
      const one = (choice: TrainFlags, folder: string) =>
        this.interruptible(again, progress, (hooks) =>
          this.#trained({ ...choice, seed, output: folder }, flags.seed, hooks),
        );
      const result = await one(flags, hardened);
      first ??= result;
      if (compares) await one({ ...flags, adversarial: undefined }, control);
      trained.push({ seed, hardened, control });
    }
    const { history, validation } = first as { history: History; validation: Dataset };
    const measure = (model: string) =>
      this.interruptible(again, progress, (hooks) => this.#measure(model, flags.offline, validation, hooks));
    const clean = await measure(output);
    const untouched = flags.model && { model: flags.model, clean: await measure(flags.model) };
    const report =
      compares &&
      (await this.interruptible(again, progress, (hooks) => this.#compare(flags, trained, attacks, validation, hooks)));
    const comparison = untouched || report ? { ...untouched, ...report } : undefined;
    const curve = relative('.', join(folder, 'learning-curve.svg'));
    await this.answer({ output, history, clean, ...(comparison && { comparison }) }, async () => {
      const { hardeningTerminal, unattacked } = await import('../../reports/index.js');
      const screen = await this.screen();
      const table = (model: string, metrics: CleanMetrics) =>
        [...unattacked({ model, data: validation.name, labels: validation.labels, clean: metrics }, screen)].join('');
      const last = `\n${outcome(history)} The learning curve: ${curve}\nNext: robust attack -m ${output}\n`;
      if (report) return followed(hardeningTerminal(screen).render(report), last);
      return [untouched ? `${table(untouched.model, untouched.clean)}\n` : '', table(output, clean), last];
    });
  }

  /** Trains, goes on with a training, or finds it done. Throws where it diverged. */
  async #trained(flags: TrainFlags, heldOutBy: number, hooks: RunHooks & { work(now: Work): void }) {
    const [{ ended, remember }, { openTrainingData }] = await Promise.all([
      import('./_shared/train-record.js'),
      import('./_shared/training-data.js'),
    ]);
    const { output } = flags;
    const folder = join(output, 'training');
    const own = await this.loadOptions(flags.model ?? '', flags.offline);
    // The same texts are held out whatever the seed, so that all are compared on them.
    const data = await openTrainingData({ ...flags, seed: heldOutBy }, own);
    const done = flags.resume ? await ended(folder) : undefined;
    if (done) return { history: done, validation: data.validation };
    const begun = flags.resume && existsSync(join(folder, 'run.json'));
    if (!begun) await remember(folder, settingsOf(flags, SETTINGS), output, this.config.version);
    const history = await this.#train(flags, folder, data, hooks);
    if (history.end === 'diverged') throw diverged(history, output);
    return { history, validation: data.validation };
  }

  async #train(
    flags: TrainFlags,
    folder: string,
    { train, validation }: { readonly train: Dataset; readonly validation: Dataset },
    hooks: RunHooks & { work(now: Work): void },
  ): Promise<History> {
    const [
      { trainModel },
      { Interrupted },
      { optionsOf, startOf },
      { openRewriter },
      { loadModel },
      { Draft, synonymsAt },
    ] = await Promise.all([
      import('../train/index.js'),
      import('../run/index.js'),
      import('./_shared/train-plan.js'),
      import('./_shared/rewriter.js'),
      import('../model/load.js'),
      import('../index.js'),
    ]);
    const load = (spec: string) => this.loadOptions(spec, flags.offline);
    const own = await load(flags.model ?? '');
    const teachers = await Promise.all(
      (flags.teacher ?? []).map(async (teacher) => loadModel(teacher, await load(teacher))),
    );
    const options = optionsOf(flags);
    const warn = (message: string) => this.warning(message);
    const rewriter = options.adversarial && (await openRewriter(options.adversarial, flags.seed, load, warn));
    const began = performance.now();
    try {
      const plan = {
        start: startOf(flags, own),
        train,
        validation,
        options,
        synonyms: (word: string) => synonymsAt(Draft.of(word), 0).map(({ text }) => text),
        ...(rewriter && { rewrite: rewriter.rewrite }),
        teachers,
        engine: await engineOf(flags),
        output: flags.output,
        folder,
        resume: flags.resume,
      };
      const history = await trainModel(plan, {
        ...(hooks.signal && { signal: hooks.signal }),
        stage: (text) => this.detail(text),
        warn,
        progress: (at) => hooks.work(workOf(at, (performance.now() - began) / 1000)),
      });
      if (history.end === 'interrupted') throw new Interrupted();
      return history;
    } finally {
      for (const teacher of teachers) await teacher.close();
      await rewriter?.close();
    }
  }

  /** What the models are compared under. */
  async #attacks(flags: TrainFlags): Promise<PlannedAttack[]> {
    const [{ comparedAttacks }, { optionsOf }] = await Promise.all([
      import('./_shared/hardening.js'),
      import('./_shared/train-plan.js'),
    ]);
    return comparedAttacks(flags, optionsOf(flags).adversarial?.methods ?? []);
  }

  async #compare(
    flags: TrainFlags,
    trained: readonly Trained[],
    attacks: readonly PlannedAttack[],
    validation: Dataset,
    hooks: RunHooks,
  ): Promise<HardeningReport> {
    const { comparedTexts, hardening } = await import('./_shared/hardening.js');
    const texts = await comparedTexts(flags, join(flags.output, 'training'), validation);
    const load = (spec: string) => this.loadOptions(spec, flags.offline);
    const told = { ...hooks, told: (text: string) => this.note(text) };
    const report = await hardening(trained, { ...flags, ...texts }, attacks, load, this.config.version, told);
    return { ...report, chosenOn: flags.test === undefined };
  }

  /** The model as every user will load it, on the texts that chose its weights. */
  async #measure(model: string, offline: boolean, dataset: Dataset, hooks: RunHooks): Promise<CleanMetrics> {
    const [{ loadModel }, { evaluate }] = await Promise.all([import('../model/load.js'), import('../run/index.js')]);
    const classifier = await loadModel(model, await this.loadOptions(model, offline));
    try {
      const { name, sha256 } = classifier;
      const plan = { model: { classifier, name, sha256 }, dataset, numExamples: 0, force: true };
      return (await evaluate(plan, hooks)).clean;
    } finally {
      await classifier.close();
    }
  }
}

async function engineOf({ engine, threads }: TrainFlags): Promise<Engine> {
  if (engine === 'tfjs') return (await import('../gradient/tfjs-engine.js')).tfjsEngine();
  return (await import('../gradient/onnx-engine.js')).onnxEngine({ threads });
}

async function* followed(text: Iterable<string> | AsyncIterable<string>, last: string): AsyncGenerator<string> {
  yield* text;
  yield last;
}

function outcome({ points, steps, end }: History): string {
  const best = points.findLast((point) => point.best);
  return `Training ${end} after ${steps} steps; kept are the weights of step ${best?.step} (epoch ${best?.epoch.toFixed(2)}).`;
}

/** Flags of the comparison say nothing without adversarial training. */
function checkSeeds(flags: TrainFlags): void {
  const idle =
    flags.seeds > 1 ? 'seeds' : (['suite', 'attack', 'test'] as const).find((name) => flags[name] !== undefined);
  if (flags.adversarial !== undefined || idle === undefined) return;
  throw new UsageError(`--${idle}: expected --adversarial with it, got none`, {
    code: 'USAGE',
    hint: 'It belongs to the comparison that adversarial training ends with.',
  });
}

const occupied = (output: string): UsageError =>
  new UsageError(`--output: ${output} holds a model already`, {
    code: 'OUTPUT_EXISTS',
    hint: 'Name another folder, --force to overwrite it, or --resume to go on with an interrupted training.',
  });

const diverged = ({ steps, points }: History, output: string): RobustError =>
  new RobustError(`the loss was no longer a number at step ${steps + 1}`, {
    code: 'TRAINING_DIVERGED',
    hint: points.some((point) => point.best)
      ? `The best weights so far are kept in ${output}. Train again with a lower --lr or --clip.`
      : 'Train again with a lower --lr or --clip.',
  });
