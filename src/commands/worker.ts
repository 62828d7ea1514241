import { progressSetting, workerSettings } from '../config/settings/index.js';
import { BaseCommand } from './_shared/base-command.js';
import { flagsOf } from './_shared/flags.js';

export default class WorkerCommand extends BaseCommand {
  static override summary = 'Take part in runs that others started with robust attack --queue.';

  static override description = [
    'Workers come and go as they like, on any machine that reaches the Redis and the coordinator (or a folder or a store of objects that both see, --store). One that is told to stop (Ctrl-C, SIGTERM) delivers what it found and gives the rest back; what one that was killed had under way is done by another.',
    'Workers have the version of robust that the coordinator has. What a job names is fetched by its hash and refused where that differs. Of packages of plugins a worker loads those that --plugin lists and no others: whoever can write to the Redis can name any. A run that a worker cannot or may not carry out is set aside and named (robust queue status), and the others go on.',
    'Needs the packages bullmq and ioredis beside robust-text. Exit codes: 0 told to stop, 2 usage, 3 this machine cannot work, such as where its disk is full.',
  ].join('\n\n');

  static override examples = [
    '<%= config.bin %> worker --queue redis://127.0.0.1:6379',
    {
      description: 'With a password, four threads, messages as JSON, figures for Prometheus',
      command:
        'ROBUST_QUEUE=rediss://user:password@host:6380 <%= config.bin %> worker --workers 4 --log json --listen 0.0.0.0:9464',
    },
  ];

  static override flags = flagsOf({ ...workerSettings, log: progressSetting.log });

  async run(): Promise<void> {
    await this.parse(WorkerCommand);
    const { work } = await import('../app/queue/work.js');
    const settings = this.values(workerSettings);
    const result = await this.carriedOut((hooks) => work({ ...settings, ...hooks }));
    await this.answer(
      result,
      () => `${result.outcomes} outcomes of ${result.jobs} jobs in ${result.seconds.toFixed(0)} s.\n`,
    );
  }
}
