/** @file Ranks the cards and runs beneath a folder. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, RobustError } from '../core/errors.js';
import { isObject, parseJson } from '../core/json.js';
import { faultText, readBy } from '../core/read-by.js';
import { LONGEST_TEXT, readFileSync } from '../files/read.js';
import { cardSchema, type StandingCard } from '../results/card/card.js';
import { type GuardCard, guardCardSchema } from '../results/card/guard-card.js';
import { type CardFile, guardTables, type Leaderboard, leaderboardTables } from '../results/card/leaderboard.js';
import { cardOf, cardReasons, hasStandard } from './card.js';
import { guardCardOf, hasGuardrail } from './guard-card.js';
import { openReport } from './runs/open-report.js';

export interface LeaderboardOptions {
  /** Cards (JSON), reports (JSON) and run folders are read from here and beneath. */
  readonly folder: string;
}

/** Reads cards, and makes those of reports and runs. Throws RobustError FOLDER_NOT_FOUND, RobustError CARD_NOT_FOUND. */
export async function leaderboard({ folder }: LeaderboardOptions): Promise<Leaderboard> {
  const files: CardFile<StandingCard | GuardCard>[] = [];
  const notRanked: Leaderboard['notRanked'][number][] = [];
  const skipped: Leaderboard['skipped'][number][] = [];
  for (const file of candidates(folder)) {
    const read = await readCard(file).catch((error: unknown) => {
      if (!(error instanceof RobustError)) throw error;
      if (error.code === 'RUN_UNFINISHED') notRanked.push({ file, model: '', reasons: [error.message] });
      else skipped.push({ file, reason: error.message });
      return undefined;
    });
    if (read === undefined) continue;
    const { card } = read;
    const reasons = card.reasons.length > 0 || 'kind' in card ? card.reasons : cardReasons(card);
    if (reasons.length === 0) files.push({ file, ...read });
    else notRanked.push({ file, model: card.model.name, reasons });
  }
  if (files.length + notRanked.length + skipped.length === 0) throw noCards(folder);
  const cards = withoutCopies(files);
  const tables = leaderboardTables(cards.filter((one): one is CardFile => !('kind' in one.card)));
  const guards = guardTables(cards.filter((one): one is CardFile<GuardCard> => 'kind' in one.card));
  const empty = tables.length + guards.length === 0;
  return {
    tables,
    guards,
    notRanked,
    skipped,
    verdict: empty ? 'inconclusive' : 'none',
    reasons: empty ? ['no card can be ranked'] : [],
  };
}

/** A run, its card and its repetition have the same outcomes: the first of them stays, a run before a card. */
function withoutCopies<C extends StandingCard | GuardCard>(files: readonly CardFile<C>[]): CardFile<C>[] {
  const seen = new Set<string>();
  const sorted = files.toSorted((a, b) => Number(a.stated === 'file') - Number(b.stated === 'file'));
  return sorted.filter(({ card: { model, data, seed, queryBudget, conditions, outcomes } }) => {
    const key = JSON.stringify([model, data.examplesSha256, seed, queryBudget, conditions, outcomes]);
    return !seen.has(key) && seen.add(key);
  });
}

/** JSON files and run folders, in the order of their paths. Links are not followed. Throws RobustError FOLDER_NOT_FOUND. */
function candidates(folder: string): string[] {
  const entries = (() => {
    try {
      return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    } catch (cause) {
      throw new RobustError(`expected a folder, got ${folder}: ${messageOf(cause)}`, {
        code: 'FOLDER_NOT_FOUND',
        hint: 'Name a folder with cards or runs.',
        cause,
      });
    }
  })();
  if (entries.some((entry) => entry.isFile() && entry.name === 'run.json')) return [folder];
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : candidates(path);
    return entry.isFile() && entry.name.endsWith('.json') ? [path] : [];
  });
}

/** Undefined for JSON documents and runs of another kind. Throws RobustError CARD_DAMAGED, and what reading runs throws. */
async function readCard(path: string): Promise<Omit<CardFile<StandingCard | GuardCard>, 'file'> | undefined> {
  if (path.endsWith('.json')) {
    const document = readJson(path);
    if (!isObject(document) || document.ok !== true || !isObject(document.result)) return undefined;
    if (document.command === 'card') return { card: parseCard(path, document.result), stated: 'file' };
    if (!Array.isArray(document.result.attacks) || !Array.isArray(document.result.examples)) return undefined;
  }
  const { report } = await openReport(path);
  if (hasStandard(report)) return { card: await cardOf(report) };
  return hasGuardrail(report) ? { card: await guardCardOf(report) } : undefined;
}

function readJson(path: string): unknown {
  try {
    return parseJson(readFileSync(path, 'utf8', LONGEST_TEXT));
  } catch (cause) {
    throw damaged(path, messageOf(cause), cause);
  }
}

function parseCard(path: string, value: object): StandingCard | GuardCard {
  const read = 'kind' in value ? readBy(guardCardSchema, value) : readBy(cardSchema, value);
  if (read.success) return read.data;
  throw damaged(path, faultText(read.faults[0]));
}

const damaged = (path: string, what: string, cause?: unknown): RobustError =>
  new RobustError(`expected a card in ${path}, got something else: ${what}`, {
    code: 'CARD_DAMAGED',
    hint: 'Write it again with: robust card RUN -o card.json',
    cause,
  });

const noCards = (folder: string): RobustError =>
  new RobustError(`expected cards or runs of the suites standard and guardrail beneath ${folder}, got none`, {
    code: 'CARD_NOT_FOUND',
    hint: 'Write one with: robust card RUN -o card.json',
  });
