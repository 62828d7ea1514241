import { relative } from 'node:path';
import { Args, Flags } from '@oclif/core';
import type { RunFolder } from '../run/index.js';
import { BaseCommand } from './_shared/base-command.js';
import { allowPartial, outputFlag } from './_shared/flags.js';
import { commandLine } from './_shared/replay.js';
import { RUNS } from './_shared/runs.js';

export default class Report extends BaseCommand {
  static override summary = 'Render a finished run again: on the screen, or to files.';

  static override examples = [
    '<%= config.bin %> report',
    '<%= config.bin %> report 20261120T211400Z-ab12cd -o report.md -o examples.csv',
    {
      description: 'Put the shards of a run together, as a run of its own',
      command: '<%= config.bin %> report --merge shard-*/ -o report.html',
    },
  ];

  static override usage = '<%= command.id %> [RUN] [FLAGS]';

  static override args = {
    run: Args.string({
      default: 'latest',
      ignoreStdin: true,
      description: 'id or folder of a run',
    }),
  };

  static override flags = {
    output: outputFlag,
    merge: Flags.string({
      multiple: true,
      helpValue: 'folder',
      description: 'put these shards together: run folders, or folders that hold one',
    }),
    'allow-partial': allowPartial,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Report);
    const [{ openRun, readReport }, { jsonOf, terminal }, { outputFiles, writeReport }] = await Promise.all([
      import('../run/index.js'),
      import('../../reports/index.js'),
      import('./_shared/output-files.js'),
    ]);
    const outputs = await outputFiles(flags.output ?? []);
    const partial = { allowPartial: flags['allow-partial'] };
    const folder = flags.merge === undefined ? await openRun(RUNS, args.run) : await merged(flags.merge, partial);
    const report = await readReport(folder, partial);
    for (const output of outputs) await writeReport(output, report);
    if (this.jsonEnabled()) return this.print(jsonOf('report').render(report));
    await this.print(
      outputs.length === 0
        ? terminal(await this.screen()).render(report)
        : outputs.map(({ path }) => `Written  ${path}\n`).join(''),
    );
    if (flags.merge !== undefined) await this.print(`\nRun      ${relative('', folder.path)}\n`);
  }
}

/** The shards in these folders as one run. */
async function merged(folders: readonly string[], partial: { readonly allowPartial: boolean }): Promise<RunFolder> {
  const [{ mergeShards }, { openShard }] = await Promise.all([
    import('../run/index.js'),
    import('./_shared/open-shard.js'),
  ]);
  const shards: RunFolder[] = [];
  for (const path of folders) shards.push(await openShard(path));
  return mergeShards(RUNS, shards, { ...partial, command: (settings) => commandLine('attack', settings) });
}
