/** @file The processes of one command: each is asked one thing at a time, ended with all that it started, and started again where it ends by itself. */
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { type ErrorCode, ModelGone, must } from '../core/errors.js';
import { quantity } from '../core/figure-text.js';
import { faultTexts, readBy } from '../core/read-by.js';
import { type TemporaryFolder, temporaryFolder } from '../files/temporary-folder.js';
import { PRIVATE, writeWhole } from '../files/write.js';
import { jsonIn, malformed, PassingFault, type WireAnswer } from '../protocols/client.js';
import { excerpt, isObject, type JsonObject } from '../protocols/json.js';
import { Child, type Ending, Guard } from './child.js';
import { ANSWERED, type ProgramSettings } from './command.js';
import type { Exchange, WireRequest } from './transport.js';

const hello = z.object({
  robust: z.literal(1),
  ...ANSWERED,
  labels: ANSWERED.labels.unwrap(),
  name: z.string().optional(),
  version: z.string().optional(),
  /** It answers gradients and its embedding table. */
  gradients: z.boolean().optional(),
  /** What offsets in its answers count. @default UTF-16 code units */
  offsets: z.enum(['code points', 'utf-16']).optional(),
});

/** The first line of a program, or what a description says in its place. */
export type Hello = z.infer<typeof hello>;

/** What a process of one text left. */
export interface Output {
  readonly ending: Ending;
  readonly stdout: string;
  readonly lastWords: string;
}

export interface ProgramsOptions {
  readonly settings: ProgramSettings;
  /** How messages call it. */
  readonly address: string;
  readonly env: Readonly<Record<string, string>>;
  readonly replicas: number;
  /** Milliseconds. */
  readonly start: number;
  readonly timeout: number;
  redact(said: string): string;
  detail(line: string): void;
}

/** Keys of what answers a request. */
const ANSWERS = ['scores', 'labels', 'spans', 'redacted', 'gradients', 'table', 'error'];

const DOCS = 'docs/reference/process.md shows what it writes.';
const NO_BYTES = new Uint8Array();

export class Programs implements Exchange {
  readonly #options: ProgramsOptions;
  readonly #guard = new Guard();
  readonly #idle: Replica[];
  readonly #all: readonly Replica[];
  readonly #waiting: ((replica: Replica) => void)[] = [];

  constructor(options: ProgramsOptions) {
    this.#options = options;
    this.#all = Array.from({ length: options.replicas }, () => new Replica(options, this.#guard));
    this.#idle = [...this.#all];
  }

  /** Starts one, and returns its first line; undefined for programs that write none. Throws ModelGone. */
  async open(): Promise<Hello | undefined> {
    const { each, lines } = this.#options.settings;
    if (each || lines) return undefined;
    try {
      return await this.#with((replica) => replica.start());
    } catch (error) {
      if (!(error instanceof PassingFault) || error.lasting === undefined) throw error;
      throw new ModelGone(error.message, { ...error.lasting, cause: error });
    }
  }

  async exchange({ body = '' }: WireRequest, signal: AbortSignal): Promise<WireAnswer> {
    try {
      const read = await this.#with((replica) => replica.ask(String(body)));
      return { headers: {}, bytes: NO_BYTES, read };
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
  }

  shownUrl = (url: string): string => this.#options.redact(url);

  async close(): Promise<void> {
    await Promise.all(this.#all.map((replica) => replica.close()));
    this.#guard.close();
    const others = this.#all.reduce((sum, { others }) => sum + others, 0);
    if (others > 0)
      this.#options.detail(`${this.#options.address}: ${quantity(others, 'line')} on stdout that answered nothing`);
  }

  async #with<T>(work: (replica: Replica) => Promise<T>): Promise<T> {
    const replica = this.#idle.pop() ?? (await new Promise<Replica>((resolve) => this.#waiting.push(resolve)));
    try {
      return await work(replica);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#idle.push(replica);
      else next(replica);
    }
  }
}

/** A place for one process. */
class Replica {
  readonly #options: ProgramsOptions;
  readonly #guard: Guard;
  #child: Child | undefined;
  #hello: Hello | undefined;
  #id = 0;
  #folder: TemporaryFolder | undefined;
  /** What takes the next lines, and the end. */
  #receiver: { line(line: string): void; ended(ending: Ending): void } | undefined;
  /** Lines on stdout that answered nothing. */
  others = 0;
  /** A line was one too many, so that nobody knows which text the next ones answer. */
  #spoiled: string | undefined;
  #firstOther = '';

  constructor(options: ProgramsOptions, guard: Guard) {
    this.#options = options;
    this.#guard = guard;
  }

  /** Its first line, once it runs. Throws PassingFault, ModelGone. */
  async start(): Promise<Hello> {
    const { start } = this.#options;
    const late = (): ModelGone =>
      this.#gone(
        `expected its first line within ${start / 1000} s, got ${this.others === 0 ? 'none' : excerpt(this.#firstOther)}`,
        'PLUGIN_DAMAGED',
        `It begins with {"robust":1,"labels":[...],"scores":"probabilities"} and flushes that line; a model that loads for longer: start: 300s. ${DOCS}`,
      );
    const said = await this.#receive(this.#spawn(), (line) => this.#helloIn(line), undefined, start, late);
    if (this.#hello !== undefined && !isDeepStrictEqual(this.#hello, said))
      throw this.#gone(
        `started again, expected the first line that it wrote before, got ${excerpt(said)}`,
        'ENDPOINT_MISMATCH',
        'It is another program now: start a new run.',
      );
    this.#hello = said;
    return said;
  }

  /** What it answers. Throws PassingFault, ModelGone. */
  async ask(body: string): Promise<unknown> {
    const { settings } = this.#options;
    if (settings.each) return this.#alone(body);
    if (this.#spoiled !== undefined)
      throw this.#gone(
        `expected one line for each text, got ${excerpt(this.#spoiled)} beside them`,
        'PLUGIN_DAMAGED',
        'It is to print nothing else, on standard error if at all.',
      );
    const running = this.#child !== undefined && !this.#child.over;
    if (!running && settings.lines) this.#spawn();
    else if (!running) await this.start();
    const child = must(this.#child);
    const [lines, id]: [string[], number] = [[], ++this.#id];
    const wanted = body.split('\n').length - 1;
    const answer = this.#receive<unknown>(child, (line) =>
      settings.lines ? (lines.push(line) === wanted ? lines : undefined) : this.#answerIn(line, id),
    );
    child.write(settings.lines ? body : `{"id":${id},${body.slice(1)}\n`);
    return answer;
  }

  async close(): Promise<void> {
    await this.#child?.close();
    await this.#folder?.remove();
  }

  #spawn(words: readonly string[] = this.#options.settings.command): Child {
    const { settings, env, address, redact, detail } = this.#options;
    const child = new Child({
      ...{ words, env, folder: settings.folder, guard: this.#guard },
      onLine: (line) => {
        // What one says that was given up answers nothing.
        if (child !== this.#child) return;
        if (this.#receiver === undefined) this.#unasked(line);
        else this.#receiver.line(line);
      },
      onLog: (line) => detail(`${address}: ${redact(line)}`),
    });
    this.#child = child;
    void child.ended.then((ending) => child === this.#child && this.#receiver?.ended(ending));
    return child;
  }

  /** The first thing that `accept` makes of its lines, or `output` of its end. A process that is late, or whose line it throws at, is ended. */
  #receive<T>(
    child: Child,
    accept: (line: string) => T | undefined,
    output?: (ending: Ending) => T,
    ms = this.#options.timeout,
    late = () => this.#late(),
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const settle = (done: () => void): void => {
        clearTimeout(timer);
        this.#receiver = undefined;
        done();
      };
      const fail = (error: unknown): void => {
        settle(() => reject(error));
        // The next question is for another one.
        this.#child = undefined;
        child.kill();
      };
      const timer = setTimeout(() => fail(late()), ms);
      this.#receiver = {
        line: (line) => {
          try {
            const accepted = accept(line);
            if (accepted !== undefined) settle(() => resolve(accepted));
          } catch (error) {
            fail(error);
          }
        },
        ended: (ending) =>
          settle(() => (output && ending.code !== null ? resolve(output(ending)) : reject(this.#crash(ending, child)))),
      };
    });
  }

  #late(): ModelGone {
    const { timeout } = this.#options;
    const got = this.others === 0 ? 'none' : `other lines, the first ${excerpt(this.#firstOther)}`;
    return this.#gone(
      `expected an answer within ${timeout / 1000} s, got ${got}`,
      'MODEL_UNREACHABLE',
      'Does it flush each line, and answer every request? If it only takes long: timeout: 300s in a YAML file, or --runtime timeout=300.',
    );
  }

  /** A process for one text, on standard input or in a file. */
  async #alone(text: string): Promise<Output> {
    const { command } = this.#options.settings;
    const named = command.some((word) => word.includes('{file}'));
    if (named) this.#folder ??= temporaryFolder('text');
    const file = join(this.#folder?.path ?? '', 'text.txt');
    if (named) writeWhole(file, text, 'a text for a program', PRIVATE);
    const child = this.#spawn(command.map((word) => word.replaceAll('{file}', () => file)));
    const lines: string[] = [];
    const output = (ending: Ending): Output => ({
      ending,
      stdout: lines.join('\n'),
      lastWords: this.#lastWords(child),
    });
    const answer = this.#receive(child, (line): undefined => void lines.push(line), output);
    if (!named) child.write(text);
    child.finish();
    return answer;
  }

  /** A line while nothing was asked. */
  #unasked(line: string): void {
    this.#other(line);
    if (this.#options.settings.lines) this.#spoiled ??= line;
  }

  #other(line: string): undefined {
    if (this.others++ === 0) this.#firstOther = line;
    this.#options.detail(`${this.#options.address}: stdout: ${this.#options.redact(line)}`);
  }

  /** Undefined for a line of its log. Throws ModelGone for a first line that says something else. */
  #helloIn(line: string): Hello | undefined {
    const said = objectIn(line);
    if (said === undefined || !('robust' in said)) return this.#other(line);
    if (typeof said.error === 'string')
      throw this.#gone(
        `it cannot start: ${said.error}${typeof said.where === 'string' ? ` (${said.where})` : ''}`,
        'PLUGIN_DAMAGED',
        DOCS,
      );
    const read = readBy(hello, said);
    const fault = read.success ? labelFault(read.data) : faultTexts(read.faults);
    if (read.success && fault === undefined) return read.data;
    throw this.#gone(`its first line: ${fault}; got ${excerpt(said)}`, 'PLUGIN_DAMAGED', DOCS);
  }

  /** Undefined for a line of its log. Throws PassingFault for the answer to another request. */
  #answerIn(line: string, id: number): JsonObject | undefined {
    const said = objectIn(line);
    if (said === undefined || !('id' in said) || !ANSWERS.some((key) => key in said)) return this.#other(line);
    if (said.id === id) return said;
    throw wrongAnswer(this.#options.address, malformed(`an answer to request ${id}`, said));
  }

  #crash({ by, failed }: Ending, child: Child): Error {
    const { address, settings, env } = this.#options;
    if (failed !== undefined)
      return this.#gone(
        `expected a program "${settings.command[0]}", ${failed === 'ENOENT' ? 'found none' : `got ${failed}`}`,
        'MODEL_NOT_FOUND',
        env.PATH === undefined
          ? 'It was looked for without a PATH: give the environment by the option remote: { variables }.'
          : `Check its name and its rights. It runs without a shell, in ${settings.folder}.`,
      );
    return new PassingFault(`${address}: the program ended by ${by}${this.#lastWords(child)}`, {
      wait: 0,
      lasting: {
        code: 'MODEL_CRASHED',
        hint:
          child.lastWords.length > 0
            ? 'What it wrote says why; --verbose shows all of it.'
            : 'It wrote nothing on standard error. Run it by itself.',
      },
    });
  }

  #lastWords({ lastWords }: Child): string {
    return lastWords.length === 0 ? '' : `; its last words: ${this.#options.redact(lastWords.join('\n'))}`;
  }

  #gone(what: string, code: ErrorCode, hint: string): ModelGone {
    const words = this.#child === undefined ? '' : this.#lastWords(this.#child);
    return new ModelGone(`${this.#options.address}: ${what}${words}`, { code, hint });
  }
}

/** An answer that is none: it is asked for again, and counts against the program once it stays so. */
export const wrongAnswer = (address: string, { message }: Error): PassingFault =>
  new PassingFault(`${address}: ${message}`, { wait: 0, lasting: { code: 'PLUGIN_DAMAGED', hint: DOCS } });

const one = new Set(['regression', 'tags', 'redact']);

const labelFault = ({ labels, task = 'single' }: Hello): string | undefined =>
  new Set(labels).size !== labels.length
    ? 'labels: expected each once'
    : labels.length < 2 && !one.has(task)
      ? 'labels: expected at least two, or one with "task": "regression"'
      : undefined;

function objectIn(line: string): JsonObject | undefined {
  if (!line.trimStart().startsWith('{')) return undefined;
  try {
    const value = jsonIn(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
