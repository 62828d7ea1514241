import { Flags } from '@oclif/core';
import { UsageError } from '../core/errors.js';
import { BaseCommand } from './_shared/base-command.js';
import { victimFlags, wholeNumber } from './_shared/flags.js';

const NO_MODEL = 'needs the gradients of a model, and augment has none';

const { config, data, 'text-column': text, 'label-column': label, 'id-column': id } = victimFlags;

export default class Augment extends BaseCommand {
  static override summary = 'Write perturbed copies of a data set, to train on or to test with.';

  static override description =
    'The attacks rewrite each text as they would against a model, but chance decides which rewrite is kept: no model is asked. Labels stay. Attacks that need gradients cannot be used; those of a suite are left out. Same seed and inputs give the same file.';

  static override examples = [
    '<%= config.bin %> augment --data train.tsv -a human-typos --per-example 4 -o augmented.tsv',
    '<%= config.bin %> augment -d train.tsv -s typos -a synonym --originals -o train-and-copies.jsonl',
  ];

  static override flags = {
    config,
    data,
    'text-column': text,
    'label-column': label,
    'id-column': id,
    suite: Flags.string({
      char: 's',
      multiple: true,
      multipleNonGreedy: true,
      description: 'a list of attacks; repeat',
    }),
    attack: Flags.string({
      char: 'a',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'name[:option=value]',
      description: 'an attack by name, or the file of your own; repeat [default: human-typos, unless --suite is given]',
    }),
    'num-examples': wholeNumber(
      'num-examples',
      0,
    )({ char: 'n', default: 0, description: 'use the first so many examples; 0 = all' }),
    'per-example': wholeNumber(
      'per-example',
      1,
    )({ default: 1, description: 'copies of each text by each attack, if it has so many' }),
    originals: Flags.boolean({ description: 'write the texts themselves too' }),
    protect: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'phrase',
      description: 'words no attack may touch; repeat',
    }),
    seed: wholeNumber('seed', 0)({ default: 42, description: 'of all randomness' }),
    output: Flags.string({
      char: 'o',
      required: true,
      helpValue: 'file',
      description: 'the file to write; its ending picks the format: .tsv, .csv or .jsonl',
    }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Augment);
    const [
      { augment },
      { withoutInside },
      { chooseAttacks },
      { openGuessers },
      { openDataset },
      { formatOf },
      { checkWritable },
      { writeStream },
      { leftOutLines, protect },
    ] = await Promise.all([
      import('../run/augment.js'),
      import('./_shared/applicable.js'),
      import('./_shared/choose-attacks.js'),
      import('./_shared/fill-masks.js'),
      import('../../datasets/index.js'),
      import('./_shared/row-file.js'),
      import('./_shared/output-files.js'),
      import('../files/write.js'),
      import('../index.js'),
    ]);
    const { output } = flags;
    const format = formatOf(output, '--output');
    checkWritable(output);
    const chosen = await chooseAttacks(flags.suite ?? [], flags.attack ?? (flags.suite ? [] : ['human-typos']));
    const fit = withoutInside(
      chosen,
      NO_MODEL,
      ({ label }) =>
        new UsageError(`${label} ${NO_MODEL}`, {
          code: 'AUGMENT_NEEDS',
          hint: 'Take an attack that needs scores: see robust list attacks.',
        }),
    );
    for (const line of leftOutLines(fit.leftOut)) this.warning(line);
    const dataset = await openDataset(flags.data, {
      textColumn: flags['text-column'],
      labelColumn: flags['label-column'],
      idColumn: flags['id-column'],
    });
    const numExamples = flags['num-examples'];
    const guessers = await openGuessers(fit.attacks, (spec) => this.loadOptions(spec, true));
    const { attacks } = guessers;
    const plan = {
      dataset,
      attacks,
      perExample: flags['per-example'],
      numExamples,
      seed: flags.seed,
      constraints: flags.protect === undefined ? [] : [protect(flags.protect)],
    };
    const row = (each: { id: string; text: string; label: number; attack: string }): string =>
      format.row({ ...each, label: dataset.labels[each.label] as string });
    let [copies, originals] = [0, 0];
    async function* rows(): AsyncGenerator<string> {
      yield format.header;
      for await (const { id: of, text: original, label: its } of flags.originals ? dataset.examples() : []) {
        if (numExamples > 0 && originals === numExamples) break;
        originals++;
        yield row({ id: of, text: original, label: its, attack: '' });
      }
      for await (const copy of augment(plan)) {
        copies++;
        yield row(copy);
      }
    }
    try {
      await writeStream(output, rows(), 'the copies');
    } finally {
      await guessers.close();
    }
    const examples = numExamples === 0 ? dataset.size : Math.min(numExamples, dataset.size);
    const wanted = examples * attacks.length * flags['per-example'];
    if (copies < wanted) this.warning(`${wanted - copies} of ${wanted} copies had no rewrite of their own left`);
    const result = {
      output,
      examples,
      originals,
      copies,
      attacks: attacks.map((each) => each.label),
      seed: flags.seed,
    };
    await this.answer(result, () => `${copies} copies of ${examples} texts written to ${output}\n`);
  }
}
