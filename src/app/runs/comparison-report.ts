/** @file Makes the comparison of finished runs, and of the models that are still open. */
import type { Classifier } from '../../core/classifier.js';
import type { ComparedModel, Comparison, ComparisonReport, TransferRate } from '../../results/comparison/comparison.js';
import type { Report } from '../../results/report/report.js';
import { summariseReview } from '../../results/report/review.js';
import { comparedModel, compareRuns, type RunFolder, readReport, transferRates } from '../../run/index.js';
import { withReview } from '../review/with-review.js';

export interface ComparedModelRun {
  /** As reports call it; unique. */
  readonly name: string;
  readonly folder: RunFolder;
  /** The victim of the run, if it is still open: it is queried with the adversarial texts of the others. */
  readonly classifier?: Classifier;
}

/** The second and further contenders against the first. Throws RobustError for runs that cannot be compared, RUN_DAMAGED if outcomes are missing. */
export async function comparisonReport(
  contenders: readonly ComparedModelRun[],
  made: Pick<ComparisonReport, 'toolVersion' | 'command'>,
): Promise<ComparisonReport> {
  const names = new Map(contenders.map(({ name, folder }) => [folder.id, name]));
  const withName = (model: ComparedModel): ComparedModel => ({ ...model, name: names.get(model.run) ?? model.name });
  const [first, ...others] = contenders.map(({ folder }) => folder) as [RunFolder, ...RunFolder[]];
  const compared: Comparison[] = [];
  for (const other of others) {
    const { models, ...rest } = await compareRuns(first, other);
    compared.push({ models: [withName(models[0]), withName(models[1])], ...rest });
  }
  const [{ models: _, ...comparison }, ...further] = compared as [Comparison, ...Comparison[]];
  const { data, seed, clean } = first.record;
  const reports = await Promise.all(contenders.map(async ({ folder }) => withReview(await readReport(folder), folder)));
  const reasons = [
    ...contenders.flatMap(({ name }, at) => (reports[at]?.reasons ?? []).map((reason) => `${name}: ${reason}`)),
    ...(compared.some(({ overall }) => overall.a.n === 0) ? ['there is no example that can be compared'] : []),
  ];
  return {
    models: contenders.map(({ folder }) => withName(comparedModel(folder))),
    data: { name: data.name, sha256: data.sha256, examples: clean?.examples ?? 0 },
    seed,
    ...comparison,
    further,
    transfer: await transfer(contenders),
    verdict: reasons.length > 0 ? 'inconclusive' : 'none',
    reasons,
    curves: curvesOf([...comparison.suites, ...comparison.attacks], reports),
    ...reviewsOf(contenders, reports),
    ...made,
  };
}

/** The curves of the suites and attacks that all models were compared under. */
const curvesOf = (
  compared: readonly { readonly name: string }[],
  reports: readonly Report[],
): NonNullable<ComparisonReport['curves']> =>
  compared
    .map(({ name }) => ({
      attack: name,
      models: reports.map(
        ({ suites, attacks }) => [...suites, ...attacks].find((each) => each.name === name)?.curves ?? null,
      ),
    }))
    .filter(({ models }) => models.some((curves) => curves !== null));

function reviewsOf(
  contenders: readonly ComparedModelRun[],
  reports: readonly Report[],
): Pick<ComparisonReport, 'reviews'> {
  const reviews = reports.flatMap(({ review, overall, run }, at) => {
    const summary = summariseReview(review, overall);
    return summary === undefined ? [] : [{ name: contenders[at]?.name ?? run, run, ...summary }];
  });
  return reviews.length > 0 ? { reviews } : {};
}

/** Queries every open model with the adversarial texts of each other one. */
async function transfer(contenders: readonly ComparedModelRun[]): Promise<TransferRate[]> {
  const rates: TransferRate[] = [];
  for (const from of contenders) {
    for (const to of contenders) {
      if (from === to || to.classifier === undefined) continue;
      const found = await transferRates(from.folder, to.folder, to.classifier);
      rates.push(...found.map((rate) => ({ ...rate, from: from.name, to: to.name })));
    }
  }
  return rates;
}
