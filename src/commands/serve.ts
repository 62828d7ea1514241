import type { RunningServer } from '../app/serve.js';
import { serveSettings } from '../config/settings/index.js';
import { quantity } from '../core/figure-text.js';
import { BaseCommand } from './_shared/base-command.js';
import { flagsOf } from './_shared/flags.js';
import { footer } from './_shared/footer.js';

export default class ServeCommand extends BaseCommand {
  static override summary = 'Serve a model over HTTP (KServe V2 and plain JSON).';

  static override description =
    'Attack a model, or a model behind defences, as if it were deployed. Requests of all clients share batches. GET /health reports readiness. Ctrl-C or SIGTERM stops the server after running requests. See docs/remote.md.';

  static override examples = [
    '<%= config.bin %> serve --model distilbert',
    '<%= config.bin %> serve -m ./my-model --defend spelling --port 0 --json',
  ];

  static override flags = flagsOf(serveSettings);

  /** It answers or delivers what is under way. */
  protected override readonly termGrace = 0;

  async run(): Promise<void> {
    await this.parse(ServeCommand);
    const { serve } = await import('../app/serve.js');
    const totals = await this.carriedOut(async (hooks) => {
      const log = this.values(serveSettings).accessLog && {
        onRequest: (entry: object) => this.note(JSON.stringify(entry)),
      };
      const server = await serve({ ...this.values(serveSettings), ...log, ...hooks });
      await this.#ready(server);
      return server.stopped;
    });
    const { requests, refused, texts } = totals;
    this.note(
      `Stopped after ${quantity(requests, 'request')}, ${refused} of them refused, and ${quantity(texts, 'text')}.`,
    );
  }

  /** The one document on stdout: who starts it waits for the port. */
  async #ready({ attack: next, stopped: _, close: __, ...facts }: RunningServer): Promise<void> {
    const { url, model, protocols, decision, pairs } = facts;
    const screen = await this.screen();
    await this.answer(facts, () => [
      `Serving ${model.name} (${model.labels.join(', ')}) at ${url}\n`,
      decision === undefined ? '' : `Decision: ${decision}\n`,
      pairs ? 'It reads pairs of texts and refuses lone ones.\n' : '',
      ...protocols.map(({ name, model: spec = `${url} (see docs/remote.md)` }) => `  ${name.padEnd(18)} ${spec}\n`),
      footer(screen, { next }),
    ]);
  }
}
