/** @file Base of all commands: streams, `--json`, warnings, errors and exit codes. */
import type { Interfaces } from '@oclif/core';
import { json, SCHEMA_VERSION } from '../../../reports/json.js';
import type { Screen } from '../../../reports/layout.js';
import { overrideLine } from '../../../reports/overrides.js';
import { visible } from '../../../reports/visible.js';
import { notRecorded, type SettingValues } from '../../app/command-line.js';
import type { UseCaseHooks } from '../../app/context.js';
import { type LogLevel, logLine } from '../../app/log-line.js';
import { type Chunks, inPieces } from '../../app/runs/pieces.js';
import { configFlagIn } from '../../config/config-flag.js';
import type { Judging } from '../../config/judging.js';
import type { LoadedConfig } from '../../config/load.js';
import { optionRows, takeOptions } from '../../config/options.js';
import { overridesOf } from '../../config/overrides.js';
import { flagOf, type GivenValues, type Settings, type Values, variableOf } from '../../config/setting.js';
import { attackSettings, reportOutputs, streamSettings } from '../../config/settings/index.js';
import { EXIT, ModelGone, OutputError, RobustError } from '../../core/errors.js';
import type { Override } from '../../core/override.js';
import { didYouMean } from '../../core/suggest.js';
import { workingFolder } from '../../files/working-folder.js';
import type { Document } from '../../results/report/document.js';
import type { Renderer } from '../../results/report/report.js';
import { configured, configuredIn } from './configured.js';
import { environment, isOverruled, optionTexts, valuesFrom } from './environment.js';
import { failureDocument, failureOf, failureText } from './failure.js';
import { flagsOf, optionParsers, settingsOfFlags, valuesOf } from './flags.js';
import { footer } from './footer.js';
import { keepForResults, writeResult } from './guarded.js';
import { CommandStopped, interruption } from './interruption.js';
import { jsonProgress } from './json-log.js';
import { Command } from './oclif.js';
import type { ProgressLine } from './progress-line.js';
import { screenOf } from './screen.js';
import { patienceOf } from './watchdog.js';

/** Resolves once stdout took it. Throws its error. */
const written = (piece: string): Promise<void> =>
  new Promise((done, failed) => {
    writeResult(piece, (error) => (error ? failed(error) : done()));
  });

export abstract class BaseCommand extends Command {
  static override usage = '<%= command.id %> [FLAGS]';

  static override baseFlags = flagsOf(streamSettings);

  /** Warnings; `--json` lists them. */
  protected readonly warnings: string[] = [];
  #quiet = false;
  #verbose = false;
  /** stderr is for programs. */
  #jsonLog = false;
  #flags: Readonly<Record<string, unknown>> = {};
  #named: ReadonlySet<string> = new Set();
  #progress: ProgressLine | undefined;
  #settings: LoadedConfig | undefined;
  /** The single document was printed: a server prints its port, and may fail later. */
  #answered = false;
  readonly #origins = new Map<string, string>();
  /** Environment variables that decided settings. */
  #overrides: readonly Override[] = [];

  /** Flags from the command line, else from the environment, else from the configuration, else their defaults. */
  protected override async parse<
    F extends Interfaces.OutputFlags<Interfaces.FlagInput>,
    B extends Interfaces.OutputFlags<Interfaces.FlagInput>,
    A extends Interfaces.OutputArgs<Interfaces.ArgInput>,
  >(options: Interfaces.Input<F, B, A>, argv = this.argv): Promise<Interfaces.ParserOutput<F, B, A>> {
    // A usage error says so by itself; oclif would add, beside development, that nothing was parsed.
    this.parsed = true;
    const flags = { ...options.baseFlags, ...options.flags } as Interfaces.FlagInput;
    const rows = optionRows(settingsOfFlags(flags));
    const line = takeOptions(argv, rows);
    if ('config' in flags) this.#settings = await this.#configuration(argv);
    const variables = environment(process.env, rows);
    const below = this.#settings === undefined ? [variables] : [variables, configured(this.#settings)];
    const parsers = optionParsers(rows);
    const beside = await valuesFrom({ ...flags, ...parsers }, optionTexts(line.texts), ...below);
    const all = Object.fromEntries(
      Object.entries(flags).map(([name, flag]) => [name, beside.has(name) ? { ...flag, required: false } : flag]),
    ) as Interfaces.FlagInput<F>;
    const parsed = await super.parse<F, B, A>({ ...options, flags: all, baseFlags: {} as never }, [...line.argv]);
    const named = new Set([
      ...parsed.raw.flatMap((word) => (word.type === 'flag' ? [word.flag] : [])),
      ...line.texts.keys(),
    ]);
    // oclif compares flags; it does not see that an option was given for one of them.
    for (const { owner, name, option } of rows.filter((row) => line.texts.has(row.name))) {
      const other = [...named].find((each) => flags[each]?.exclusive?.includes(owner));
      if (other !== undefined)
        throw new RobustError(
          `--${owner} ${option}=${line.texts.get(name)?.text} cannot also be provided when using --${other}`,
          { code: 'FLAG_INVALID' },
        );
    }
    const values: Record<string, unknown> = parsed.flags;
    for (const [name, { default: usual }] of Object.entries(parsers)) if (usual !== undefined) values[name] = usual;
    const decided = [...beside].filter(([name]) => !named.has(name) && !isOverruled(name, flags, named));
    for (const [name, { value }] of decided) values[name] = value;
    for (const name of line.texts.keys()) values[name] = beside.get(name)?.value;
    for (const name of Object.keys(values)) {
      if (isOverruled(name, flags, named)) delete values[name];
      else this.#origins.set(name, named.has(name) ? 'flag' : (beside.get(name)?.origin ?? 'default'));
    }
    this.#flags = values;
    this.#named = named;
    const { quiet, verbose } = this.#flags;
    this.#quiet = quiet === true;
    this.#verbose = verbose === true;
    keepForResults(process);
    this.#jsonLog = this.#flags.log === 'json';
    if (this.id !== 'help') for (const line of this.#unknownVariables()) this.warning(line);
    const inForce = decided.map(([, value]) => value);
    this.#tellOverrides(overridesOf(inForce));
    if (this.#settings && this.id !== 'config:show')
      this.note(visible(this.#configLine(this.#settings, configuredIn(inForce))));
    return parsed;
  }

  /** Variables with our prefix that no flag of any command reads. */
  #unknownVariables(): string[] {
    // python/robust_text.py starts robust by ROBUST_BIN.
    const known = new Set(['bin', ...this.config.commands.flatMap(({ flags }) => Object.keys(flags))].map(variableOf));
    return Object.keys(process.env).flatMap((name) => {
      if (!name.startsWith(variableOf('')) || known.has(name)) return [];
      return [`${visible(name)} is set, but no flag has that variable: it is ignored. ${didYouMean(name, [...known])}`];
    });
  }

  /** Prints them on stderr. A variable must not hide what variables do: only --quiet and the configuration silence it. */
  #tellOverrides(found: ReturnType<typeof overridesOf>): void {
    this.#overrides = found.map(({ display: _, ...override }) => override);
    const line = overrideLine(found.filter(({ display }) => !display));
    const hushed = this.#quiet;
    this.#quiet &&= !found.some(({ variable }) => variable === variableOf('quiet'));
    if (line !== undefined) this.note(visible(line));
    this.#quiet = hushed;
  }

  /** Names the configuration and the settings that come from it: `Configuration robust.config.yaml: model, data`. */
  #configLine({ file, values }: LoadedConfig, keys: readonly string[]): string {
    const judging = (['require', 'waivers'] as const).filter((key) => values[key] !== undefined);
    const used = [...keys, ...judging].filter((key) => this.usesConfig(key, this.#flags));
    return `Configuration ${file}: ${used.join(', ') || 'none of its settings is for this command'}`;
  }

  /** Whether this call takes the setting from a configuration that has it. */
  protected usesConfig(key: string, { resume }: Readonly<Record<string, unknown>>): boolean {
    // Requirements and waivers are for commands that judge; a resumed run remembers its own settings.
    return key !== 'require' && key !== 'waivers' && !(resume !== undefined && key in attackSettings);
  }

  /** A result with the environment variables that decided settings, where there are any. */
  protected withOverrides<T>(result: T): T {
    if (this.#overrides.length === 0 || typeof result !== 'object' || result === null || Array.isArray(result))
      return result;
    const { provenance } = result as { readonly provenance?: { readonly overrides?: readonly Override[] } };
    return { ...result, provenance: { ...provenance, overrides: provenance?.overrides ?? this.#overrides } };
  }

  /** The values of settings, once the flags are parsed. */
  protected values<S extends Settings>(settings: S): Values<S> {
    return valuesOf(settings, this.#flags);
  }

  /** Settings that were given on the command line. */
  protected given<S extends Settings>(settings: S): GivenValues<S> {
    const named = Object.entries(settings).filter(([key, setting]) => this.#named.has(flagOf(key, setting)));
    return valuesOf(Object.fromEntries(named), this.#flags) as GivenValues<S>;
  }

  /** The flags named on the command line that the record of a run does not keep: a command that resumes it repeats them. */
  protected unrecorded(settings: Settings): SettingValues {
    const { config } = this.#flags;
    return { ...(this.#named.has('config') && { config }), ...notRecorded(settings, this.given(settings)) };
  }

  async #configuration(argv: readonly string[]): Promise<LoadedConfig | undefined> {
    const { loadConfig, noCodeInCi } = await import('../../config/load.js');
    const { CI = '', ...env } = process.env;
    const named = configFlagIn(argv) ?? (env[variableOf('config')] || undefined);
    const allowed = argv.includes('--allow-code') || !/^(|0|false)$/i.test(env[variableOf('allow-code')] ?? '');
    const code = named !== undefined || allowed || /^(|0|false)$/i.test(CI);
    const found = await loadConfig(workingFolder(), named, code);
    if (found === undefined || code) return found;
    const { namedCode } = await import('../../app/runs/recorded-settings.js');
    for (const [key, text] of namedCode(found.values))
      throw noCodeInCi(`${found.origin(key)}: ${key}`, text, found.file);
    return found;
  }

  /** The configuration, for commands with the flag `--config`; undefined where there is none. */
  protected get settingsFile(): LoadedConfig | undefined {
    return this.#settings;
  }

  /** The judging settings of a run. Throws RobustError for an invalid requirement. */
  protected async judging(given: Judging['require'] = []): Promise<Judging> {
    const { judgingOf } = await import('../../config/judging.js');
    const origin = this.originOf('require');
    return judgingOf(this.#settings, given, origin.startsWith('ROBUST_') ? origin : '--require');
  }

  /** Where the value of a flag comes from: `flag`, `ROBUST_SEED`, `robust.config.yaml:3:1` or `default`. */
  protected originOf(flag: string): string {
    return this.#origins.get(flag) ?? 'default';
  }

  /** Whether stdout is for a program. Called before the flags are parsed, because parse errors are also reported. */
  override jsonEnabled(): boolean {
    const end = this.argv.indexOf('--');
    const flags = end === -1 ? this.argv : this.argv.slice(0, end);
    return flags.includes('--json') || /^(1|true|yes|on)$/i.test(String(process.env[variableOf('json')] ?? ''));
  }

  /** Seconds after SIGTERM before the command ends without waiting for its work; 0: it waits. */
  protected readonly termGrace: number = 5;

  protected get quiet(): boolean {
    return this.#quiet;
  }

  /** Capabilities of stdout. */
  protected async screen(): Promise<Screen> {
    const screen = await screenOf(process.stdout, process.env);
    return { ...screen, wide: this.#flags.wide === true, explained: this.#verbose };
  }

  /** Writes the result to stdout, as fast as the reader takes it. A reader that went away is no error. Throws OutputError. */
  protected async print(chunks: string | Chunks): Promise<void> {
    try {
      const pieces = inPieces(typeof chunks === 'string' ? [chunks] : chunks);
      // Not by a pipeline: each would leave its listeners on stdout.
      for await (const piece of pieces) await written(piece);
    } catch (error) {
      const { code, syscall, message } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED') return;
      // Anything else that broke is the maker of the chunks.
      if (syscall !== 'write') throw error;
      throw new OutputError(`stdout cannot be written: ${message}`, { code: 'STDOUT_UNREACHABLE', cause: error });
    }
  }

  /** Prints a result: as the document of `--json`, or as people read it. */
  protected async answer(result: unknown, text: () => string | Chunks | Promise<string | Chunks>): Promise<void> {
    const { warnings } = this;
    this.#answered = true;
    await this.print(
      this.jsonEnabled()
        ? `${json({ schemaVersion: SCHEMA_VERSION, ok: true, command: this.commandName, result: this.withOverrides(result), warnings })}\n`
        : await text(),
    );
  }

  /** Does the work, writes its result to the files of `-o`, prints it, and ends with the exit code of its verdict. */
  protected async documented<T extends { readonly verdict: string }>(
    work: () => Promise<T>,
    document: (result: T) => Document,
    formats: readonly Renderer<T>[],
  ): Promise<T> {
    const { outputFiles, writeReport } = await import('../../app/runs/output-files.js');
    const { onScreen } = await import('../../../reports/index.js');
    const { outputs: written = [] } = this.values(reportOutputs);
    const outputs = outputFiles(written, formats);
    const result = await work();
    for (const output of outputs) await writeReport(output, result);
    this.exitBy(result.verdict);
    const screen = await this.screen();
    const files = written.length === 0 ? [] : ['\n', footer(screen, { written })];
    await this.answer(result, () => [...onScreen(document(result), screen), ...files]);
    return result;
  }

  /** Ends with the exit code of a verdict: 4 where it is inconclusive, `failed` where it failed. */
  protected exitBy(verdict: string, failed: number = EXIT.gateFailed): void {
    if (verdict === 'failed') process.exitCode = failed;
    if (verdict === 'inconclusive') process.exitCode = EXIT.inconclusive;
  }

  protected get commandName(): string {
    return (this.id ?? '').replaceAll(':', ' ');
  }

  /** A line on stderr. */
  protected note(text: string, level: LogLevel = 'info'): void {
    if (this.#quiet) return;
    if (this.#jsonLog) process.stderr.write(logLine(level, text));
    else if (this.#progress) this.#progress.write(level === 'warning' ? `Warning: ${visible(text)}` : text);
    else process.stderr.write(level === 'warning' ? `Warning: ${visible(text)}\n` : `${text}\n`);
  }

  /** A line for people who want to know more. */
  protected detail(text: string): void {
    if (this.#verbose) this.note(text, 'debug');
  }

  protected warning(message: string): void {
    if (this.warnings.includes(message)) return;
    this.warnings.push(message);
    this.note(message, 'warning');
  }

  /** A report's warnings that a reader of both streams on one screen has not seen yet. */
  protected unseen(warnings: readonly string[]): readonly string[] {
    return process.stdout.isTTY && !this.#quiet ? warnings.filter((each) => !this.warnings.includes(each)) : warnings;
  }

  /** Does work whose progress is shown, unless it is not wanted or shown already. */
  protected async showing<T>(progress: boolean, work: () => Promise<T>): Promise<T> {
    if (!progress || this.#quiet || this.#progress) return work();
    const { progressLine } = await import('./progress-line.js');
    this.#progress = this.#jsonLog ? jsonProgress(process.stderr) : await progressLine(process.stderr, process.env);
    try {
      return await work();
    } finally {
      this.#progress.stop();
      this.#progress = undefined;
    }
  }

  /**
   * Does work that shows its progress and can be stopped: the first Ctrl-C ends it cleanly, the second at once.
   * `resume`: the command that continues the runs begun so far, undefined where nothing was kept yet. Throws CommandStopped.
   */
  protected async carriedOut<T>(
    work: (hooks: UseCaseHooks) => Promise<T>,
    resume: (runs: readonly string[]) => string | undefined = () => undefined,
  ): Promise<T> {
    const runs: string[] = [];
    const stop = interruption(() => this.note('Stopping. Ctrl-C again stops at once.'), this.termGrace);
    const [{ hubOptions, remoteAccess, downloadWork }, progress] = [
      await import('./hub.js'),
      this.#flags.log !== 'plain',
    ];
    const hooks: UseCaseHooks = {
      signal: stop.signal,
      onProgress: (now) => this.#progress?.show(now),
      onOutcome: (outcome, of) => this.#progress?.count(outcome, of),
      onDownload: (now) => this.#progress?.show(downloadWork(now)),
      onWarning: (message) => this.warning(message),
      onNote: (line) => this.note(line),
      onDetail: (line) => this.detail(line),
      onRun: (id) => runs.push(id),
      onUnstoppable: () => stop.stopListening(),
      watch: patienceOf,
      hub: hubOptions(process.env, false),
      remote: remoteAccess(process.env),
      made: {
        config: this.#settings?.file ?? null,
        origins: Object.fromEntries(this.#origins),
        overrides: this.#overrides,
      },
    };
    try {
      return await this.showing(progress, () => work(hooks));
    } catch (error) {
      const command = resume(runs);
      // The same command would meet the same error, unless what is done is kept.
      if (error instanceof ModelGone && command !== undefined)
        throw error.with(`What is done is kept. Once the cause is removed, continue with: ${command}`);
      if (!(error instanceof RobustError && error.code === 'INTERRUPTED')) throw error;
      if (stop.crash) throw stop.crash.error;
      const hint = command === undefined ? 'To start over, run the same command again.' : `Continue with: ${command}`;
      throw new CommandStopped(error.message, stop.exit, hint);
    } finally {
      stop.stopListening();
    }
  }

  /** Final handler of all errors: prints to stderr for people, to stdout for programs, and sets the exit code. */
  protected override async catch(error: unknown): Promise<void> {
    const failure = failureOf(error, this.ctor);
    process.exitCode = failure.exit;
    const { chalk } = await screenOf(process.stderr, process.env);
    const verbose = this.#verbose || this.argv.includes('--verbose') || this.argv.includes('-v');
    const { code, message, hint, exit, stack } = failure;
    process.stderr.write(
      this.#jsonLog
        ? logLine('error', message, { code, hint, exit, ...(verbose && { stack }) })
        : `${failureText(failure, verbose).replace(/^Error:/, chalk.red.bold('Error:'))}\n`,
    );
    if (this.jsonEnabled() && failure.code !== 'STDOUT_UNREACHABLE' && !this.#answered) {
      await this.print(failureDocument(this.commandName, failure, this.warnings));
    }
  }
}
