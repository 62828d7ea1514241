/** @file A classifier behind an address as a model: how its scores are read, what it is called, and what of its answers is kept. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { closingOnError } from '../../core/closing-stack.js';
import { defined } from '../../core/defined.js';
import { CONFIRMING_ANSWERS, type EndpointCounts, FURTHER_ANSWERS } from '../../core/endpoint.js';
import { ModelError, ModelGone, must, RobustError } from '../../core/errors.js';
import type { TagReading } from '../../core/output-reading.js';
import { besideText, queryText } from '../../core/pair.js';
import { isRefusal, refusal } from '../../core/refusal.js';
import type { TagObserver } from '../../core/tags/evidence.js';
import { readFileSync } from '../../files/read.js';
import {
  type AnswerSource,
  AnswerStore,
  gridOf,
  largestDifference,
  type OpenEndpoint,
  openEndpoint as open,
  PROBE_QUERIES,
  probe,
  type RemoteSettings,
} from '../../remote/index.js';
import { type LoadedModel, type LoadOptions, loadedModel } from '../loaded-model.js';
import type { Description } from '../opening/describe.js';
import { type Manifest, parseAnnouncement } from '../opening/manifest.js';
import { activate, type OutputRule } from '../output/activation.js';
import { labelNames, type ResolvedOutput, readOutput } from '../output/output-rule.js';
import { programInside } from './program-inside.js';

/** Description of a model that is queried over the network, or as a program. */
export interface EndpointDescription {
  readonly kind: 'endpoint';
  readonly name: string;
  /** Source of the description, for messages: the words after --model, or a file. */
  readonly where: string;
  readonly settings: RemoteSettings;
  readonly manifest: Pick<Manifest, 'labels' | 'output' | 'decision' | 'columns'> & {
    readonly input?: { readonly name?: string | undefined } | undefined;
  };
}

const USUAL_READING: TagReading = { aggregation: 'simple', match: 'whole', least: 0 };

/** Answers that are remembered for a file that is named later. */
const MOST_EARLY_ANSWERS = 16_384;

/** Throws ModelError, RobustError. */
export async function openRemote(source: EndpointDescription, options: LoadOptions): Promise<LoadedModel> {
  const { manifest } = source;
  const settings = withChoices(source.settings, options.remote);
  source = { ...source, settings };
  const { onWarning = () => {}, onNote = () => {} } = options;
  const wanted = options.labels ?? manifest.labels;
  const opened = await open(
    settings,
    { labels: wanted, input: manifest.input?.name, output: manifest.output?.name, tags: tagReading(options) },
    { ...(options.patience && { timeout: options.patience.seconds }), ...options.remote },
    { warn: onWarning, detail: (line) => options.remote?.onDetail?.(line) },
  );
  const { endpoint, adapter, address, hello } = opened;
  return closingOnError(endpoint, async () => {
    if (options.decision === 'tags' && adapter.tags === undefined) throw notATagger(source.name, settings);
    const announced = parseAnnouncement(adapter.announced);
    const decision = manifest.decision ?? announced.decision;
    const columns = manifest.columns ?? announced.columns;
    const facts = { protocol: settings.protocol, address, ...adapter.facts };
    const kept = options.remote?.answers === undefined ? undefined : AnswerStore.source(options.remote.answers);
    const read = (kept as KnownSource | undefined) ?? (await probed(source, opened, facts, options));
    const { rule } = read.reading;
    const remarks = remarksOf(read, source.name);
    for (const remark of remarks) onWarning(remark);
    onNote(`${source.name}: ${settings.protocol}, ${PROBE_QUERIES} queries to find out how it answers`);
    const answers = answersOf({ ...read, facts }, rule, opened);
    if (options.remote?.answers !== undefined) answers.keep(options.remote.answers);
    return loadedModel(
      {
        name: source.name,
        sha256: createHash('sha256')
          .update(JSON.stringify([facts, read.labels, read.reading.rule]))
          .digest('hex'),
        paths: [],
        labels: read.labels,
        output: { ...read.reading.output, remarks, ...defined({ tags: adapter.tags && tagReading(options) }) },
        tags: adapter.tags && observer(adapter.tags, (text) => endpoint.once([text])),
        decision,
        columns,
        pairs: columns?.texts || adapter.pairs === 'only' ? true : undefined,
        ...(hello?.gradients && {
          inside: programInside(
            source.name,
            (question, texts) => endpoint.request(JSON.stringify(question), texts),
            hello.offsets === 'code points',
          ),
        }),
        maximumTokens: adapter.maximumTokens ?? Number.POSITIVE_INFINITY,
        remote: {
          protocol: settings.protocol,
          address,
          facts: adapter.facts,
          probe: read.probe,
          usage: answers.usage,
          keepAnswers: answers.keep,
          again: answers.again,
          remembered: answers.remembered,
        },
        figures: () => endpoint.figures,
        close: async () => {
          await endpoint.close();
          answers.close();
        },
      },
      answers.ask,
      options,
    );
  });
}

const tagReading = ({ decision, tags }: LoadOptions): TagReading | undefined =>
  decision === 'tags' ? { ...USUAL_READING, ...tags } : undefined;

const notATagger = (name: string, { protocol }: RemoteSettings): ModelError =>
  new ModelError(`${name}: expected a service that answers spans, got the protocol ${protocol}`, {
    code: 'TASK_MISMATCH',
    hint: 'With --task tags an endpoint is presidio+http://HOST, spacy+http://HOST or hf-inference; else leave --task tags out.',
  });

/** All spans of a text; asks for them where they are not remembered. */
const observer = (
  answers: NonNullable<OpenEndpoint['adapter']['tags']>,
  ask: (text: string) => Promise<unknown>,
): TagObserver => ({
  types: answers.types,
  async tags(text) {
    if (answers.tags(text) === undefined) await ask(text);
    return must(answers.tags(text));
  },
});

/** Additional content of a file of answers: how raw scores are read. */
interface KnownSource extends AnswerSource {
  readonly reading: ResolvedOutput;
}

const remarksOf = ({ reading, probe: { repeated, company, grid } }: KnownSource, name: string): string[] => [
  ...reading.output.remarks,
  ...(repeated > 0
    ? [
        `${name}: the same text sent twice got scores that differ by ${repeated.toPrecision(2)}: answers vary, results are not reproducible to the byte, and a success counts where ${CONFIRMING_ANSWERS} of ${FURTHER_ANSWERS} further answers confirm it`,
      ]
    : company > 0
      ? [
          `${name}: scores depend on the other texts of a request, by ${company.toPrecision(2)}: results are not reproducible to the byte`,
        ]
      : []),
  ...(grid !== null && grid < 1
    ? [`${name}: scores are rounded to ${grid}: searches see ties, which the order of the texts breaks`]
    : []),
];

type Rows = Awaited<ReturnType<OpenEndpoint['endpoint']['once']>>;

/** Single precision, as every model answers. */
const rawOf = (row: Rows[number], width = 2): Float32Array =>
  row === 'refused' ? refusal(width) : Float32Array.from(row);

const activated = (row: Float32Array, rule: OutputRule): Float32Array => (isRefusal(row) ? row : activate(row, rule));

const pieces = (texts: readonly string[], most: number): readonly string[][] =>
  Array.from({ length: Math.ceil(texts.length / most) }, (_, at) => texts.slice(at * most, (at + 1) * most));

const allRefused = (where: string): ModelError =>
  new ModelError(`${where}: expected labels, got refusals to all ${PROBE_QUERIES} texts it was tried on`, {
    code: 'ENDPOINT_MISMATCH',
    hint: 'Check the prompt (--prompt FILE) and the labels (--labels): the answer must be one letter.',
  });

/** Applies flags, which take precedence over the description. Throws RobustError. */
export function withChoices(settings: RemoteSettings, chosen: LoadOptions['remote'] = {}): RemoteSettings {
  const { headers = [], rate, prompt } = chosen;
  const named = headers.map((written) => {
    const [, name, value] = /^([\w!#$%&'*+.^`|~-]+)\s*:\s*(.+)$/.exec(written) ?? [];
    if (name !== undefined && value !== undefined) return [name, value] as const;
    // It may contain a secret, so the message omits it.
    throw new RobustError('--header: expected "name: value", got something else', {
      code: 'FLAG_INVALID',
      hint: `For example: --header 'authorization: Bearer \${TOKEN}'`,
    });
  });
  return {
    ...settings,
    ...(named.length > 0 && { headers: { ...settings.headers, ...Object.fromEntries(named) } }),
    ...defined({ rate }),
    ...(prompt !== undefined && { prompt: existsSync(prompt) ? readFileSync(prompt, 'utf8').trim() : prompt }),
  };
}

/** Asks a few texts and concludes how the scores are to be read. Throws ModelError. */
async function probed(
  { name, where, manifest, settings }: EndpointDescription,
  { endpoint, adapter }: OpenEndpoint,
  facts: Readonly<Record<string, string>>,
  options: LoadOptions,
): Promise<KnownSource> {
  const announced = parseAnnouncement(adapter.announced);
  const { alone, again, together } = await probe(async (given) => {
    const texts = adapter.pairs === 'only' ? given.map((text) => queryText(text, besideText(text))) : given;
    return (await Promise.all(pieces(texts, adapter.batch).map((piece) => endpoint.once(piece))))
      .flat()
      .map((row) => rawOf(row));
  });
  const rows = [alone, ...together].filter((row) => !isRefusal(row));
  if (rows.length === 0) throw allRefused(where);
  const scores = settings.scores ?? announced.scores ?? adapter.scores();
  const decision = manifest.decision ?? announced.decision;
  const kind = options.decision ?? decision?.kind;
  const description: Description = {
    name,
    folder: '',
    model: where,
    companions: [],
    labels: adapter.labels(),
    input: { kind: 'string' },
    maximum: undefined,
    padId: 0,
    output: {
      ...manifest.output,
      ...((scores === 'probabilities' || scores === 'labels') &&
        manifest.output?.activation === undefined && { activation: 'none' as const }),
    },
    decision,
    problem: undefined,
    architecture: undefined,
  };
  const width = must(rows[0]).length;
  const head = scores === 'logits' ? ({ scores: 'logits', by: settings.protocol } as const) : undefined;
  const reading = readOutput(description, { width, rows, shapes: [[width]], steadyFrom: 1, alike: false }, head, kind);
  // The labels of a victim that tags are the types of its spans, then one for no entity.
  const given = adapter.tags ? undefined : (options.labels ?? manifest.labels ?? announced.labels);
  const labels = labelNames(description, reading, given);
  const read = (row: Float32Array): Float32Array => activated(row, reading.rule);
  return {
    facts,
    labels,
    reading,
    probe: {
      queries: PROBE_QUERIES,
      repeated: largestDifference(read(alone), read(again)),
      company: largestDifference(read(alone), read(must(together[0]))),
      grid: gridOf(rows.map(read)),
    },
  };
}

/** Answers from a file, from this session, or from the endpoint; raw scores are what is kept. */
function answersOf(source: KnownSource, rule: OutputRule, { endpoint, adapter: { batch: most, tags } }: OpenEndpoint) {
  let store: AnswerStore | undefined;
  let early: (readonly [string, Float32Array])[] = [];
  const width = rule.width;
  let kept: string | undefined;
  let before: EndpointCounts = { requests: 0, repeated: 0, texts: 0 };
  const usage = (): EndpointCounts => {
    const { requests, repeated, texts } = endpoint.usage;
    return { requests: requests + before.requests, repeated: repeated + before.repeated, texts: texts + before.texts };
  };
  const ofWidth = (answer: Rows[number]): Float32Array => {
    const row = rawOf(answer, width);
    if (row.length === width) return row;
    throw new ModelGone(`${source.facts.address}: expected ${width} scores of a text, got ${row.length}`, {
      code: 'ENDPOINT_MISMATCH',
      hint: 'The endpoint no longer gives its first answers: it may serve another model now.',
    });
  };
  /** The file held answers of an earlier session. */
  let resumed = false;
  const known = (text: string): Float32Array | undefined => {
    const row = store?.get(text);
    return row && activated(row, rule);
  };
  return {
    remembered: (text: string) => (resumed ? known(text) : undefined),
    async again(texts: readonly string[]): Promise<Float32Array[]> {
      const rows: Rows = [];
      for (const piece of pieces(texts, most)) rows.push(...(await endpoint.once(piece)));
      return rows.map((row) => activated(ofWidth(row), rule));
    },
    async ask(text: string): Promise<Float32Array> {
      const answer = known(text);
      if (answer !== undefined) return answer;
      const row = ofWidth(tags?.row(text) ?? (await endpoint.ask(text)));
      if (store !== undefined) await store.add(text, row);
      else if (early.length < MOST_EARLY_ANSWERS) early.push([text, row]);
      return activated(row, rule);
    },
    keep(path: string): void {
      if (path === kept) return;
      store?.close();
      store = AnswerStore.open(path, source, width);
      [kept, before, resumed] = [path, store.before, store.size > 0];
      for (const [text, row] of early) store.add(text, row).catch(() => {});
      store.flush();
      early = [];
      endpoint.onRequest = () => store?.recordSent(usage());
      store.recordSent(usage());
    },
    usage,
    close(): void {
      endpoint.onRequest = undefined;
      store?.close();
      store = undefined;
    },
  };
}
