import { progressSetting, workerSettings } from '../config/settings/index.js';
import { quantity } from '../core/figure-text.js';
import { BaseCommand } from './_shared/base-command.js';
import { flagsOf } from './_shared/flags.js';

export default class WorkerCommand extends BaseCommand {
  static override summary = 'Compute runs that were started with robust attack --queue.';

  static override description = [
    'Workers can join and leave at any time, on any machine that reaches Redis (and the --store of the coordinator, where it has one). A worker that is stopped (Ctrl-C, SIGTERM) delivers its results and returns the rest of its jobs; the jobs of a killed worker go to another one.',
    'Workers and coordinator must have the same version of robust. Files of a job are downloaded and verified by their hashes. A worker loads only the plugin packages that --plugin lists, because anyone who can write to Redis can name others. A run that a worker cannot or may not compute is set aside and listed by robust queue status; other runs continue.',
    'Needs the packages bullmq and ioredis. Exit codes: 0 stopped, 2 usage, 3 this machine cannot work, for example because its disk is full.',
  ].join('\n\n');

  static override examples = [
    '<%= config.bin %> worker --queue redis://127.0.0.1:6379',
    {
      description: 'With a password, four threads, messages as JSON',
      command: 'ROBUST_QUEUE=rediss://user:password@host:6380 <%= config.bin %> worker --runtime workers=4 --log json',
    },
  ];

  static override flags = flagsOf({ ...workerSettings, log: progressSetting.log });

  /** It answers or delivers what is under way. */
  protected override readonly termGrace = 0;

  async run(): Promise<void> {
    await this.parse(WorkerCommand);
    const { work } = await import('../app/queue/work.js');
    const settings = this.values(workerSettings);
    const result = await this.carriedOut((hooks) => work({ ...settings, ...hooks, environment: process.env }));
    const done = `${quantity(result.outcomes, 'outcome')} of ${quantity(result.jobs, 'job')}`;
    await this.answer(result, () => `${done} in ${result.seconds.toFixed(0)} s.\n`);
  }
}
