import { type Settings, textList } from '../config/setting.js';
import { explainSettings } from '../config/settings/index.js';
import type { ExplanationReport } from '../results/report/explanation.js';
import { BaseCommand } from './_shared/base-command.js';
import { configFlags, flagsOf } from './_shared/flags.js';
import { footer } from './_shared/footer.js';
import { Args } from './_shared/oclif.js';
import { textOfStdin } from './_shared/stdin.js';

const output = {
  outputs: {
    schema: textList.optional(),
    flag: 'output',
    group: 'output',
    char: 'o',
    value: 'file',
    help: 'write the explanation: .html, .md or .json; repeat',
  },
} as const satisfies Settings;

export default class ExplainCommand extends BaseCommand {
  static override summary = 'Show which words caused a prediction.';

  static override usage = '<%= command.id %> [TEXT] [FLAGS]';

  static override description = [
    'Each word gets a weight: how much it moves the prediction towards the label. Two models are shown side by side. Deterministic for a given seed.',
    'lime (Ribeiro et al. 2016) fits a linear model to texts with words removed, shap (Lundberg and Lee 2017) computes Shapley values, integrated-gradients (Sundararajan et al. 2017) and gradient-x-input use the gradient of the embeddings, attention uses attention rollout (Abnar and Zuidema 2020).',
  ].join('\n\n');

  static override examples = [
    '<%= config.bin %> explain "What an idiit !"',
    '<%= config.bin %> explain -m distilbert -m bert-mini "There is nothing I do not like about this movie." -o explain.html',
    'echo "A fine film." | <%= config.bin %> explain - --method integrated-gradients --label NEGATIVE',
  ];

  static override args = {
    text: Args.string({ description: 'the text to explain; - reads it from stdin', ignoreStdin: true }),
  };

  static override flags = { ...configFlags, ...flagsOf({ ...explainSettings, ...output }) };

  async run(): Promise<void> {
    const { args } = await this.parse(ExplainCommand);
    const [
      { explain },
      { outputFiles, writeReport },
      { explanationDocument, explanationFormats, explanationResult, onScreen },
    ] = await Promise.all([
      import('../app/explain.js'),
      import('../app/runs/output-files.js'),
      import('../../reports/index.js'),
    ]);
    const outputs = outputFiles(this.values(output).outputs ?? [], explanationFormats);
    // The data set of a configuration file is not meant where a text is given.
    const configured = args.text !== undefined && this.originOf('data') !== 'flag';
    const choice = { ...this.values(explainSettings), ...(configured && { data: undefined }) };
    const text = args.text === '-' ? await textOfStdin() : args.text;
    const screen = await this.screen();
    // The finished part of stopped work goes to the requested files and to the screen; with --json, stdout contains only the end.
    const kept: ExplanationReport[] = [];
    const onPartial = (done: ExplanationReport) => kept.push(this.withOverrides(done));
    const report = await this.carriedOut(async (hooks) =>
      this.withOverrides(await explain({ ...choice, text, onPartial, ...hooks })),
    ).finally(async () => {
      for (const done of kept) for (const output of outputs) await writeReport(output, done);
      for (const done of this.jsonEnabled() ? [] : kept) await this.print(onScreen(explanationDocument(done), screen));
    });
    for (const output of outputs) await writeReport(output, report);
    await this.answer(explanationResult(report), () => [
      ...onScreen(explanationDocument({ ...report, warnings: [] }), screen),
      footer(screen, { written: outputs.map(({ path }) => path) }),
    ]);
  }
}
