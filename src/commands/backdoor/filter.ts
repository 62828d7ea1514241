import { Flags } from '@oclif/core';
import { together } from '../../backdoor/filter/verdict.js';
import type { Example } from '../../core/dataset.js';
import type { FilterFinding } from '../../core/detection.js';
import { EXIT, UsageError } from '../../core/errors.js';
import { writeWhole } from '../../files/write.js';
import { BaseCommand } from '../_shared/base-command.js';
import { fraction, speedFlags, victimFlags, wholeNumber } from '../_shared/flags.js';
import { checkWritable } from '../_shared/output-files.js';
import { commandLine, settingsOf } from '../_shared/replay.js';

const { model, offline } = victimFlags;
const TRUTH = { helpGroup: 'truth' };

export default class Filter extends BaseCommand {
  static override summary = 'Find the texts of a data set that carry a backdoor trigger.';

  static override description = [
    'Filters of training sets (residual, label-correlation, ...) learn from the texts and labels together; filters of incoming texts (onion, strip, ...) judge each text by itself. Each is set on clean held-out texts (--clean) so that it suspects at most a share of --frr of clean ones; no filter sees which texts are poisoned. Without --clean, filters of training sets take the bulk of the texts for clean, and filters of incoming texts are set on the bundled reviews.',
    'With --truth or --truth-column the false rejection rate (clean texts suspected), the false acceptance rate (poisoned texts kept) and the area under the ROC curve are printed too.',
    'That no text is a suspect is told as a verdict only where clean texts enough have set the threshold and the scores tell texts apart; else it is inconclusive, with the reasons. Exit codes: 0 done, 2 usage, 3 an input could not be loaded, 4 inconclusive, 70 internal error, 130 interrupted.',
    'Filters that look inside a model take --model; those of training sets train a small one on the data if there is none. Texts are held in memory.',
  ].join('\n\n');

  static override examples = [
    {
      description: 'Which rows of a training set are poisoned? Write the others',
      command:
        '<%= config.bin %> backdoor filter --data train.tsv --clean dev.tsv -o clean.tsv --suspects suspects.tsv',
    },
    {
      description: 'Which incoming texts carry a trigger?',
      command:
        '<%= config.bin %> backdoor filter -m ./my-model -d incoming.tsv --clean dev.tsv --method onion --method strip',
    },
    {
      description: 'All filters beside each other, where the clean rows are known',
      command: '<%= config.bin %> backdoor filter -d poisoned.tsv --clean dev.tsv --method all --truth original.tsv',
    },
  ];

  static override flags = {
    data: Flags.string({
      char: 'd',
      required: true,
      description: 'the labelled texts to filter: as for robust attack',
    }),
    method: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      description: 'a filter by name, or all; repeat [default: residual]',
    }),
    clean: Flags.string({
      description: 'labelled texts known to be clean and not among the data: they set the threshold',
    }),
    frr: fraction('frr')({ default: 0.01, description: 'share of clean texts that may be suspected' }),
    model: Flags.string({ char: 'm', description: model.description ?? '' }),
    'text-column': victimFlags['text-column'],
    'label-column': victimFlags['label-column'],
    'id-column': victimFlags['id-column'],
    'label-map': victimFlags['label-map'],
    seed: wholeNumber('seed', 0)({ default: 42, description: 'of all randomness' }),
    offline,
    truth: Flags.string({
      ...TRUTH,
      exclusive: ['truth-column'],
      description: 'a file of the clean rows: texts that are not in it under the same label are poisoned',
    }),
    'truth-column': Flags.string({
      ...TRUTH,
      description: 'column that says which rows are poisoned: 1 or 0, true or false, poisoned or clean',
    }),
    ...speedFlags,
    output: Flags.string({
      char: 'o',
      helpGroup: 'output',
      helpValue: 'file',
      description: 'write the texts no filter suspects: .tsv, .csv or .jsonl',
    }),
    suspects: Flags.string({
      helpGroup: 'output',
      helpValue: 'file',
      description: 'write the suspects with method, score and reason: .tsv or .json',
    }),
    force: Flags.boolean({ helpGroup: 'output', description: 'overwrite files that exist' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Filter);
    const [{ chooseFilters, filterAll, openFiltering }, { formatOf, refuseExisting }, { filtered }, files] =
      await Promise.all([
        import('../_shared/filtering.js'),
        import('../_shared/row-file.js'),
        import('../../../reports/backdoor-filter.js'),
        import('../_shared/suspect-file.js'),
      ]);
    const methods = chooseFilters(flags.method ?? ['residual']);
    if (!(flags.frr > 0 && flags.frr < 1)) {
      throw new UsageError(`expected --frr to lie between 0 and 1, got ${flags.frr}`, { code: 'USAGE' });
    }
    const outputs = [
      ...(flags.output === undefined ? [] : [{ path: flags.output, flag: '--output' }]),
      ...(flags.suspects === undefined ? [] : [{ path: flags.suspects, flag: '--suspects' }]),
    ];
    const format = flags.output === undefined ? undefined : formatOf(flags.output, '--output');
    const suspectFormat = flags.suspects === undefined ? undefined : files.suspectFormat(flags.suspects);
    for (const { path, flag } of flags.force ? [] : outputs) refuseExisting(path, flag);
    for (const { path, flag } of outputs) checkWritable(path, flag);

    const again = commandLine('backdoor filter', settingsOf(flags, ['data', 'method', 'clean', 'model', 'truth']));
    const load = await this.loadOptions(flags.model ?? '', flags.offline);
    const { setting, findings } = await this.interruptible(again, !flags['no-progress'], async (hooks) => {
      const opened = await openFiltering(flags, methods, load, hooks);
      try {
        const { setting } = opened;
        this.note(`${setting.data.name}: ${methods.map(({ name }) => name).join(', ')}`);
        return { setting, findings: await filterAll(opened, methods, flags, hooks) };
      } finally {
        await opened.close();
      }
    });
    const { suspects, labels, data } = setting;
    const flagged = new Set(findings.flatMap((finding) => finding.suspects.map(({ id }) => id)));
    const row = ({ id, text, label }: Example): string =>
      format?.row({ id, text, label: labels[label] as string, attack: '' }) ?? '';
    if (flags.output !== undefined && format !== undefined) {
      const kept = suspects.filter(({ id }) => !flagged.has(id));
      writeWhole(flags.output, [format.header, ...kept.map(row)], 'the texts that were kept');
    }
    const byId = new Map(suspects.map((example) => [example.id, example]));
    if (flags.suspects !== undefined && suspectFormat !== undefined) {
      writeWhole(flags.suspects, suspectFormat(findings, byId, labels), 'the suspects');
    }
    const { verdict, reasons } = together(findings);
    const result = {
      ...resultOf(findings),
      verdict,
      reasons,
      data,
      clean: setting.clean,
      model: setting.model,
      seed: flags.seed,
    };
    const kept = suspects.length - flagged.size;
    await this.answer({ ...result, kept, output: flags.output ?? null }, async () => {
      const screen = await this.screen();
      const report = { ...setting, poisoned: setting.poisoned?.filter(Boolean).length ?? null, findings };
      return [
        ...filtered(report, (id) => byId.get(id)?.text ?? '', screen),
        ...outputs.map(({ path, flag }) => `Written  ${path}${flag === '--output' ? `, ${kept} texts` : ''}\n`),
        flags.output === undefined
          ? `Next     ${screen.chalk.bold(`${again} -o clean.tsv`)}\n`
          : `Next     ${screen.chalk.bold(commandLine('train', { data: flags.output, output: 'clean-model' }))}\n`,
      ];
    });
    if (verdict === 'inconclusive') process.exitCode = EXIT.inconclusive;
  }
}

/** As docs promise: the fields of the finding itself for one filter, and `methods` whenever. */
const resultOf = (findings: readonly FilterFinding[]) => ({
  ...(findings.length === 1 ? findings[0] : {}),
  methods: findings,
});
