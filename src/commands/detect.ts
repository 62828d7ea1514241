import { Args, Flags } from '@oclif/core';
import { UsageError } from '../core/errors.js';
import { random } from '../core/random.js';
import { BaseCommand } from './_shared/base-command.js';
import { fraction, speedFlags, wholeNumber } from './_shared/flags.js';
import { commandLine } from './_shared/replay.js';
import { RUNS } from './_shared/runs.js';

/** Clean texts of each kind (learnt from, setting the threshold, testing) below which nothing can be said. */
const LEAST = 10;

export default class Detect extends BaseCommand {
  static override summary = 'Can the adversarial texts of a run be told from ordinary ones?';

  static override description =
    'Each detector learns from a third of the texts of the run that the model read right, sets its threshold on another third at the stated false rejection rate, and is judged on the last third against the adversarial texts of each attack. None of them sees an adversarial text before. The attacks did not know of the detectors: one that does can do better.';

  static override examples = [
    '<%= config.bin %> detect',
    '<%= config.bin %> detect 20261120T211400Z-ab12cd --method fgws --frr 0.01 --texts train.tsv',
  ];

  static override usage = '<%= command.id %> [RUN] [FLAGS]';

  static override args = {
    run: Args.string({ default: 'latest', ignoreStdin: true, description: 'id or folder of a finished attack' }),
  };

  static override flags = {
    method: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      description: 'a detector by name (robust list detectors); repeat [default: all that the model allows]',
    }),
    frr: fraction('frr')({ default: 0.05, description: 'share of clean texts that may be taken for adversarial' }),
    texts: Flags.string({ helpValue: 'file', description: 'further ordinary texts to learn from' }),
    seed: wholeNumber('seed', 0)({ default: 42, description: 'of the division into thirds' }),
    offline: Flags.boolean({ helpGroup: 'data', description: 'never use the network' }),
    ...speedFlags,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Detect);
    const [{ judgeDetectors }, { openRun, textsOf }, { answering, openVictim }, { chooseDetectors }, { detected }] =
      await Promise.all([
        import('../defence/detection/index.js'),
        import('../run/index.js'),
        import('./_shared/victim.js'),
        import('./_shared/choose-detectors.js'),
        import('../../reports/detection.js'),
      ]);
    const folder = await openRun(RUNS, args.run);
    const { clean, adversarial } = await textsOf(folder);
    if (folder.record.status !== 'done' || adversarial.size === 0 || clean.length < 3 * LEAST) {
      throw new UsageError(
        `expected a finished run with adversarial texts and at least ${3 * LEAST} texts read right, got ${folder.record.status === 'done' ? `${adversarial.size === 0 ? 'no adversarial text' : `${clean.length} texts`}` : 'an unfinished run'} in ${folder.id}`,
        { code: 'NOTHING_TO_DETECT', hint: 'Run robust attack first, on more examples.' },
      );
    }
    const { settings } = folder.record;
    const spec = String(settings.model);
    const loading = await this.loadOptions(spec, flags.offline);
    const wanted = {
      ...(settings as object),
      model: spec,
      data: String(settings.data),
      workers: flags.workers,
    } as Parameters<typeof openVictim>[0];
    const victim = await this.showing(!flags['no-progress'], () => openVictim(wanted, loading));
    try {
      const { classifier, name } = answering(victim);
      const shuffled = random(flags.seed, 'detect').shuffle(clean);
      const third = Math.floor(shuffled.length / 3);
      const [learnt, calibration, test] = [0, 1, 2].map((at) => shuffled.slice(at * third, (at + 1) * third)) as [
        string[],
        string[],
        string[],
      ];
      const { detectors, hidden, further, close } = await chooseDetectors(flags.method, victim.model, flags.texts);
      try {
        const began = performance.now();
        const found = await this.interruptible(
          commandLine('detect', { run: folder.id }),
          !flags['no-progress'],
          (hooks) =>
            judgeDetectors(
              {
                detectors,
                watch: {
                  victim: classifier,
                  clean: [...learnt, ...further],
                  vocabulary: victim.model.onnx?.encoder.words() ?? [],
                  ...(hidden && { hidden }),
                },
                calibration,
                test,
                adversarial,
                wantedFrr: flags.frr,
              },
              (title) => {
                const seconds = (performance.now() - began) / 1000;
                hooks.work({ title, words: '', done: 0, total: undefined, seconds });
              },
            ),
        );
        const result = {
          run: folder.id,
          model: name,
          wantedFrr: flags.frr,
          seed: flags.seed,
          clean: { learnt: learnt.length + further.length, calibration: calibration.length, test: test.length },
          detectors: found,
        };
        await this.answer(result, async () => detected(result, await this.screen()));
      } finally {
        await close();
      }
    } finally {
      await victim.model.close();
    }
  }
}
