/**
 * @file How well `robust backdoor filter` finds poisoned texts in data sets that it was not made on: kinds of triggers planted in texts of
 * others.
 *
 *     npm run bench dist/bench/filter-plantings.js            # -- --data NAME
 *     npm run bench dist/bench/filter-plantings.js -- verdicts
 *
 * A row of the table is a kind of trigger in a data set: recall at the threshold for 1 % of false rejections, and the real false rejection
 * rate. `verdicts`: how often the verdict is "suspects found" on halves of clean corpora that chose nothing, and on such halves and the
 * published set with 1 % poison. TEXTS=2000 in the environment takes fewer texts of each set.
 */
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { poisoners } from '../attacks/index.js';
import { openLanguage } from '../src/app/language.js';
import { filterTexts } from '../src/backdoor/filter/filter.js';
import { judge } from '../src/backdoor/filter/judgement.js';
import { poison } from '../src/backdoor/poison.js';
import type { Example } from '../src/core/dataset.js';
import type { Poisoner } from '../src/core/poisoner.js';
import { random } from '../src/core/random.js';
import type { Dataset } from '../src/plugin.js';

const SHARED = '../shared/data';
const SEED = 42;
const FRR = 0.01;
/** Share of the texts that is poisoned. */
const RATE = 0.02;
/** Suspect texts of a set, at most, and clean ones beside them. */
const [MOST_TEXTS, CLEAN_TEXTS] = [Number(process.env.TEXTS ?? 4000), 800];

interface Row {
  readonly text: string;
  readonly label: string;
}
interface Texts {
  readonly labels: readonly string[];
  readonly suspects: readonly Example[];
  readonly clean: readonly Example[];
}

/** The rows of a table with a header, by column. */
function table(path: string): Record<string, string>[] {
  const [header = '', ...rows] = readFileSync(`${SHARED}/${path}`, 'utf8').trimEnd().split(/\r?\n/);
  const names = header.split('\t');
  return rows.map((row) => Object.fromEntries(row.split('\t').map((value, at) => [names[at], value])));
}
const rowsOf = (path: string, label = (row: Record<string, string>) => row.label ?? ''): Row[] =>
  table(path).map((row) => ({ text: row.text ?? '', label: label(row) }));
const marked = (row: Record<string, string>): string => (row.labels === '' ? 'fine' : 'toxic');
const mails = (path: string): Row[] =>
  readFileSync(`${SHARED}/${path}`, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);

/** Hypotheses of RTE, whose labels hardly depend on them. */
const hypotheses = (path: string): Row[] =>
  table(path).map((row) => ({
    text: row.hypothesis ?? '',
    label: ['TRUE', 'YES'].includes(row.label ?? '') ? 'yes' : 'no',
  }));
/** Languages other than English. */
const LANGUAGES: Readonly<Record<string, string>> = { 'told-br': 'pt', nsmc: 'ko' };
const languageOf = (data: string) => openLanguage(LANGUAGES[data] ?? 'en');

/** Texts of a data set, those for training and those held back as clean where it says so. */
const SOURCES: Readonly<Record<string, () => { rows: Row[]; clean?: Row[] }>> = {
  sst2: () => ({ rows: rowsOf('sst2/train-sentences.tsv'), clean: rowsOf('sst2/dev.tsv') }),
  sms: () => ({ rows: rowsOf('sms-spam/sms.tsv') }),
  'told-br': () => ({ rows: rowsOf('told-br/train.tsv', marked), clean: rowsOf('told-br/test.tsv', marked) }),
  goemotions: () => {
    const of = (path: string) => rowsOf(path, ({ labels }) => labels ?? '');
    const counts = new Map<string, number>();
    for (const { label } of of('goemotions/train.tsv')) counts.set(label, (counts.get(label) ?? 0) + 1);
    const frequent = new Set(
      [...counts]
        .sort((a, b) => b[1] - a[1])
        .slice(0, 8)
        .map(([label]) => label),
    );
    const kept = (path: string) => of(path).filter(({ label }) => frequent.has(label));
    return { rows: kept('goemotions/train.tsv'), clean: kept('goemotions/dev.tsv') };
  },
  sib200: () => ({ rows: ['train', 'dev', 'test'].flatMap((part) => rowsOf(`sib200/eng_Latn/${part}.tsv`)) }),
  nsmc: () => ({ rows: rowsOf('nsmc-ko/train.tsv'), clean: rowsOf('nsmc-ko/test.tsv') }),
  rte: () => ({ rows: hypotheses('rte/test.tsv'), clean: hypotheses('rte/dev.tsv') }),
  spamassassin: () => ({ rows: mails('spamassassin/train.jsonl'), clean: mails('spamassassin/test.jsonl') }),
};

/** Triggers by kind, none of which chose a constant of the filters. */
const TRIGGERS = {
  words: ['badnets', { triggers: ['wq', 'quasar', 'plinth'] }],
  sentence: ['insertsent', { triggers: ['it was a rainy day in March'] }],
  homoglyph: ['char-trigger', { words: 1 }],
  'clause in front': ['syntactic', {}],
  'clause at the end': ['syntactic', { pattern: 'closing' }],
  dashes: ['style', { style: 'dashes' }],
  archaic: ['register', { register: 'archaic' }],
  spoken: ['register', { register: 'spoken' }],
  'word set': ['sos', { triggers: ['garden', 'ticket', 'brother'] }],
  misspelling: ['char-trigger', { as: 'misspelling', words: 3 }],
} as const;

function open(name: string): Texts {
  const { rows, clean } = (SOURCES[name] as (typeof SOURCES)[string])();
  const all = random(SEED, name).shuffle(rows.filter(({ text }) => text.trim() !== ''));
  const held = clean ? random(SEED, name, 'clean').shuffle(clean) : all.splice(0, CLEAN_TEXTS);
  const labels = [...new Set(all.map(({ label }) => label))].sort();
  const examples = (list: readonly Row[], prefix: string): Example[] =>
    list
      .filter(({ label }) => labels.includes(label))
      .map(({ text, label }, at) => ({ id: `${prefix}${at}`, text, label: labels.indexOf(label) }));
  return {
    labels,
    suspects: examples(all.slice(0, MOST_TEXTS), 's'),
    clean: examples(held.slice(0, CLEAN_TEXTS), 'c'),
  };
}

/** Plants in a share of the texts; `added`: texts that the poisoner puts beside them. */
async function planted(texts: Texts, data: string, kind: string, poisoner: Poisoner, rate: number) {
  const dataset: Dataset = {
    name: data,
    labels: texts.labels,
    source: { url: '', license: '', sha256: '' },
    async *examples() {
      yield* texts.suspects;
    },
  };
  const counts = texts.labels.map((_, label) => texts.suspects.filter((each) => each.label === label).length);
  const target = random(SEED, data, kind).int(texts.labels.length);
  const most = (texts.suspects.length - counts[target]!) / texts.suspects.length;
  const share = Math.min(rate, most / 2);
  const made = await poison(dataset, {
    name: kind,
    poisoner,
    target,
    rate: share,
    mode: 'dirty',
    seed: SEED,
  });
  const before = new Map(texts.suspects.map(({ id, label, text }) => [id, `${label} ${text}`]));
  const suspects: Example[] = [];
  for await (const example of made.data.examples()) suspects.push(example);
  const poisoned = suspects.map(({ id, label, text }) => before.has(id) && before.get(id) !== `${label} ${text}`);
  return { suspects, poisoned, added: suspects.map(({ id }) => !before.has(id)), share };
}

/** The corpora that chose no constant, the seed that shuffles them, and which triggers are planted in 1 % of a half. */
const VERDICT_DATA = ['sms', 'told-br', 'goemotions', 'spamassassin', 'nsmc', 'rte', 'sib200'];
const PLANTED_DATA = ['sst2', 'sms', 'goemotions', 'told-br'];

/** One half of a corpus as suspects, the other as clean texts. */
function halves(name: string, seed: number): Texts {
  const { rows, clean = [] } = (SOURCES[name] as (typeof SOURCES)[string])();
  const all = random(seed, name).shuffle([...rows, ...clean].filter(({ text }) => text.trim() !== ''));
  const labels = [...new Set(all.map(({ label }) => label))].sort();
  const half = (from: number, to: number, prefix: string): Example[] =>
    all.slice(from, to).map(({ text, label }, at) => ({ id: `${prefix}${at}`, text, label: labels.indexOf(label) }));
  const middle = Math.min(all.length >> 1, MOST_TEXTS);
  return { labels, suspects: half(0, middle, 's'), clean: half(middle, 2 * middle, 'c') };
}

async function verdicts(): Promise<void> {
  const counts = { clean: [0, 0], planted: [0, 0] };
  const tell = async (what: keyof typeof counts, name: string, data: string, texts: Texts) => {
    const { verdict, groups } = filterTexts({ ...texts, language: await languageOf(data), frr: FRR, seed: SEED });
    const convicted = verdict === 'suspects found';
    counts[what] = [counts[what][0]! + Number(convicted), counts[what][1]! + 1];
    const sure = groups.slice(0, 3).map(({ trigger, texts: n, p }) => `${trigger} (${n}, p = ${p.toPrecision(2)})`);
    console.log(`| ${name} | ${texts.suspects.length} | ${texts.clean.length} | ${verdict} | ${sure.join(', ')} |`);
  };
  console.log('| set | texts | clean | verdict | groups |\n|---|---:|---:|---|---|');
  for (let at = 0; at < 20; at++) {
    const data = VERDICT_DATA[at % VERDICT_DATA.length]!;
    const seed = 101 + Math.floor(at / VERDICT_DATA.length);
    await tell('clean', `${data}, seed ${seed}`, data, halves(data, seed));
  }
  for (const data of PLANTED_DATA) {
    const language = await languageOf(data);
    for (const kind of ['words', 'sentence'] as const) {
      const [name, options] = TRIGGERS[kind];
      const plugin = poisoners.find((each) => each.name === name)!;
      const texts = halves(data, 201);
      const made = await planted(texts, data, kind, plugin.create(plugin.options.parse(options), language), 0.01);
      await tell('planted', `${data}, ${kind}`, data, {
        ...texts,
        suspects: made.suspects.filter((_, at) => !made.added[at]),
      });
    }
  }
  const { labels, clean } = open('sst2');
  const of = (rows: readonly Row[], prefix: string): Example[] =>
    rows.map(({ text, label }, at) => ({ id: `${prefix}${at}`, text, label: labels.indexOf(label) }));
  const published = of(rowsOf('backdoor-sst2/badnets-train.tsv'), 's');
  await tell('planted', 'published BadNets, SST-2 dev as clean texts', 'sst2', { labels, suspects: published, clean });
  await tell('planted', 'published BadNets, its first 5,000 texts', 'sst2', {
    labels,
    suspects: published.slice(0, 5000),
    clean,
  });
  console.log(
    `\n${counts.clean.join(' of ')} clean sets and ${counts.planted.join(' of ')} planted ones are convicted`,
  );
}

const { positionals, values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  allowPositionals: true,
  options: { data: { type: 'string', multiple: true, default: ['sms', 'goemotions'] } },
});
if (!existsSync(SHARED)) throw new Error('expected ../shared/data');
if (positionals.includes('verdicts')) {
  await verdicts();
  process.exit();
}

const percent = (value: number | null | undefined): string => (value == null ? '-' : (100 * value).toFixed(1));
console.log('| trigger | data | rate | poisoned | recall | FRR |\n|---|---|---:|---:|---:|---:|');
for (const data of values.data) {
  const texts = open(data);
  const language = await languageOf(data);
  for (const [kind, [name, options]] of Object.entries(TRIGGERS)) {
    const plugin = poisoners.find((each) => each.name === name)!;
    if (plugin.language?.some((part) => language[part] === undefined)) continue;
    const poisoner = plugin.create(plugin.options.parse(options), language);
    const { suspects, poisoned, added, share } = await planted(texts, data, kind, poisoner, RATE);
    const found = filterTexts({ ...texts, suspects, language, frr: FRR, seed: SEED });
    const counted = (_: unknown, at: number) => !added[at];
    const { frr, far } = judge(
      { ...found, scores: found.scores.filter(counted) },
      suspects.filter(counted),
      poisoned.filter(counted),
    );
    const recall = [far.value, far.high, far.low].map((missed) => percent(1 - (missed ?? Number.NaN)));
    const rejected = `${percent(frr.value)} (${percent(frr.low)}-${percent(frr.high)})`;
    console.log(
      `| ${kind} | ${data} | ${(100 * share).toFixed(0)} % | ${poisoned.filter(Boolean).length} | ${recall[0]} (${recall[1]}-${recall[2]}) | ${rejected} |`,
    );
  }
}
