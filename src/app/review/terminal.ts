/** @file A review in the terminal: one text at a time, keys for answers. */
import { on } from 'node:events';
import { emitKeypressEvents } from 'node:readline';
import { type Screen, visible } from '../../../reports/index.js';
import { wrapLines } from '../../../reports/layout.js';
import { UsageError } from '../../core/errors.js';
import {
  AGREEMENT,
  type BlindItem,
  CANNOT_TELL,
  isNumbered,
  parseAnswer,
  REVIEW_SCALES,
  type ReaderSession,
  type ReviewAnswer,
  type ReviewProgress,
  type ReviewQuestion,
  readable,
  type SideBySide,
} from '../../review/index.js';
import { type ReviewOptions, type ReviewResult, review, reviewSession } from './review.js';

/** A key as `node:readline` reports it. */
interface Key {
  /** The typed character; undefined for arrows and other keys without one. */
  readonly text: string | undefined;
  readonly name: string | undefined;
  readonly ctrl: boolean;
}

export interface ReviewTerminal {
  readonly input: NodeJS.ReadStream;
  readonly screen: Screen;
  /** Milliseconds of a clock. */
  readonly now: () => number;
  /** Writes to the screen. */
  write(text: string): void;
}

/** Clears the screen and moves the cursor to its top. */
const CLEAR = '\u001B[2J\u001B[3J\u001B[H';
const TEXT_WIDTH = 80;

/** The meaning of a key or a line; `again` shows the item once more. */
type ReaderChoice<T> = { readonly answer: T } | 'undo' | 'stop' | 'again';

/** An answer with the time that it took and the note that was written about it. */
interface Timed<T> {
  readonly answer: T;
  readonly seconds: number;
  readonly note: string | undefined;
}

/** As `review`, after a reader has read in the terminal. Throws UsageError REVIEW_TERMINAL before anything is planned. */
export async function reviewInTerminal(options: ReviewOptions, terminal: ReviewTerminal): Promise<ReviewResult> {
  checkTerminal(terminal);
  const { run, as, width, numExamples, seed, labelHelp } = options;
  await readInTerminal(await reviewSession({ run, as, width, numExamples, seed, labelHelp }), terminal);
  return review({ run });
}

/**
 * Reads until all is answered or the reader stops; every answer is on the disk before the next text is shown. `input` is a terminal. Throws what
 * `ReaderSession.answer` throws.
 */
export async function readInTerminal(session: ReaderSession, terminal: ReviewTerminal): Promise<void> {
  const { input } = terminal;
  emitKeypressEvents(input);
  input.setRawMode(true);
  const stop = new AbortController();
  try {
    await new TerminalReview(session, terminal, keysOf(input, stop.signal)).read();
  } finally {
    stop.abort();
    input.setRawMode(false);
    input.pause();
  }
}

/** Throws UsageError REVIEW_TERMINAL. */
export function checkTerminal({ input }: ReviewTerminal): void {
  if (input.isTTY) return;
  throw new UsageError('expected a terminal, got another kind of stdin', {
    code: 'REVIEW_TERMINAL',
    hint: 'Read in a terminal, in the browser (robust ui), or in a spreadsheet: robust review --export sheet.csv',
  });
}

async function* keysOf(input: NodeJS.ReadStream, signal: AbortSignal): AsyncGenerator<Key> {
  const events = on(input, 'keypress', { signal, close: ['end', 'close'] });
  for await (const [text, { name, ctrl = false }] of events as AsyncIterable<[string | undefined, Partial<Key>]>) {
    yield { text, name, ctrl };
  }
}

class TerminalReview {
  readonly #session: ReaderSession;
  readonly #terminal: ReviewTerminal;
  readonly #keys: AsyncIterator<Key>;
  #note: string | undefined;
  /** Time spent on notes, which is not reading. */
  #paused = 0;

  constructor(session: ReaderSession, terminal: ReviewTerminal, keys: AsyncIterator<Key>) {
    this.#session = session;
    this.#terminal = terminal;
    this.#keys = keys;
  }

  async read(): Promise<void> {
    const { question } = this.#session;
    for (let item = this.#session.next(); item !== undefined; item = this.#session.next()) {
      const { id, texts } = item;
      const choice = await this.#timed(() => {
        this.#show(this.#session.progress, texts);
        this.#ask(question);
        return isByKey(question) ? this.#keyFor(question) : this.#lineFor(question);
      });
      if (choice === 'stop') return;
      if (choice === 'undo') this.#session.undo();
      else this.#session.answer(id, choice.answer, choice);
    }
    await this.#compare();
  }

  /** The second part: adversarial texts next to their originals. */
  async #compare(): Promise<void> {
    if (this.#session.nextPair() === undefined) return;
    this.#clear();
    this.#line('All labels are given. You may now rate the edited texts next to their originals.');
    this.#line(this.#dim('c compare · q stop'));
    for (let key = await this.#key(); key.text !== 'c'; key = await this.#key()) if (isStop(key)) return;
    for (let pair = this.#session.nextPair(); pair !== undefined; pair = this.#session.nextPair()) {
      const { id, original, adversarial } = pair;
      const choice = await this.#timed(() => {
        this.#show(this.#session.pairProgress, original, 'First text');
        this.#texts(adversarial, 'Second text');
        return this.#ratings();
      });
      if (choice === 'stop') return;
      if (typeof choice === 'object') this.#session.rate(id, choice.answer, choice);
    }
  }

  async #ratings(): Promise<ReaderChoice<SideBySide>> {
    this.#line(AGREEMENT.map((name, at) => `${at + 1} ${name}`).join(' · '));
    const ratings = new Map<string, number>();
    for (const { name, statement } of REVIEW_SCALES) {
      this.#line(statement);
      let rating: number | undefined;
      while (rating === undefined) {
        const key = await this.#key();
        if (isStop(key)) return 'stop';
        if (key.text === 'n') return this.#takeNote();
        const number = Number(key.text);
        if (number >= 1 && number <= AGREEMENT.length) rating = number;
      }
      this.#line(`  ${rating} ${AGREEMENT[rating - 1]}`);
      ratings.set(name, rating);
    }
    return { answer: Object.fromEntries(ratings) as Record<keyof SideBySide, number> };
  }

  /** Repeats a choice until it is more than a note. */
  async #timed<T>(choose: () => Promise<ReaderChoice<T>>): Promise<Timed<T> | 'undo' | 'stop'> {
    const begin = this.#terminal.now();
    this.#paused = 0;
    this.#note = undefined;
    let choice = await choose();
    while (choice === 'again') choice = await choose();
    if (typeof choice === 'string') return choice;
    return { ...choice, seconds: Math.max(0, this.#terminal.now() - begin - this.#paused) / 1000, note: this.#note };
  }

  async #keyFor(question: ReviewQuestion): Promise<ReaderChoice<ReviewAnswer>> {
    for (;;) {
      const key = await this.#key();
      const command = isStop(key) ? 'stop' : COMMANDS.get(key.text ?? '');
      if (command === 'note') return this.#takeNote();
      if (command !== undefined) return command;
      const answer = key.text === undefined ? undefined : parseAnswer(key.text, question);
      if (answer !== undefined) return { answer };
    }
  }

  /** An answer that takes more than one key. */
  async #lineFor(question: ReviewQuestion): Promise<ReaderChoice<ReviewAnswer>> {
    for (;;) {
      const line = await this.#readLine('Answer: ');
      if (line === undefined) return 'stop';
      const answer = parseAnswer(line, question);
      if (answer !== undefined && line.trim() !== '') return { answer };
      const command = COMMANDS.get(line.trim());
      if (command === 'note') return this.#takeNote();
      if (command !== undefined) return command;
      if (line.trim() !== '') this.#line('Expected numbers or names from the list above.');
    }
  }

  async #takeNote(): Promise<'again' | 'stop'> {
    const begin = this.#terminal.now();
    const note = await this.#readLine('Note: ');
    this.#paused += this.#terminal.now() - begin;
    if (note === undefined) return 'stop';
    if (note.trim() !== '') this.#note = note.trim();
    return 'again';
  }

  /** A line that the reader types; undefined if the reader stops instead. */
  async #readLine(prompt: string): Promise<string | undefined> {
    this.#terminal.write(prompt);
    let line = '';
    for (;;) {
      const key = await this.#key();
      if (isInterrupt(key)) return undefined;
      if (key.name === 'return' || key.name === 'enter') break;
      if (key.name === 'backspace') line = [...line].slice(0, -1).join('');
      else if (!key.ctrl && key.text !== undefined && key.name !== 'escape') line += readable(key.text);
      this.#terminal.write(`\r\u001B[K${prompt}${line}`);
    }
    this.#terminal.write('\n');
    return line;
  }

  /** The end of the input is a stop. */
  async #key(): Promise<Key> {
    const { done, value } = await this.#keys.next();
    return done ? { text: undefined, name: 'c', ctrl: true } : value;
  }

  #show({ answered, total }: ReviewProgress, texts: BlindItem['texts'], head = ''): void {
    this.#clear();
    this.#line(this.#dim(`${this.#session.reader} · text ${answered + 1} of ${total}`));
    if (this.#note !== undefined) this.#line(this.#dim(`Note: ${this.#note}`));
    this.#line('');
    this.#texts(texts, head);
  }

  #texts(texts: BlindItem['texts'], head: string): void {
    for (const [at, text] of texts.entries()) {
      const title = [head, texts.length === 2 ? `Text ${at + 1}` : ''].filter((part) => part !== '').join(', ');
      if (title !== '') this.#line(this.#dim(title));
      this.#line(textLines(text, this.#width));
      this.#line('');
    }
  }

  #ask(question: ReviewQuestion): void {
    const { bold } = this.#terminal.screen.chalk;
    this.#line(bold(visible(question.prompt)));
    const keys = optionKeys(question);
    for (const [at, { name, help }] of question.options.entries()) {
      const text = `${visible(name)}${help === undefined ? '' : `  ${visible(help)}`}`;
      this.#line(wrapLines(text, this.#width, 5).replace(/^ {5}/, `  ${(keys[at] ?? '').padEnd(3)}`));
    }
    this.#line(`  ${(isNumbered(question) ? '0' : '?').padEnd(3)}${CANNOT_TELL}`);
    const many = question.kind === 'labels' ? 'numbers, such as 1,3, or none; then Enter · ' : '';
    this.#line(this.#dim(`\n${many}n note · u undo · q stop`));
  }

  get #width(): number {
    return Math.min(TEXT_WIDTH, this.#terminal.screen.width);
  }

  #dim = (text: string): string => this.#terminal.screen.chalk.dim(text);
  #line = (text: string): void => this.#terminal.write(`${text}\n`);
  #clear = (): void => this.#terminal.write(CLEAR);
}

const COMMANDS: ReadonlyMap<string, 'undo' | 'stop' | 'note'> = new Map([
  ['u', 'undo'],
  ['q', 'stop'],
  ['n', 'note'],
]);

const isInterrupt = ({ name, ctrl }: Key): boolean => ctrl && (name === 'c' || name === 'd');
const isStop = (key: Key): boolean => key.text === 'q' || isInterrupt(key);

const optionKeys = (question: ReviewQuestion): string[] =>
  question.options.map(({ name }, at) => (isNumbered(question) ? String(at + 1) : /^\d+$/.test(name) ? name : ''));

/** Does one key decide? */
const isByKey = (question: ReviewQuestion): boolean =>
  question.kind !== 'labels' &&
  question.options.length <= 9 &&
  (isNumbered(question) || question.options.every(({ name }) => /^\d$/.test(name.trim())));

/** A text as it is: only what would move the cursor is replaced. Lines break at blanks. */
const textLines = (text: string, width: number): string =>
  readable(text.replace(/\r\n?/g, '\n'))
    .split('\n')
    .map((line) => wrapLines(line, width, 0))
    .join('\n');
