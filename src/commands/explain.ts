import type { Interfaces } from '@oclif/core';
import { Args, Flags } from '@oclif/core';
import { argmax } from '../core/argmax.js';
import { wordsOf } from '../core/draft.js';
import { RobustError, UsageError } from '../core/errors.js';
import type { Explanation, ExplanationReport } from '../core/explanation.js';
import { tellsLabels } from '../core/scores.js';
import type { LoadedModel } from '../model/load.js';
import { BaseCommand } from './_shared/base-command.js';
import type { OpenModels } from './_shared/explain-models.js';
import { speedFlags, victimFlags, wholeNumber } from './_shared/flags.js';

const METHOD = { helpGroup: 'method' };

const { model: _, 'num-examples': __, force: ___, ...dataFlags } = victimFlags;

type ExplainFlags = Interfaces.InferredFlags<typeof Explain.flags>;

export default class Explain extends BaseCommand {
  static override summary = 'Say which words made a classifier decide as it did.';

  static override usage = '<%= command.id %> [TEXT] [FLAGS]';

  static override description = [
    'Each word gets a weight: how much it moves the answer towards the label. With two models they stand side by side. Same seed, same weights.',
    'lime (Ribeiro et al. 2016) fits a linear model to texts with words left out, shap (Lundberg and Lee 2017) gives Shapley values, integrated-gradients (Sundararajan et al. 2017) and gradient-x-input go by the gradient of the embeddings, attention is rolled out over the layers (Abnar and Zuidema 2020).',
  ].join('\n\n');

  static override examples = [
    '<%= config.bin %> explain "What an idiit !"',
    '<%= config.bin %> explain -m distilbert -m bert-mini "There is nothing I do not like about this movie." -o explain.html',
    'echo "A fine film." | <%= config.bin %> explain - --method integrated-gradients --label NEGATIVE',
    '<%= config.bin %> explain -d dev.tsv -n 200 --method shap --global',
  ];

  static override args = {
    text: Args.string({ description: 'the text to explain; - reads it from stdin', ignoreStdin: true }),
  };

  static override flags = {
    model: Flags.string({
      char: 'm',
      multiple: true,
      multipleNonGreedy: true,
      default: ['distilbert'],
      description: `${victimFlags.model.description}; twice: two models side by side`,
    }),
    method: Flags.option({
      options: ['lime', 'shap', 'integrated-gradients', 'gradient-x-input', 'attention'] as const,
    })({
      multiple: true,
      multipleNonGreedy: true,
      default: ['lime', 'shap'],
      description: 'how words are weighed; repeat',
    }),
    label: Flags.string({
      char: 'l',
      description: 'the label to explain [default: the one predicted, by the first model]',
    }),
    ...dataFlags,
    data: Flags.string({ char: 'd', description: 'explain these texts instead: a bundled name or a file' }),
    'num-examples': wholeNumber(
      'num-examples',
      0,
    )({ char: 'n', description: 'of --data, use the first so many; 0 = all [default: 10, 200 with --global]' }),
    global: Flags.boolean({
      description: 'sum up over the texts of --data: which words drive the model, and where two models differ',
    }),
    check: Flags.boolean({
      description:
        'measure how far the weights can be trusted: deletion curves, stability, agreement, shuffled weights',
    }),
    samples: wholeNumber(
      'samples',
      10,
    )({
      ...METHOD,
      description: 'texts asked to weigh one [default: 5000 for lime, 2048 + 2 a word for shap; 500 with --global]',
    }),
    features: wholeNumber('features', 1)({ ...METHOD, default: 10, description: 'words lime gives a weight' }),
    estimator: Flags.option({ options: ['exact', 'permutation', 'kernel', 'partition'] as const })({
      ...METHOD,
      description: 'of shap [default: exact up to 12 words, permutation up to 64, partition beyond]',
    }),
    baseline: Flags.option({ options: ['delete', 'unknown', 'mask'] as const })({
      ...METHOD,
      default: 'delete',
      description: 'what becomes of a word left out; integrated-gradients starts from the unknown token or the mask',
    }),
    scale: Flags.option({ options: ['probability', 'logit'] as const })({
      ...METHOD,
      default: 'probability',
      description: 'what the weights add up to: the probability of the label, or its log-odds',
    }),
    steps: wholeNumber('steps', 8)({ ...METHOD, default: 64, description: 'most gradients of integrated-gradients' }),
    seed: wholeNumber('seed', 0)({ default: 42, description: 'of all randomness' }),
    engine: Flags.option({ options: ['onnx', 'tfjs'] as const })({
      helpGroup: 'running',
      default: 'onnx',
      description: 'what computes gradients: onnxruntime, or TF.js',
    }),
    ...speedFlags,
    output: Flags.string({
      helpGroup: 'output',
      char: 'o',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'file',
      description: 'write the explanation to this file; its ending picks the format: .html or .json; repeat',
    }),
  };

  async run(): Promise<void> {
    const { flags: asked, args, metadata } = await this.parse(Explain);
    // The data set of a configuration file is not meant where a text is given.
    const configured = args.text !== undefined && metadata.flags.data?.setFromDefault === true;
    const flags = configured ? { ...asked, data: undefined } : asked;
    const [
      { openModels },
      { outputFiles, writeReport },
      { explanationFormats, explanationOnScreen, explanationResult },
    ] = await Promise.all([
      import('./_shared/explain-models.js'),
      import('./_shared/output-files.js'),
      import('../../reports/index.js'),
    ]);
    if (flags.global && flags.data === undefined) {
      throw new UsageError('--global: expected --data, the texts to sum up over', { code: 'USAGE' });
    }
    if (flags.model.length > 2) {
      throw new UsageError(`--model: expected one or two models, got ${flags.model.length}`, { code: 'USAGE' });
    }
    const outputs = await outputFiles(flags.output ?? [], explanationFormats);
    const specs = await Promise.all(
      flags.model.map(async (spec) => [spec, await this.loadOptions(spec, flags.offline)] as const),
    );
    const { models, close } = await this.showing(!flags['no-progress'], () => openModels(specs, flags));
    try {
      const found = await this.#explain(flags, args.text, models);
      await close();
      const report: ExplanationReport = { ...found, models: models.length, warnings: this.warnings };
      for (const output of outputs) await writeReport(output, report);
      const screen = await this.screen();
      await this.answer(explanationResult(report), () => explanationOnScreen(report, screen));
      if (!this.jsonEnabled()) for (const { path } of outputs) await this.print(`Written  ${path}\n`);
    } finally {
      await close();
    }
  }

  async #explain(
    flags: ExplainFlags,
    text: string | undefined,
    models: OpenModels['models'],
  ): Promise<Pick<ExplanationReport, 'explanations' | 'global'>> {
    const [{ explain, GlobalFold }, { checkLabels, labelIn, textsOf }, { halves }] = await Promise.all([
      import('../explain/index.js'),
      import('./_shared/explain-texts.js'),
      import('./_shared/score-probe.js'),
    ]);
    const loaded = models.map((model) => model.loaded);
    const [first] = loaded as [LoadedModel];
    checkLabels(flags.label, loaded);
    const texts = await textsOf(text, flags, first.labels, flags.global ? 200 : 10);
    const {
      baseline,
      scale,
      seed,
      features,
      steps,
      check,
      estimator,
      samples = flags.global ? 500 : undefined,
    } = flags;
    const options = {
      methods: [...new Set(flags.method)],
      ...{ baseline, scale, seed, features, steps, check },
      ...(samples !== undefined && { samples }),
      ...(estimator !== undefined && { estimator }),
    };
    // Of two labels the signs of one are those of the other turned round: summed up, they must be of one.
    const fixed = flags.label ?? (flags.global && first.labels.length === 2 ? first.labels[1] : undefined);
    const fold = flags.global ? new GlobalFold() : undefined;
    const explanations: Explanation[] = [];
    let wordless = 0;
    const predicted = models.map(() => new Set<number>());
    await this.interruptible('the same command', !flags['no-progress'], async ({ signal, work }) => {
      const begun = performance.now();
      for (const [at, each] of texts.entries()) {
        if (flags.data !== undefined && wordsOf(each).length === 0) {
          wordless++;
          continue;
        }
        const label = fixed ?? (first.labels[argmax((await first.classify([each]))[0] as Float32Array)] as string);
        const beside: Explanation[] = [];
        for (const { loaded, explained } of models) {
          if (signal?.aborted) {
            throw new RobustError(`stopped after ${at} of ${texts.length} texts`, { code: 'INTERRUPTED' });
          }
          beside.push(await explain(explained, each, { ...options, label: labelIn(label, loaded) }));
        }
        for (const [which, { model, probabilities }] of beside.entries()) {
          predicted[which]?.add(argmax(probabilities));
          const asked = options.methods.some((method) => method === 'lime' || method === 'shap');
          const victim = models[which]?.loaded;
          if (!asked || victim === undefined || !tellsLabels(probabilities)) continue;
          if (!(await victim.classify(halves(each))).every(tellsLabels)) continue;
          this.warning(
            `${model.name} tells labels without scores (all are 0 or 1): lime and shap see only which words turn the label, and give most words no weight`,
          );
        }
        for (const { read, model } of beside) {
          if (read)
            this.warning(`${model.name} reads the first ${read.words} of ${read.of} words; the others have no weight`);
        }
        if (fold) fold.add(beside);
        else explanations.push(...beside);
        const seconds = (performance.now() - begun) / 1000;
        work({
          title: 'explain',
          words: `${at + 1}/${texts.length} texts`,
          done: at + 1,
          total: texts.length,
          seconds,
        });
      }
    });
    for (const [which, { loaded }] of models.entries()) {
      const [only, ...others] = predicted[which] ?? [];
      if (fold === undefined || only === undefined || others.length > 0 || texts.length - wordless < 2) continue;
      this.warning(
        `${loaded.name} answers ${loaded.labels[only]} to all ${texts.length - wordless} texts: what its words would have to be for another answer was not seen`,
      );
    }
    if (wordless > 0) this.warning(`${wordless} of ${texts.length} texts have no words and were left out`);
    if (wordless === texts.length) {
      throw new UsageError(`--data: expected texts of at least one word, got none in ${texts.length}`, {
        code: 'NO_WORDS',
      });
    }
    return { explanations, ...(fold && { global: fold.result(fixed ?? null, leastCount(texts.length)) }) };
  }
}

/** Words met less often say more of their texts than of themselves. */
const leastCount = (texts: number): number => {
  if (texts >= 50) return 5;
  return texts >= 10 ? 2 : 1;
};
