import { modelScanSettings } from '../app/scan-model.js';
import { booleanFlag, type Settings } from '../config/setting.js';
import { reportOutputs } from '../config/settings/index.js';
import { EXIT } from '../core/errors.js';
import { BaseCommand } from './_shared/base-command.js';
import { configFlags, flagsOf } from './_shared/flags.js';
import { Args } from './_shared/oclif.js';

const settings = {
  ...modelScanSettings,
  gate: { schema: booleanFlag, help: 'exit with 1 if something dangerous is found, which happens without it too' },
  ...reportOutputs,
} as const satisfies Settings;

export default class ScanModelCommand extends BaseCommand {
  static override summary = "Examine a stranger's model before using it.";

  static override description = [
    'Examines files without executing any: what pickles import and call, custom code (auto_map), links and data files outside the folder, operators that are not part of onnxruntime, template escapes, and how the tokenizer reads look-alike and hidden letters. Then runs the model in a separate process and scans it for a backdoor (see robust backdoor scan) with clean texts of its task (--data). A model with dangerous files is not run.',
    'Verdicts: danger, warnings, none found, inconclusive (something was not examined). Each check states what it examined.',
    'Exit codes: 0 nothing dangerous found, 1 danger, 2 usage, 3 an input could not be loaded, 4 inconclusive, 70 internal error, 130 interrupted.',
  ].join('\n\n');

  static override examples = [
    '<%= config.bin %> scan-model ./downloaded-model -d dev.tsv',
    {
      description: 'A model of the Hub, files only; in CI',
      command: '<%= config.bin %> scan-model hf:org/name --files-only --gate -o scan.html',
    },
  ];

  static override usage = '<%= command.id %> SPEC [FLAGS]';

  static override args = {
    spec: Args.string({
      required: true,
      ignoreStdin: true,
      description: 'folder, model file, bundled name, or hf:org/name[@revision]',
    }),
  };

  static override flags = { ...configFlags, ...flagsOf(settings) };

  async run(): Promise<void> {
    const { args } = await this.parse(ScanModelCommand);
    const [{ scanModelFiles }, { modelScanDocument, modelScanFormats }] = await Promise.all([
      import('../app/scan-model.js'),
      import('../../reports/index.js'),
    ]);
    const choice = this.values(modelScanSettings);
    const { verdict } = await this.documented(
      () => this.carriedOut((hooks) => scanModelFiles({ ...choice, ...hooks, spec: args.spec })),
      modelScanDocument,
      modelScanFormats,
    );
    if (verdict === 'danger') process.exitCode = EXIT.gateFailed;
  }
}
