import { commandLine } from '../app/command-line.js';
import { convertSettings } from '../app/convert.js';
import { BaseCommand } from './_shared/base-command.js';
import { flagsOf } from './_shared/flags.js';
import { footer } from './_shared/footer.js';
import { Args } from './_shared/oclif.js';

export default class ConvertCommand extends BaseCommand {
  static override summary = 'Convert a PyTorch checkpoint to ONNX, without Python.';

  static override description =
    'Builds the ONNX graph from config.json for the model families in docs/reference/models.md. robust attack --model converts by itself and caches the result; this command writes it to a folder, for other tools and machines. Unknown settings, and missing, unused or misshapen tensors, are errors.';

  static override examples = [
    '<%= config.bin %> convert hf:cardiffnlp/twitter-roberta-base-sentiment-latest -o sentiment',
    '<%= config.bin %> convert ./checkpoint -o my-model --precision fp16 --check',
  ];

  static override usage = '<%= command.id %> SOURCE [FLAGS]';

  static override args = {
    source: Args.string({
      required: true,
      ignoreStdin: true,
      description: 'a folder with config.json and weights, or hf:org/name[@revision]',
    }),
  };

  static override flags = flagsOf(convertSettings);

  async run(): Promise<void> {
    const { args } = await this.parse(ConvertCommand);
    const [{ conversionLines, convert }, { attackOn }] = await Promise.all([
      import('../app/convert.js'),
      import('../app/runs/next-command.js'),
    ]);
    const result = await this.carriedOut((hooks) =>
      convert({ ...this.values(convertSettings), source: args.source, ...hooks }),
    );
    const { output, task } = result;
    const screen = await this.screen();
    const next = {
      classify: attackOn(output),
      tags: commandLine('attack', { model: output, task: 'tags', data: 'notes.jsonl' }),
      masked: commandLine('attack', { suite: ['masked'], mlm: output }),
      causal: undefined,
    }[task];
    await this.answer(result, () => [
      ...conversionLines(result),
      footer(screen, { written: [output], ...(next && { next }) }),
    ]);
  }
}
