import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { RobustError, UsageError } from '../core/errors.js';
import type { CleanMetrics, Dataset } from '../core/types.js';
import type { Engine } from '../gradient/engine.js';
import type { RunHooks } from '../run/index.js';
import type { History } from '../train/index.js';
import { BaseCommand } from './_shared/base-command.js';
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
    const { recall, remember } = await import('./_shared/train-record.js');
    const set = SETTINGS.filter((name) => metadata.flags[name]?.setFromDefault !== true);
    const flags: TrainFlags = { ...given, ...(given.resume && (await recall(folder))), ...settingsOf(given, set) };
    if (flags.data === undefined)
      throw new UsageError('expected --data, got none', { code: 'USAGE', hint: 'Name the texts to learn.' });
    if (!given.resume) {
      const files = ['config.json', 'robust.json', 'model.onnx'].map((name) => join(output, name));
      if (files.some((file) => existsSync(file)) && !given.force) throw occupied(output);
      await remember(folder, settingsOf(flags, SETTINGS), output, this.config.version);
    }
    const again = commandLine('train', { resume: true, output });
    const progress = !flags['no-progress'];
    const { history, validation } = await this.interruptible(again, progress, (hooks) =>
      this.#train(flags, folder, hooks),
    );
    if (history.end === 'diverged') throw diverged(history, output);
    const measure = (model: string) =>
      this.interruptible(again, progress, (hooks) => this.#measure(model, flags.offline, validation, hooks));
    const clean = await measure(output);
    const comparison = flags.model && { model: flags.model, clean: await measure(flags.model) };
    const curve = relative('.', join(folder, 'learning-curve.svg'));
    await this.answer({ output, history, clean, ...(comparison && { comparison }) }, async () => {
      const { unattacked } = await import('../../reports/index.js');
      const screen = await this.screen();
      const table = (model: string, metrics: CleanMetrics) =>
        [...unattacked({ model, data: validation.name, labels: validation.labels, clean: metrics }, screen)].join('');
      return [
        comparison ? `${table(comparison.model, comparison.clean)}\n` : '',
        table(output, clean),
        `\n${outcome(history)} The learning curve: ${curve}\nNext: robust attack -m ${output}\n`,
      ];
    });
  }

  async #train(flags: TrainFlags, folder: string, hooks: RunHooks & { work(now: Work): void }) {
    const [
      { trainModel },
      { Interrupted },
      { optionsOf, startOf },
      { openTrainingData },
      { openRewriter },
      { loadModel },
    ] = await Promise.all([
      import('../train/index.js'),
      import('../run/index.js'),
      import('./_shared/train-plan.js'),
      import('./_shared/training-data.js'),
      import('./_shared/rewriter.js'),
      import('../model/load.js'),
    ]);
    const load = (spec: string) => this.loadOptions(spec, flags.offline);
    const own = await load(flags.model ?? '');
    const { train, validation } = await openTrainingData(flags, own);
    const teachers = await Promise.all(
      (flags.teacher ?? []).map(async (teacher) => loadModel(teacher, await load(teacher))),
    );
    const options = optionsOf(flags);
    const rewriter = options.adversarial && (await openRewriter(options.adversarial, flags.seed, load));
    const began = performance.now();
    try {
      const plan = {
        start: startOf(flags, own),
        train,
        validation,
        options,
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
        warn: (message) => this.warning(message),
        progress: (at) => hooks.work(workOf(at, (performance.now() - began) / 1000)),
      });
      if (history.end === 'interrupted') throw new Interrupted();
      return { history, validation };
    } finally {
      for (const teacher of teachers) await teacher.close();
      await rewriter?.close();
    }
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

function outcome({ points, steps, end }: History): string {
  const best = points.findLast((point) => point.best);
  return `Training ${end} after ${steps} steps; kept are the weights of step ${best?.step} (epoch ${best?.epoch.toFixed(2)}).`;
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
