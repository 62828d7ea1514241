import { queueSettings } from '../config/settings/index.js';
import { BaseCommand } from './_shared/base-command.js';
import { flagsOf } from './_shared/flags.js';
import { Args } from './_shared/oclif.js';

const actions = ['status', 'pause', 'resume'] as const;

export default class QueueCommand extends BaseCommand {
  static override summary = 'Show the runs, jobs and workers on a queue.';

  static override description =
    'pause: workers take no further jobs until resume. The queue is BullMQ\'s, with the prefix "robust": its dashboards show and control single jobs.';

  static override examples = ['<%= config.bin %> queue status --queue redis://127.0.0.1:6379'];

  static override usage = '<%= command.id %> ACTION [FLAGS]';

  static override args = {
    action: Args.string({ required: true, ignoreStdin: true, options: [...actions], description: 'what to do' }),
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
    const status = await administerQueue(queue, action, (message) => this.warning(message));
    const screen = await this.screen();
    await this.answer(status, () => onScreen(queueDocument(status), screen));
  }
}
