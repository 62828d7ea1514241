/** @file A program as an endpoint: what it is asked, how its answers are read, and which variables of the environment it gets. */
import { availableParallelism } from 'node:os';
import { RE2JS } from 're2js';
import { defined } from '../core/defined.js';
import { must } from '../core/errors.js';
import type { TagReading } from '../core/output-reading.js';
import { textOfQuery } from '../core/tags/tagged-query.js';
import {
  type Adapter,
  malformed,
  PassingFault,
  type Question,
  type RawRow,
  UnusableScores,
  unsuitable,
} from '../protocols/client.js';
import { excerpt, type JsonObject, parseAnswer } from '../protocols/json.js';
import { LabelNames } from '../protocols/labelled.js';
import { spanEndpoint } from '../protocols/spans.js';
import type { ProgramSettings } from './command.js';
import { RefusedBatch } from './faults.js';

import { type Hello, type Output, Programs, type ProgramsOptions, wrongAnswer } from './programs.js';
import type { Secrets, Variables } from './secrets.js';
import { milliseconds } from './units.js';

const BATCH = 32;
/** Rounding of a softmax, or of decimals. */
const ROUNDING = 1e-3;

/** Processes at once. */
export const replicasOf = ({ replicas, each }: ProgramSettings): number =>
  replicas ?? (each ? availableParallelism() : 1);

/** Starts a program and reads its first line. Throws RobustError SECRET_INVALID, ModelError, ModelGone. */
export async function openProgram(
  settings: ProgramSettings,
  tags: TagReading | undefined,
  options: Omit<ProgramsOptions, 'settings' | 'env' | 'start' | 'replicas' | 'redact'>,
  variables: Variables | undefined,
  secrets: Secrets,
): Promise<{ programs: Programs; hello: Hello; adapter: Adapter }> {
  const { address } = options;
  const programs = new Programs({
    ...options,
    settings,
    env: environmentOf(settings.env, variables, secrets),
    start: timeOf(settings.start),
    replicas: replicasOf(settings),
    redact: (said) => secrets.redact(said),
  });
  try {
    const hello = (await programs.open()) ?? describedHello(settings);
    const adapter =
      settings.each || settings.lines
        ? plainAdapter(settings, hello, address)
        : jsonAdapter(settings, hello, tags, address);
    return { programs, hello, adapter };
  } catch (error) {
    await programs.close();
    throw error;
  }
}

const timeOf = (written: string | number): number =>
  typeof written === 'number' ? written * 1000 : (milliseconds(written) ?? 0);

/** What programs and their interpreters need to be found and to speak; no other variable, as it might hold a secret. */
const INHERITED = [
  ...'PATH HOME USER LOGNAME SHELL TERM TZ TMPDIR TMP TEMP LANG LANGUAGE LC_ALL LC_CTYPE'.split(' '),
  ...'PYTHONPATH PYTHONHOME VIRTUAL_ENV CONDA_PREFIX LD_LIBRARY_PATH DYLD_LIBRARY_PATH JAVA_HOME'.split(' '),
  ...'CUDA_VISIBLE_DEVICES OMP_NUM_THREADS HF_HOME HF_HUB_CACHE HF_HUB_OFFLINE'.split(' '),
  ...'XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME SYSTEMROOT COMSPEC PATHEXT USERPROFILE APPDATA LOCALAPPDATA'.split(
    ' ',
  ),
];

/** Python writes UTF-8, and each line at once; python/robust_text.py keeps what is printed from the answers. */
const PYTHON = { PYTHONUNBUFFERED: '1', PYTHONUTF8: '1', ROBUST_PROTOCOL: '1' };

/** Throws RobustError SECRET_INVALID for a variable that is named and not set. */
function environmentOf(
  named: readonly string[],
  variables: Variables = () => undefined,
  secrets: Secrets,
): Record<string, string> {
  const inherited = INHERITED.map((name) => [name, variables(name)] as const);
  const given = named.map((name) => [name, secrets.fillIn(`\${${name}}`, 'env')] as const);
  const all = [...inherited, ...given].filter((each): each is [string, string] => each[1] !== undefined);
  return { ...PYTHON, ...Object.fromEntries(all) };
}

/** The first line of a program that writes none. */
const describedHello = ({ labels, exit, scores, task, positive, threshold }: ProgramSettings): Hello => ({
  robust: 1,
  labels: labels ?? [...new Set(Object.values(exit ?? {}))],
  ...defined({ scores, task, positive, threshold }),
});

/** As a server of robust announces what its scores mean. */
function decisionOf({ task, positive, threshold }: Hello): object | undefined {
  const at = defined({ at: threshold });
  if (positive !== undefined) return { kind: 'threshold', positive, ...at };
  if (task === 'multi-label' || task === 'multilabel') return { kind: 'multi-label', ...at };
  if (task === 'regression' || task === 'tags') return { kind: task };
  return task === 'redact' ? { kind: 'tags' } : undefined;
}

/** What both kinds of programs have. */
const common = ({ files }: ProgramSettings, hello: Hello) => ({
  labels: () => hello.labels,
  announced: defined({ labels: hello.labels, decision: decisionOf(hello) }),
  facts: { ...files, ...defined({ name: hello.name, version: hello.version }) },
});

/** A program that speaks JSON lines. */
function jsonAdapter(settings: ProgramSettings, hello: Hello, tags: TagReading | undefined, address: string): Adapter {
  const own = common(settings, hello);
  const labels = new LabelNames(hello.labels);
  const tagging =
    hello.task === 'tags' || hello.task === 'redact'
      ? spanEndpoint({ tags, redact: (url) => url, url: address }, hello.labels, own.facts, hello.task === 'redact')
      : undefined;
  const unit = hello.offsets === 'code points' ? hello.offsets : 'UTF-16 code units';
  /** Key of an answer -> how one text's part of it is read. */
  const readers: Readonly<Record<string, (part: unknown, question: Question) => RawRow>> = tagging
    ? {
        spans(part, [query]) {
          const text = textOfQuery(query);
          tagging.answers.read(text, part, SPAN_KEYS, unit);
          return must(tagging.answers.row(query));
        },
        redacted(part, [query]) {
          tagging.answers.readRedacted(textOfQuery(query), part);
          return must(tagging.answers.row(query));
        },
      }
    : {
        scores: (part, question) => checkedScores(part, hello, question),
        labels: (part) => labels.ofLabel(part),
      };
  return {
    ...own,
    scores: () => hello.scores,
    batch: settings.batch ?? BATCH,
    ...(hello.pairs && { pairs: 'only' }),
    ...tagging,
    request(questions) {
      if (hello.pairs && questions.some(({ length }) => length === 1)) throw pairsNeeded(address);
      const texts = questions.map((each) => (each.length === 2 ? each : textOfQuery(each[0])));
      return { body: JSON.stringify({ texts }) };
    },
    rows: ({ read }, questions) => {
      const said = read as JsonObject;
      if ('error' in said) throw answeredError(said, address);
      return asked(address, () => {
        const key = Object.keys(readers).find((each) => each in said);
        const parts = said[key ?? ''];
        if (key === undefined || !Array.isArray(parts) || parts.length !== questions.length)
          throw malformed(`${questions.length} ${Object.keys(readers).join(' or ')} for as many texts`, said);
        return questions.map((question, at) => must(readers[key])(parts[at], question));
      });
    },
  };
}

const SPAN_KEYS = { type: 'type', score: 'score' };

/** A program that knows nothing of robust: a text a line, or a process a text. */
function plainAdapter(settings: ProgramSettings, hello: Hello, address: string): Adapter {
  const { lines, exit, stdout } = settings;
  const names = new LabelNames(hello.labels);
  const pattern = stdout === undefined ? undefined : RE2JS.compile(stdout, RE2JS.MULTILINE);
  const alone = exit !== undefined || (pattern !== undefined && pattern.namedGroups().score === undefined);
  const printed = (text: string, question: Question): RawRow => {
    const row = pattern === undefined ? names.row(valueIn(text)) : matched(pattern, text, names, hello);
    return checkedScores([...row], hello, question);
  };
  const ofExit = ({ ending, stdout, lastWords }: Output, question: Question): RawRow => {
    if (exit === undefined) return printed(stdout, question);
    const label = exit[String(ending.code)];
    if (label !== undefined) return names.ofLabel(label);
    throw malformed(`an exit code of ${Object.keys(exit).join(', ')}`, `${ending.code}${lastWords}`);
  };
  return {
    ...common(settings, hello),
    facts: { ...settings.files, read: JSON.stringify(defined({ lines, exit, stdout })) },
    scores: () => hello.scores ?? (alone ? 'labels' : pattern === undefined ? undefined : 'probabilities'),
    batch: lines ? (settings.batch ?? BATCH) : 1,
    request: (questions) => ({
      body: lines
        ? questions.map(([text]) => `${text.replace(/\r\n|[\r\n]/g, ' ')}\n`).join('')
        : (questions[0]?.[0] ?? ''),
    }),
    rows: ({ read }, questions) =>
      questions.map((question, at) =>
        asked(
          address,
          () => (lines ? printed(must((read as readonly string[])[at]), question) : ofExit(read as Output, question)),
          true,
        ),
      ),
  };
}

function valueIn(text: string): unknown {
  const plain = text.trim();
  if (!/^[[{"]/.test(plain)) return plain;
  try {
    return parseAnswer(plain);
  } catch {
    return plain;
  }
}

/**
 * The row of what a pattern finds: the label alone; the scores of all labels, by name or in their order; of one label, where the other labels
 * share what is left; or a score alone, which is that of the positive label of two.
 */
function matched(pattern: RE2JS, text: string, names: LabelNames, { labels, positive }: Hello): RawRow {
  const matcher = pattern.matcher(text);
  const { label: hasLabel, score: hasScore } = pattern.namedGroups();
  const found: (readonly [label: string | undefined, score: number])[] = [];
  while (matcher.find())
    found.push([
      hasLabel === undefined ? undefined : (matcher.group('label') ?? undefined),
      hasScore === undefined ? Number.NaN : Number(matcher.group('score')),
    ]);
  const [first] = found;
  if (first === undefined) throw malformed(`output that matches ${pattern.pattern()}`, text);
  if (hasScore === undefined) return names.ofLabel(first[0]);
  const scores = found.map(([, score]) => (score > 1 && score < 1 + ROUNDING ? 1 : score));
  if (hasLabel === undefined && found.length === labels.length) return scores;
  const named = new Map(found.map(([label], at) => [label ?? positive?.[0] ?? labels.at(-1), scores[at] as number]));
  const unknown = [...named.keys()].find((label) => !labels.includes(label as string));
  if (unknown !== undefined) throw malformed(`one of the labels ${labels.join(', ')}`, unknown);
  const rest = 1 - scores.reduce((sum, score) => sum + score, 0);
  return labels.map((label) => named.get(label) ?? Math.max(0, rest / (labels.length - named.size)));
}

/** A row of one finite score for each label. Throws PassingFault, UnusableScores. */
function checkedScores(row: unknown, { labels, scores }: Hello, [text]: Question): Float32Array {
  if (!Array.isArray(row) || row.length !== labels.length)
    throw malformed(`${labels.length} scores, of ${labels.join(', ')}, for ${excerpt(text)}`, row);
  if (!row.every(Number.isFinite))
    throw new UnusableScores(`expected finite numbers as scores for ${excerpt(text)}, got ${excerpt(row)}`, {
      wait: 0,
    });
  if (scores === 'probabilities' && !row.every((score) => score >= -ROUNDING && score <= 1 + ROUNDING))
    throw new UnusableScores(`expected probabilities from 0 to 1 for ${excerpt(text)}, got ${excerpt(row)}`, {
      wait: 0,
      lasting: {
        code: 'TEXT_UNSUPPORTED',
        hint: 'Are they percent? Divide them by 100. Are they logits? Say "scores": "logits" in the first line.',
      },
    });
  return Float32Array.from(row as number[]);
}

/** Faults of an answer as those of this program; `alone`: what cannot be read is the answer to one text. */
function asked<T>(address: string, read: () => T, alone = false): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof PassingFault)) throw error;
    if (!alone && !(error instanceof UnusableScores)) throw wrongAnswer(address, error);
    throw new UnusableScores(`${address}: ${error.message}`, { wait: 0, ...defined({ lasting: error.lasting }) });
  }
}

/** What a program says it cannot answer: together, or for now. */
function answeredError({ error, retry, where }: JsonObject, address: string): Error {
  const place = typeof where === 'string' ? ` (${where})` : '';
  const message = `${address}: ${typeof error === 'string' ? error : excerpt(error)}${place}`;
  if (retry !== true) return new RefusedBatch(message);
  return new PassingFault(message, {
    lasting: { code: 'MODEL_UNREACHABLE', hint: 'The program says that it may answer later.' },
  });
}

const pairsNeeded = (address: string): Error =>
  unsuitable(
    `${address}: expected pairs of texts, got lone texts`,
    'Name both columns, in the order in which the program reads them: --columns pair=premise,hypothesis.',
    'PAIRS_MISMATCH',
  );
