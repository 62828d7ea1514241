/** @file Compare models on the same examples under the same attacks. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { GivenValues, Settings, Values } from '../config/setting.js';
import { attackSettings } from '../config/settings/index.js';
import { must, RobustError } from '../core/errors.js';
import { defences } from '../defence/index.js';
import type { ComparisonReport } from '../results/comparison/comparison.js';
import { checkDecisions, openRun } from '../run/index.js';
import { attackModel, attacksOf } from './attack.js';
import { commandLine, quote, recordOf, type SettingValues } from './command-line.js';
import { type Context, toolVersion, type UseCaseHooks } from './context.js';
import type { AttackChoice } from './runs/attack-plan.js';
import { type ComparedModelRun, comparisonReport } from './runs/comparison-report.js';
import { RUNS } from './runs/runs.js';
import { type UseCaseFunction, useCase } from './use-case.js';
import { victimChoice } from './victim/choice.js';
import { openVictim } from './victim/victim.js';

// The model is each contender's own; a budget of the run would end each model's at another example.
const { model: _, runBudget: __, shard: ___, transformation: ____, search: _____, ...rest } = attackSettings;

export const compareSettings = {
  ...rest,
  transfer: {
    schema: z.boolean().default(true),
    group: 'attack',
    negatable: true,
    help: 'also test each model on the adversarial texts of the others',
  },
} as const satisfies Settings;

export interface CompareOptions extends GivenValues<typeof compareSettings>, UseCaseHooks {
  /** Two or more: names of models, each with its defences behind plus signs, or finished runs by id or folder. The first is compared with the others. */
  readonly models: readonly string[];
}

/** Throws what `attack` throws, and RobustError for runs that cannot be compared. */
export const compare: UseCaseFunction<CompareOptions, ComparisonReport> = useCase({
  settings: compareSettings,
  others: ['models'],
  async run({ transfer, ...choice }, context, { models }) {
    checkSpecs(models);
    await openAll(models, choice, context);
    const contenders: ComparedModelRun[] = [];
    for (const name of models) {
      const [first] = contenders;
      if (isRun(name)) {
        const folder = await openRun(RUNS, name);
        contenders.push({ name: folder.record.model.name, folder });
        continue;
      }
      const { folder, classifier } = await attackModel(choiceOf(name, choice), context, {
        only: first && attacksOf(first.folder),
        accepts: (run) => first && checkDecisions(first.folder, run),
      });
      contenders.push({ name, folder, ...(transfer && { classifier }) });
    }
    const unique = new Set(contenders.map(({ name }) => name)).size === contenders.length;
    // Runs of one model keep their ids as names.
    const named = unique ? contenders : contenders.map((one, at) => ({ ...one, name: must(models[at]) }));
    return comparisonReport(named, { toolVersion, command: replayOfComparison(models, choice) });
  },
});

type CompareChoice = Omit<Values<typeof compareSettings>, 'transfer'>;

const choiceOf = (name: string, choice: CompareChoice): AttackChoice => ({
  ...choice,
  ...modelAndDefences(name, choice.defend),
  runBudget: undefined,
  shard: undefined,
  transformation: undefined,
  search: undefined,
});

/** Opens each model and run once before the first is attacked. Throws what opening them throws. */
async function openAll(models: readonly string[], choice: CompareChoice, context: Context): Promise<void> {
  for (const name of models.toReversed()) {
    if (isRun(name)) await openRun(RUNS, name);
    // The first model is attacked at once.
    else if (name !== models[0])
      await context.scope((scope) => openVictim(victimChoice(choiceOf(name, choice)), scope));
  }
}

/** The command that makes such a comparison again; `more`: flags that decide nothing. */
export const replayOfComparison = (
  models: readonly string[],
  choice: Readonly<Record<string, unknown>>,
  more: SettingValues = {},
): string =>
  commandLine(['compare', ...models.map(quote)].join(' '), { ...recordOf(compareSettings, choice), ...more });

/** `model+defence+defence`: what follows a plus sign is a defence where one has that name, else part of the model's. */
function modelAndDefences(spec: string, all: readonly string[] = []): { model: string; defend: string[] } {
  const [model = '', ...parts] = spec.split('+');
  const defend: string[] = [];
  while (parts.length > 0 && isDefence(must(parts.at(-1)))) defend.unshift(must(parts.pop()));
  return { model: [model, ...parts].join('+'), defend: [...all, ...defend] };
}

const isDefence = (part: string): boolean => defences.some(({ name }) => name === part.split(':')[0]);

/** A run by id or folder, or the latest: not a model. */
const isRun = (spec: string): boolean =>
  spec === 'latest' || [spec, join(RUNS, spec)].some((path) => existsSync(join(path, 'run.json')));

function checkSpecs(specs: readonly string[]): void {
  const flag = specs.find((spec) => spec.startsWith('-'));
  if (flag !== undefined)
    throw new RobustError(`expected models or runs, got "${flag}"`, {
      code: 'FLAG_INVALID',
      hint: 'See robust compare --help.',
    });
  if (specs.length < 2)
    throw new RobustError(`expected two models or runs, got ${specs.length === 0 ? 'none' : `"${specs[0]}" alone`}`, {
      code: 'FLAG_INVALID',
      hint: 'For example: robust compare distilbert bert-mini',
    });
  const twice = specs.find((spec, at) => specs.indexOf(spec) !== at);
  if (twice !== undefined) {
    throw new RobustError(`"${twice}" is given twice`, { code: 'FLAG_INVALID', hint: 'A model is equal to itself.' });
  }
}
