import { Flags, type Interfaces } from '@oclif/core';
import { RobustError, UsageError } from '../core/errors.js';
import type { CertifiedAccuracy, MaskingOptions } from '../defence/index.js';
import type { Example } from '../index.js';
import { BaseCommand } from './_shared/base-command.js';
import { defendFlag, speedFlags, victimFlags, wholeNumber } from './_shared/flags.js';
import { commandLine } from './_shared/replay.js';
import type { Victim } from './_shared/victim.js';

export default class Evaluate extends BaseCommand {
  static override summary = 'Measure a classifier without attacking it.';

  static override description =
    'Accuracy with its interval, precision, recall and F1 per class, who is taken for whom, and how far confidence can be trusted (expected calibration error).';

  static override examples = [
    '<%= config.bin %> evaluate',
    '<%= config.bin %> evaluate -m ./my-model -d dev.tsv -n 0 --label-map 0=NEGATIVE --label-map 1=POSITIVE',
  ];

  static override flags = {
    ...victimFlags,
    ...defendFlag,
    'num-examples': wholeNumber(
      'num-examples',
      0,
    )({
      char: 'n',
      default: 0,
      description: 'use the first so many examples; 0 = all',
    }),
    certify: Flags.boolean({
      helpGroup: 'data',
      description: 'with --defend ranmask: the accuracy that no replacing of so many words can take away',
    }),
    ...speedFlags,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Evaluate);
    const [{ evaluate }, { answering, idleDefences, openVictim }, { certifiedText, unattacked }] = await Promise.all([
      import('../run/index.js'),
      import('./_shared/victim.js'),
      import('../../reports/index.js'),
    ]);
    if (flags.certify) checkCertifiable(flags.defend);
    const loading = await this.loadOptions(flags.model, flags.offline);
    const victim = await this.showing(!flags['no-progress'], () => openVictim(flags, loading));
    const { model, dataset } = victim;
    const answerer = answering(victim);
    const { labels } = model;
    const { name, sha256, output } = answerer;
    try {
      const plan = {
        model: answerer,
        dataset,
        numExamples: flags['num-examples'],
        force: flags.force,
      };
      const again = commandLine('evaluate', {
        model: flags.model,
        data: flags.data,
        ...(flags.isolate && { isolate: true }),
      });
      const { clean, examples } = await this.interruptible(again, !flags['no-progress'], (hooks) =>
        evaluate(plan, hooks),
      );
      for (const message of idleDefences(victim)) this.warning(message);
      const certified = flags.certify ? await this.#certified(flags, victim) : undefined;
      // Closing may have something to say that belongs to the result.
      await model.close();
      const data = { name: dataset.name, sha256: dataset.source.sha256, examples };
      const screen = await this.screen();
      await this.answer(
        { model: { name, sha256, labels, ...(output && { output }) }, data, clean, ...(certified && { certified }) },
        () => [
          ...unattacked({ model: name, data: dataset.name, labels, clean }, screen),
          ...(certified ? certifiedText(certified, screen) : []),
        ],
      );
    } finally {
      await model.close();
    }
  }

  /** The certified accuracy of the vote, from the undefended model. */
  async #certified(flags: EvaluateFlags, { model, dataset }: Victim): Promise<CertifiedAccuracy> {
    const [{ certifiedAccuracy }, { chooseDefences, MASK }] = await Promise.all([
      import('../defence/index.js'),
      import('./_shared/defend.js'),
    ]);
    const [chosen] = chooseDefences(flags.defend ?? []);
    const limit = flags['num-examples'];
    async function* first(): AsyncGenerator<Example> {
      let count = 0;
      for await (const example of dataset.examples()) {
        if (limit > 0 && count++ === limit) return;
        yield example;
      }
    }
    const again = commandLine('evaluate', {
      model: flags.model,
      data: flags.data,
      defend: flags.defend,
      certify: true,
    });
    const began = performance.now();
    return this.interruptible(again, !flags['no-progress'], ({ work, signal }) =>
      certifiedAccuracy(first(), model, chosen?.options as MaskingOptions, {
        mask: MASK,
        done: (count) => {
          if (signal?.aborted) throw new RobustError('certifying was interrupted', { code: 'INTERRUPTED' });
          const seconds = (performance.now() - began) / 1000;
          work({ title: 'certifying', words: '', done: count, total: limit || undefined, seconds });
        },
      }),
    );
  }
}

type EvaluateFlags = Interfaces.InferredFlags<typeof Evaluate.flags>;

/** Only a vote over masked versions is certified, and what rewrites texts before it would change what a word is. */
function checkCertifiable(defend: readonly string[] = []): void {
  if (defend.length === 1 && /^ranmask(:|$)/.test(defend[0] as string)) return;
  throw new UsageError(`--certify: expected --defend ranmask alone, got ${defend.join(', ') || 'no defence'}`, {
    code: 'NOT_CERTIFIABLE',
    hint: 'For example: robust evaluate --defend ranmask:rate=0.8:samples=200 --certify -n 200',
  });
}
