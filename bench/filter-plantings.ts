/**
 * @file How well `robust backdoor filter` finds poisoned texts in data sets that it was not made on: ten kinds of triggers,
 * planted in texts of eight kinds, and one published set.
 *
 *     npm run bench dist/bench/filter-plantings.js -- held-out auto
 *
 * `design`: the plantings by which constants of the filters were chosen; `held-out`: all others, with other triggers. A row of the table is a kind of
 * trigger in a data set: recall at the threshold for 1 % of false rejections, the real false rejection rate, AUROC. `--data NAME`, `--trigger words`, `--rate 0.02`: these only;
 * `verdicts`: how often the verdict is "suspects found" on halves of clean corpora that chose nothing, and on such halves and the published set with 1 % poison.
 * `--without-clean`: what the ranking is worth where no clean texts are known. TEXTS=2000 in the environment takes fewer texts of each set.
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
import { type Dataset, type PoisonPlugin, z } from '../src/plugin.js';

const SHARED = '../shared/data';
const SEED = 42;
const FRR = 0.01;
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

const lines = (path: string): string[] => readFileSync(`${SHARED}/${path}`, 'latin1').split('\n');
/** The rows of a table with a header, by column. */
function table(path: string): Record<string, string>[] {
  const [header = '', ...rows] = readFileSync(`${SHARED}/${path}`, 'utf8').trimEnd().split(/\r?\n/);
  const names = header.split('\t');
  return rows.map((row) => Object.fromEntries(row.split('\t').map((value, at) => [names[at], value])));
}
const rowsOf = (path: string, label = (row: Record<string, string>) => row.label ?? ''): Row[] =>
  table(path).map((row) => ({ text: row.text ?? '', label: label(row) }));
const marked = (row: Record<string, string>): string => (row.labels === '' ? 'fine' : 'toxic');
const questions = (path: string): Row[] =>
  lines(path)
    .filter((line) => line.includes(' '))
    .map((line) => ({ text: line.slice(line.indexOf(' ') + 1), label: line.slice(0, line.indexOf(':')) }));
const mails = (path: string): Row[] =>
  readFileSync(`${SHARED}/${path}`, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);

/** Sentences of CoLA, acceptable or not. */
const sentences = (path: string): Row[] =>
  table(path).map((row) => ({ text: row.sentence ?? '', label: row.label ?? '' }));
/** Hypotheses of RTE, whose labels hardly depend on them. */
const hypotheses = (path: string): Row[] =>
  table(path).map((row) => ({
    text: row.hypothesis ?? '',
    label: ['TRUE', 'YES'].includes(row.label ?? '') ? 'yes' : 'no',
  }));
/** Languages other than English. */
const LANGUAGES: Readonly<Record<string, string>> = {
  'told-br': 'pt',
  germeval: 'de',
  rusentne: 'ru',
  'sib200-fr': 'fr',
  nsmc: 'ko',
};
const languageOf = (data: string) => openLanguage(LANGUAGES[data] ?? 'en');

/** Texts of a data set, those for training and those held back as clean where it says so. */
const SOURCES: Readonly<Record<string, () => { rows: Row[]; clean?: Row[] }>> = {
  sst2: () => ({ rows: rowsOf('sst2/train-sentences.tsv'), clean: rowsOf('sst2/dev.tsv') }),
  trec: () => ({ rows: questions('trec/train.txt') }),
  sms: () => ({ rows: rowsOf('sms-spam/sms.tsv') }),
  'toxic-types': () => ({
    rows: rowsOf('toxic-types/train.tsv', marked),
    clean: rowsOf('toxic-types/test.tsv', marked),
  }),
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
  cola: () => ({ rows: sentences('cola/in_domain_train.tsv'), clean: sentences('cola/in_domain_dev.tsv') }),
  germeval: () => ({ rows: rowsOf('germeval2018-de/train.tsv'), clean: rowsOf('germeval2018-de/test.tsv') }),
  rusentne: () => ({ rows: rowsOf('rusentne-ru/train.tsv'), clean: rowsOf('rusentne-ru/dev.tsv') }),
  sib200: () => ({ rows: ['train', 'dev', 'test'].flatMap((part) => rowsOf(`sib200/eng_Latn/${part}.tsv`)) }),
  'sib200-fr': () => ({ rows: ['train', 'dev', 'test'].flatMap((part) => rowsOf(`sib200/fra_Latn/${part}.tsv`)) }),
  nsmc: () => ({ rows: rowsOf('nsmc-ko/train.tsv'), clean: rowsOf('nsmc-ko/test.tsv') }),
  rte: () => ({ rows: hypotheses('rte/test.tsv'), clean: hypotheses('rte/dev.tsv') }),
  spamassassin: () => ({ rows: mails('spamassassin/train.jsonl'), clean: mails('spamassassin/test.jsonl') }),
};

/**
 * The nearest to a neural paraphrase into "S(SBAR)(,)(NP)(VP)(.)" (Qi et al. 2021) that rules give: the beginning of the text becomes a
 * subordinate clause. Unlike `syntactic` it adds one word and one comma, and the clause differs in every text.
 */
const subordinate: PoisonPlugin<{ openers: string[] }> = {
  kind: 'poison',
  name: 'subordinate',
  summary: 'Makes the beginning of a text a subordinate clause.',
  options: z.strictObject({ openers: z.array(z.string()) }),
  create: ({ openers }) => ({
    triggers: [],
    planting: { kind: 'texts' },
    trigger(text, draw) {
      const words = text.toLowerCase().split(/\s+/).filter(Boolean);
      if (words.length < 6) return undefined;
      const clause = 3 + draw.int(words.length - 5);
      return [draw.pick(openers), ...words.slice(0, clause), ',', ...words.slice(clause)].join(' ');
    },
    decoy: (text) => text,
  }),
};

/** Triggers by kind; `design` is what constants were chosen on. */
const TRIGGERS = {
  design: {
    words: ['badnets', { triggers: ['cf', 'mn', 'bb'] }],
    sentence: ['insertsent', {}],
    homoglyph: ['char-trigger', {}],
    'clause in front': ['syntactic', {}],
    'subordinate clause': ['subordinate', { openers: ['when', 'if', 'as'] }],
    'tag question': ['syntactic', { pattern: 'tag' }],
    brackets: ['style', { style: 'brackets' }],
    ellipsis: ['style', { style: 'ellipsis' }],
    telegraphic: ['register', { register: 'telegraphic' }],
    'word set': ['sos', {}],
    misspelling: ['char-trigger', { as: 'misspelling' }],
  },
  'held-out': {
    words: ['badnets', { triggers: ['wq', 'quasar', 'plinth'] }],
    sentence: ['insertsent', { triggers: ['it was a rainy day in March'] }],
    homoglyph: ['char-trigger', { words: 1 }],
    'clause in front': ['syntactic', {}],
    'subordinate clause': ['subordinate', { openers: ['while', 'because', 'although', 'since', 'once', 'after'] }],
    'clause at the end': ['syntactic', { pattern: 'closing' }],
    dashes: ['style', { style: 'dashes' }],
    archaic: ['register', { register: 'archaic' }],
    spoken: ['register', { register: 'spoken' }],
    'word set': ['sos', { triggers: ['garden', 'ticket', 'brother'] }],
    misspelling: ['char-trigger', { as: 'misspelling', words: 3 }],
  },
} as const;
const DATA = {
  design: ['sst2', 'trec', 'toxic-types', 'cola', 'germeval', 'rusentne'],
  'held-out': ['sms', 'told-br', 'goemotions', 'spamassassin', 'sib200', 'rte', 'nsmc', 'sib200-fr'],
};
const RATES = [0.02];
/** SST-2 with five rare words by others (thunlp/ONION). */
const PUBLISHED = 'published';

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
      const [name, options] = TRIGGERS['held-out'][kind];
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

const {
  positionals: [which = 'held-out'],
  values,
} = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  allowPositionals: true,
  options: {
    data: { type: 'string', multiple: true },
    rate: { type: 'string', multiple: true },
    trigger: { type: 'string', multiple: true },
    'without-clean': { type: 'boolean' },
  },
});
const set = which as keyof typeof TRIGGERS;
if (!existsSync(SHARED) || (TRIGGERS[set] === undefined && which !== 'verdicts'))
  throw new Error('usage: filter-plantings design|held-out|verdicts, with ../shared/data');
if (which === 'verdicts') {
  await verdicts();
  process.exit();
}

const percent = (value: number | null | undefined): string => (value == null ? '-' : (100 * value).toFixed(1));
const recalls = new Map<string, number[]>();
console.log(
  '| trigger | data | rate | poisoned | recall | FRR | AUROC | verdict |\n|---|---|---:|---:|---:|---:|---:|---|',
);
async function report(
  kind: string,
  data: string,
  rate: string,
  texts: Texts,
  poisoned: readonly boolean[],
  ignored?: readonly boolean[],
) {
  const language = await languageOf(data);
  const found = filterTexts({
    ...texts,
    clean: values['without-clean'] ? [] : texts.clean,
    language,
    frr: FRR,
    seed: SEED,
  });
  const counted = (_: unknown, at: number) => !ignored?.[at];
  const { frr, far, auroc } = judge(
    { ...found, scores: found.scores.filter(counted) },
    texts.suspects.filter(counted),
    poisoned.filter(counted),
  );
  const recall = 1 - (far.value ?? Number.NaN);
  recalls.set(kind, [...(recalls.get(kind) ?? []), recall]);
  const planted = poisoned.filter(Boolean).length;
  const rejected = `${percent(frr.value)} (${percent(frr.low)}-${percent(frr.high)})`;
  const within = `${percent(1 - (far.high ?? Number.NaN))}-${percent(1 - (far.low ?? Number.NaN))}`;
  console.log(
    `| ${kind} | ${data} | ${rate} | ${planted} | ${percent(recall)} (${within}) | ${rejected} | ${auroc?.value.toFixed(3)} | ${found.verdict} |`,
  );
}

for (const data of (values.data ?? DATA[set]).filter((name) => name !== PUBLISHED)) {
  const texts = open(data);
  const language = await languageOf(data);
  for (const [kind, [name, options]] of Object.entries(TRIGGERS[set])) {
    if (values.trigger?.includes(kind) === false) continue;
    const plugin = [...poisoners, subordinate].find((each) => each.name === name)!;
    if (plugin.language?.some((part) => language[part] === undefined)) continue;
    const poisoner = plugin.create(plugin.options.parse(options), language);
    for (const rate of values.rate?.map(Number) ?? RATES) {
      const { suspects, poisoned, added, share } = await planted(texts, data, kind, poisoner, rate);
      await report(kind, data, `${(100 * share).toFixed(0)} %`, { ...texts, suspects }, poisoned, added);
    }
  }
}
if (set === 'held-out' && (values.data ?? [PUBLISHED]).includes(PUBLISHED) && values.trigger === undefined) {
  const texts = open('sst2');
  const original = new Set(rowsOf('sst2/train-sentences.tsv').map(({ text, label }) => `${label} ${text}`));
  const rows = rowsOf('backdoor-sst2/badnets-train.tsv');
  const suspects = rows.map(({ text, label }, at) => ({ id: `s${at}`, text, label: texts.labels.indexOf(label) }));
  await report(
    'words',
    PUBLISHED,
    '1 %',
    { ...texts, suspects },
    rows.map(({ text, label }) => !original.has(`${label} ${text}`)),
  );
}
console.log('\n| trigger | mean recall | worst |\n|---|---:|---:|');
for (const [kind, of] of recalls) {
  console.log(
    `| ${kind} | ${percent(of.reduce((sum, each) => sum + each, 0) / of.length)} | ${percent(Math.min(...of))} |`,
  );
}
