import { filterSettings } from '../../app/filter.js';
import { quantity } from '../../core/figure-text.js';
import { BaseCommand } from '../_shared/base-command.js';
import { flagsOf } from '../_shared/flags.js';
import { footer } from '../_shared/footer.js';

export default class FilterCommand extends BaseCommand {
  static override summary = 'Find the poisoned texts of a data set.';

  static override description = [
    'The filter learns from the texts and labels together: words, phrases, spellings and forms of sentences that stand in more texts of a label than clean texts have. Clean held-out texts (--clean) set the threshold, so that it flags at most a share --frr of clean texts; it does not know which texts are poisoned. Without clean texts of the same source, --reference takes texts of the same domain; only texts whose other words speak against their label are then a verdict. Without both the 100 most suspicious texts are listed and the verdict is inconclusive.',
    'With --truth it also prints the false rejection rate (clean texts flagged), the false acceptance rate (poisoned texts kept) and the area under the ROC curve.',
    'It reports suspects only if a group of them shares a trigger by a p-value of its own (below 0.05 after correction for all groups): texts of one label, with what clean texts lack, or whose other words speak against the label. The number of all suspects is a weaker test and convicts nothing. It reports that there are none only of the kinds of triggers that it names (covers in JSON), and only if enough clean texts set the threshold and the scores separate texts; no other kind was looked for. Otherwise it is inconclusive and gives the reasons. Exit codes: 0 done, 2 usage, 3 an input could not be loaded, 4 inconclusive, 70 internal error, 130 interrupted.',
    'All texts are kept in memory.',
  ].join('\n\n');

  static override examples = [
    {
      description: 'Write the rows of a training set that are not flagged',
      command:
        '<%= config.bin %> backdoor filter --data train.tsv --clean dev.tsv -o clean.tsv --suspects suspects.tsv',
    },
    {
      description: 'Measure it on data whose clean rows are known',
      command: '<%= config.bin %> backdoor filter -d poisoned.tsv --clean dev.tsv --truth original.tsv',
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
    const { output, kept } = result;
    this.exitBy(result.verdict);
    await this.answer(result, async () => {
      const screen = await this.screen();
      const texts = new Map(setting.suspects.map(({ id, text }) => [id, text]));
      const poisoned = setting.poisoned?.filter(Boolean).length ?? null;
      const report = { ...setting, poisoned, finding: result };
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
