import { filterSettings } from '../../app/filter.js';
import { quantity } from '../../core/figure-text.js';
import { BaseCommand } from '../_shared/base-command.js';
import { flagsOf } from '../_shared/flags.js';
import { footer } from '../_shared/footer.js';

export default class FilterCommand extends BaseCommand {
  static override summary = 'Find the poisoned texts of a data set.';

  static override description = [
    'The filter for training sets (auto) learns from the texts and labels together; filters for incoming texts (onion, strip) judge each text alone. Clean held-out texts (--clean) set the threshold of each filter, so that it flags at most a share --frr of clean texts; no filter knows which texts are poisoned. Without clean texts of the same source, --reference takes texts of the same domain; only a trigger with strong evidence is then a verdict. Without both the 100 most suspicious texts are listed and the verdict is inconclusive; filters for incoming texts then use the bundled reviews.',
    'With --truth it also prints the false rejection rate (clean texts flagged), the false acceptance rate (poisoned texts kept) and the area under the ROC curve.',
    'The filter reports suspects only if they outnumber the false alarms expected on clean texts, or if ten of them share a trigger with strong evidence of its own. It reports that there are none only of the kinds of triggers that it names (covers in JSON), and only if enough clean texts set the threshold and the scores separate texts; no other kind was looked for. onion and strip find too few of any kind to report that. Otherwise it is inconclusive and gives the reasons. Exit codes: 0 done, 2 usage, 3 an input could not be loaded, 4 inconclusive, 70 internal error, 130 interrupted.',
    'strip needs --model, the model that the texts are sent to. All texts are kept in memory.',
  ].join('\n\n');

  static override examples = [
    {
      description: 'Write the rows of a training set that are not flagged',
      command:
        '<%= config.bin %> backdoor filter --data train.tsv --clean dev.tsv -o clean.tsv --suspects suspects.tsv',
    },
    {
      description: 'Find incoming texts with a trigger',
      command:
        '<%= config.bin %> backdoor filter -m ./my-model -d incoming.tsv --clean dev.tsv --method onion --method strip',
    },
    {
      description: 'Compare all filters on data whose clean rows are known',
      command: '<%= config.bin %> backdoor filter -d poisoned.tsv --clean dev.tsv --method all --truth original.tsv',
    },
  ];

  static override flags = flagsOf(filterSettings);

  async run(): Promise<void> {
    const { flags } = await this.parse(FilterCommand);
    const [{ filter, nextOfFilter }, { filterDocument, onScreen }] = await Promise.all([
      import('../../app/filter.js'),
      import('../../../reports/index.js'),
    ]);
    const { result, setting } = await this.carriedOut((hooks) => filter({ ...this.values(filterSettings), ...hooks }));
    const { output, kept, methods: findings } = result;
    this.exitBy(result.verdict);
    await this.answer(result, async () => {
      const screen = await this.screen();
      const texts = new Map(setting.suspects.map(({ id, text }) => [id, text]));
      const poisoned = setting.poisoned?.filter(Boolean).length ?? null;
      const report = { ...setting, poisoned, findings, verdict: result.verdict, covers: result.covers };
      const next = nextOfFilter(output, this.values(filterSettings));
      const written = [
        ...(output === null ? [] : [`${output}, ${quantity(kept, 'text')}`]),
        ...(flags.suspects === undefined ? [] : [`${flags.suspects}`]),
      ];
      const document = filterDocument(report, (id) => texts.get(id) ?? '');
      return [...onScreen(document, screen), '\n', footer(screen, { written, next })];
    });
  }
}
