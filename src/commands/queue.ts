import { queueSettings } from '../config/settings/index.js';
import { BaseCommand } from './_shared/base-command.js';
import { flagsOf } from './_shared/flags.js';
import { Args } from './_shared/oclif.js';

const actions = ['status', 'pause', 'resume', 'drain', 'retry'] as const;

export default class QueueCommand extends BaseCommand {
  static override summary = 'Show and control the runs, jobs and workers on a queue.';

  static override description =
    'pause: workers take no further jobs. drain: removes waiting jobs and stops coordinators; results are kept (robust attack --resume). retry: runs failed jobs again. drain and retry may name one run.';

  static override examples = [
    '<%= config.bin %> queue status --queue redis://127.0.0.1:6379',
    '<%= config.bin %> queue retry 20261120T211400Z-ab12cd --queue redis://127.0.0.1:6379',
  ];

  static override usage = '<%= command.id %> ACTION [RUN] [FLAGS]';

  static override args = {
    action: Args.string({ required: true, ignoreStdin: true, options: [...actions], description: 'what to do' }),
    run: Args.string({ ignoreStdin: true, description: 'id of a run, for drain and retry [default: all]' }),
  };

  static override flags = flagsOf(queueSettings);

  async run(): Promise<void> {
    const { args } = await this.parse(QueueCommand);
    const [{ administerQueue }, { onScreen, queueDocument }] = await Promise.all([
      import('../app/queue/administer.js'),
      import('../../reports/index.js'),
    ]);
    const { queue } = this.values(queueSettings);
    const action = args.action as (typeof actions)[number];
    const status = await administerQueue(queue, action, args.run, (message) => this.warning(message));
    const screen = await this.screen();
    await this.answer(status, () => onScreen(queueDocument(status), screen));
  }
}
