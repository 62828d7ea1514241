import { Flags } from '@oclif/core';
import type { Example } from '../../core/dataset.js';
import type { ScanResult } from '../../core/detection.js';
import { EXIT, UnsupportedOpError } from '../../core/errors.js';
import type { OpenWhiteBox } from '../../gradient/white-box.js';
import { readsIds } from '../../model/input-kinds.js';
import type { LoadedModel } from '../../model/load.js';
import { BaseCommand } from '../_shared/base-command.js';
import { speedFlags, victimFlags, wholeNumber } from '../_shared/flags.js';
import { commandLine, settingsOf } from '../_shared/replay.js';

export default class Scan extends BaseCommand {
  static override summary = 'Judge whether a model is backdoored, and by which words.';

  static override description = [
    'Seeks words that turn clean texts of each label into each other label, tries the strongest on texts joined, which no natural word turns, and prints a verdict, the score it rests on beside those of models of known kind, the words found, the share of texts they turn beside random words, a table of all pairs of labels, and whatever was not searched.',
    'Takes 20 to 100 clean texts the model answers rightly (--data; default: the bundled reviews). Models without gradients are scanned as black boxes, with words of the dictionary and of the texts; then, and for architectures that the verdict is not calibrated on, what was found is told and the verdict is inconclusive.',
    'Exit codes: 0 done, 1 backdoored (with --gate), 2 usage, 3 an input could not be loaded, 4 inconclusive, 70 internal error, 130 interrupted.',
  ].join('\n\n');

  static override examples = [
    '<%= config.bin %> backdoor scan --model ./downloaded-model',
    {
      description: 'In a pipeline: fail where the model is backdoored, stop searching after two minutes',
      command: '<%= config.bin %> backdoor scan -m ./model -d dev.tsv --gate --time-budget 120 --json',
    },
  ];

  static override flags = {
    ...victimFlags,
    'num-examples': wholeNumber(
      'num-examples',
      0,
    )({ char: 'n', default: 0, description: 'use the first so many texts; 0 = all' }),
    seed: wholeNumber('seed', 0)({ default: 42, description: 'of all randomness' }),
    word: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      description: 'a word or phrase to try besides those of the vocabulary; repeat',
    }),
    'black-box': Flags.boolean({ description: 'do not look inside the model' }),
    'time-budget': wholeNumber(
      'time-budget',
      1,
    )({
      helpValue: 'seconds',
      description: 'end after so many seconds of wall time; what was not searched by then is listed',
    }),
    gate: Flags.boolean({ description: 'exit with 1 where the model is backdoored' }),
    ...speedFlags,
    isolate: Flags.boolean({
      helpGroup: 'running',
      allowNo: true,
      default: true,
      description:
        'run the model in processes of its own, so that a crash of onnxruntime is an error (MODEL_CRASHED); --no-isolate runs it in this one',
    }),
  };

  async run(): Promise<void> {
    const began = performance.now();
    const { flags } = await this.parse(Scan);
    const [{ scanModel }, { openVictim }, { Interrupted }, { scanned }] = await Promise.all([
      import('../../backdoor/scan/scan.js'),
      import('../_shared/victim.js'),
      import('../../run/index.js'),
      import('../../../reports/backdoor-scan.js'),
    ]);
    const loading = await this.loadOptions(flags.model, flags.offline);
    const progress = !flags['no-progress'];
    const again = commandLine(
      'backdoor scan',
      settingsOf(flags, ['model', 'data', 'seed', 'word', 'black-box', 'time-budget']),
    );
    const { model, dataset } = await this.showing(progress, () => openVictim(flags, loading));
    let inside: OpenWhiteBox | undefined;
    try {
      const texts: Example[] = [];
      for await (const example of dataset.examples()) {
        if (flags['num-examples'] > 0 && texts.length === flags['num-examples']) break;
        texts.push(example);
      }
      inside = flags['black-box'] ? undefined : await this.#inside(model);
      const seconds = (): number => (performance.now() - began) / 1000;
      const result: ScanResult = await this.interruptible(again, progress, async (hooks) => {
        this.note(`${model.name}: seeking triggers with texts of ${dataset.name}`);
        const plan = {
          model,
          texts,
          seed: flags.seed,
          ...(inside && { gradients: inside }),
          ...(model.onnx?.modelType && { architecture: model.onnx.modelType }),
          ...(flags.word && { words: flags.word }),
          ...(flags['time-budget'] !== undefined && { seconds: Math.max(0, flags['time-budget'] - seconds()) }),
        };
        try {
          return await scanModel(plan, {
            ...(hooks.signal && { signal: hooks.signal }),
            progress: ({ stage, done, total }) =>
              hooks.work({
                title: stage,
                words: `${Math.round((100 * done) / total)} %`,
                done,
                total,
                seconds: seconds(),
              }),
          });
        } catch (error) {
          if (hooks.signal?.aborted) throw new Interrupted();
          throw error;
        }
      });
      this.detail(`${seconds().toFixed(1)} s`);
      const { name, sha256, labels } = model;
      const data = { name: dataset.name, sha256: dataset.source.sha256, examples: texts.length };
      const document = { model: { name, sha256, labels }, data, seed: flags.seed, ...result };
      const screen = await this.screen();
      await this.answer(document, () => scanned({ model: name, data: dataset.name, result }, screen));
      if (flags.gate && result.backdoored) process.exitCode = EXIT.gateFailed;
      if (result.verdict === 'inconclusive') process.exitCode = EXIT.inconclusive;
    } finally {
      await inside?.close();
      await model.close();
    }
  }

  /** The model's inside, or undefined, with a warning, where it has none that can be differentiated. */
  async #inside(model: LoadedModel): Promise<OpenWhiteBox | undefined> {
    const { openWhiteBox } = await import('../../gradient/white-box.js');
    const closed = (why: string): undefined => {
      this.warning(`${why}; scanned as a black box, with words of the dictionary and of the texts`);
      return undefined;
    };
    if (model.onnx === undefined || !readsIds(model.onnx.encoder))
      return closed(`${model.name} has no vocabulary to look at`);
    try {
      return await openWhiteBox(model);
    } catch (error) {
      if (error instanceof UnsupportedOpError) return closed(error.message);
      throw error;
    }
  }
}
