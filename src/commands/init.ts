import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { ScaffoldOptions } from '../app/scaffold.js';
import { CI, workflowOf } from '../app/workflow.js';
import { booleanFlag, nonEmptyText, type Settings } from '../config/setting.js';
import { decisionSettings, pairSettings, victimSettings } from '../config/settings/index.js';
import { RobustError } from '../core/errors.js';
import { packaged } from '../core/package-root.js';
import { makeFolder, writeWhole } from '../files/write.js';
import { BaseCommand } from './_shared/base-command.js';
import { flagsOf } from './_shared/flags.js';

const FILE = 'robust.config.yaml';

const { model, data, textColumn, labelColumn, idColumn, labelMap, language, labels, answers, headers, prompt } =
  victimSettings;
const { task, positive, threshold } = decisionSettings;

const settings = {
  model: { ...model, help: 'classifier to test' },
  data: { ...data, help: 'labelled texts' },
  textColumn,
  labelColumn,
  idColumn,
  ...pairSettings,
  labelMap,
  language,
  labels,
  answers,
  headers,
  prompt,
  task,
  positive,
  threshold,
  from: {
    schema: nonEmptyText.optional(),
    value: '<run>',
    exclusive: ['model', 'data'],
    help: 'take settings and measured thresholds from this run; id or folder of a run, latest, or a report (.json)',
  },
  ci: { schema: z.enum(CI).optional(), help: 'also write the file that runs the gate in this service' },
  yes: { schema: booleanFlag, help: 'ask nothing: take what the data and the model suggest' },
  force: { schema: booleanFlag, help: 'overwrite an existing file' },
} as const satisfies Settings;

export default class InitCommand extends BaseCommand {
  static override summary = `Write a commented ${FILE}.`;

  static override description =
    'With --data, it reads the columns of the data and the labels of the model, tries 20 texts, and writes a configuration that runs. The first line of the file names its schema, so editors can complete keys and check values. For a plugin, see robust new.';

  static override examples = [
    '<%= config.bin %> init',
    '<%= config.bin %> init --model ./my-model --data dev.tsv',
    '<%= config.bin %> init --from latest',
    '<%= config.bin %> init --model ./my-model --data dev.csv --yes --ci github',
  ];

  static override flags = flagsOf(settings);

  async run(): Promise<void> {
    await this.parse(InitCommand);
    const { from, ci, yes, force, ...named } = this.values(settings);
    const { model, data } = named;
    const workflow = ci && workflowOf(ci);
    const taken = [FILE, ...(workflow ? [workflow.path] : [])].find((file) => existsSync(file));
    if (taken !== undefined && !force)
      throw new RobustError(`expected no ${taken} here, found one`, {
        code: 'OUTPUT_TAKEN',
        hint: 'Edit it, or give --force to overwrite it.',
      });
    // The bundled texts suit the bundled models.
    const [ownModel, ownData] = ['model', 'data'].map((flag) => this.originOf(flag) !== 'default');
    const measured =
      from !== undefined
        ? await (await import('../app/measured-config.js')).measuredConfig(from)
        : ownData
          ? await this.drafted(named, yes)
          : undefined;
    writeWhole(FILE, measured?.text ?? (await this.template(model, data)), 'the configuration');
    if (workflow) {
      makeFolder(dirname(workflow.path), 'the workflow');
      writeWhole(workflow.path, workflow.text, 'the workflow');
    }
    for (const note of measured?.notes ?? []) this.warning(note);
    const { run, thresholds, baseline } = measured ?? {};
    const next = baseline ? `robust baseline save ${run} && robust gate` : 'robust gate';
    const unlabelled = ownModel && !ownData && from === undefined;
    const written = [FILE, ...(workflow ? [workflow.path] : [])];
    await this.answer(
      { file: FILE, ...(workflow && { workflow: workflow.path }), ...(measured && { run, thresholds }) },
      () =>
        `${measured && 'headline' in measured ? `${measured.headline}\n` : ''}${written.map((file) => `Written  ${file}\n`).join('')}Next     ${unlabelled ? `robust gate, once data in ${FILE} names your labelled texts` : next}\n`,
    );
  }

  /** Asks on a terminal only, and nothing with --yes. */
  private async drafted(named: Omit<ScaffoldOptions, 'ask'>, yes: boolean) {
    const { scaffold } = await import('../app/scaffold.js');
    const asks = !yes && process.stdin.isTTY && process.stderr.isTTY && !this.jsonEnabled();
    const ask = async (question: string, suggestion: string): Promise<string> => {
      if (!asks) return suggestion;
      const { createInterface } = await import('node:readline/promises');
      const terminal = createInterface({ input: process.stdin, output: process.stderr });
      const answer = await terminal.question(`${question} [${suggestion}]: `).finally(() => terminal.close());
      return answer.trim() || suggestion;
    };
    return this.carriedOut((hooks) => scaffold({ ...named, ask, ...hooks }));
  }

  private async template(model: string, data: string): Promise<string> {
    const { schemaComment } = await import('../app/published.js');
    const template = packaged('schemas', 'robust.config.template.yaml');
    return template
      .replace('{schema}', schemaComment())
      .replace('{model}', () => JSON.stringify(model))
      .replace('{data}', () => JSON.stringify(data));
  }
}
