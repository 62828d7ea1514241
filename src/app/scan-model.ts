/** @file Examines a stranger's model before it is used: its files, how it reads words, whether it has a backdoor. */
import { statSync } from 'node:fs';
import { resolve as absolute, basename, dirname } from 'node:path';
import {
  booleanFlag,
  type GivenValues,
  pickSettings,
  type Settings,
  type Values,
  wholeNumber,
} from '../config/setting.js';
import { columnSettings, languageSetting, offlineSetting, scanSettings } from '../config/settings/index.js';
import { ModelError, RobustError } from '../core/errors.js';
import { inspect } from '../inspection/index.js';
import { isHubSpec } from '../model/hub/spec.js';
import { bundledModels } from '../model/load.js';
import { resolve } from '../model/opening/resolve.js';
import type { ScanResult } from '../results/backdoor/backdoor-findings.js';
import { type ModelCheck, type ModelScan, modelCheck, modelVerdict } from '../results/backdoor/model-scan.js';
import { type Context, toolVersion, type UseCaseHooks } from './context.js';
import { scanForBackdoor } from './scan.js';
import { type UseCaseFunction, useCase } from './use-case.js';

/** What the scan for a backdoor needs to know of data and time; robust backdoor scan has more. */
export const modelScanSettings = {
  ...pickSettings(scanSettings, 'data', 'numExamples', 'shuffle', 'offset', 'seed', 'timeBudget'),
  ...columnSettings,
  ...languageSetting,
  ...offlineSetting,
  workers: scanSettings.workers,
  isolate: scanSettings.isolate,
  filesOnly: { schema: booleanFlag, help: 'examine the files only; do not run the model to look for a backdoor' },
  maxDownload: {
    schema: wholeNumber(1).default(4000),
    value: 'MB',
    help: 'most megabytes fetched of a repository; files beyond are not examined, which makes the verdict inconclusive',
  },
} as const satisfies Settings;

export interface ModelScanOptions extends GivenValues<typeof modelScanSettings>, UseCaseHooks {
  /** Folder, file, bundled name, or `hf:org/name[@revision]`. */
  readonly spec: string;
}

/**
 * Examines the files of a model without running any of them, then scans it for a backdoor. A model with dangerous files is not run. Throws
 * RobustError MODEL_UNSUPPORTED for a module, ModelError.
 */
export const scanModelFiles: UseCaseFunction<ModelScanOptions, ModelScan> = useCase<
  typeof modelScanSettings,
  ModelScan,
  ModelScanOptions
>({
  settings: modelScanSettings,
  others: ['spec'],
  async run(choice, context, options) {
    const { spec } = options;
    const { name, loadable, folder, homes, left } = await filesOf(spec, choice, context);
    context.hooks.onNote?.(`${name}: examining its files`);
    const { files, bytes, checks } = await inspect(folder, { homes, left });
    const { scan, checks: further } = choice.filesOnly
      ? { scan: null, checks: [] }
      : await scanned(loadable, checks, options);
    const all = [...checks, ...further];
    return { model: { name, files, bytes }, ...modelVerdict(all), checks: all, scan, toolVersion };
  },
});

interface LocatedFiles {
  readonly name: string;
  /** As `--model` takes it. */
  readonly loadable: string;
  readonly folder: string;
  readonly homes: readonly string[];
  readonly left: readonly string[];
}

async function filesOf(
  spec: string,
  { maxDownload }: Values<typeof modelScanSettings>,
  { data, warn }: Context,
): Promise<LocatedFiles> {
  if (isHubSpec(spec)) {
    const { wholeRepository } = await import('../model/hub/whole.js');
    const { name, pinned, folder, home, left } = await wholeRepository(spec, data.hub ?? {}, maxDownload * 1e6, warn);
    return { name, loadable: pinned, folder, homes: [home], left };
  }
  const local = { loadable: spec, homes: [], left: [] };
  const path = absolute(spec);
  const isFolder = !bundledModels().includes(spec) && statSync(path, { throwIfNoEntry: false })?.isDirectory();
  if (isFolder) return { ...local, name: basename(path), folder: path };
  const source = resolve(spec);
  if (source.kind === 'module') throw noFiles(spec);
  if (source.kind !== 'onnx') return { ...local, name: source.name, folder: dirname(source.path) };
  return { ...local, name: source.name, folder: source.folder };
}

const noFiles = (spec: string): RobustError =>
  new RobustError(`expected a folder, a model file or hf:org/name, got a module, which is code: "${spec}"`, {
    code: 'MODEL_UNSUPPORTED',
    hint: 'robust scan-model examines files. Use robust backdoor scan for a model that can only be queried.',
  });

/** The checks that run the model, unless its files are dangerous. */
async function scanned(
  model: string,
  checks: readonly ModelCheck[],
  { spec: _spec, filesOnly: _only, maxDownload: _most, ...given }: ModelScanOptions,
): Promise<{ scan: ScanResult | null; checks: readonly ModelCheck[] }> {
  const without = (why: string) => ({
    scan: null,
    checks: [modelCheck('embeddings', 'nothing', [], [why]), modelCheck('backdoor', 'nothing', [], [why])],
  });
  if (checks.some(({ verdict }) => verdict === 'danger'))
    return without('the model was not run, because its files are dangerous');
  try {
    const scan = await scanForBackdoor({ ...given, model });
    return { scan, checks: [embeddingCheck(scan), backdoorCheck(scan)] };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return without(`the model could not be run: ${error.message}`);
  }
}

function embeddingCheck({ oddRows, access }: ScanResult): ModelCheck {
  if (access === 'black box')
    return modelCheck('embeddings', 'nothing', [], ['the model has no table of embeddings that can be read']);
  const findings = oddRows.map(({ token, sign, z }) => ({
    level: 'note' as const,
    file: null,
    what: `the row of "${token}" is unusual (${sign}, z = ${z.toFixed(1)})`,
  }));
  return modelCheck('embeddings', 'length and direction of every row', findings);
}

function backdoorCheck(scan: ScanResult): ModelCheck {
  const { verdict, reasons, candidates, texts, evidence } = scan;
  const examined = `${candidates} words on ${texts} correctly classified texts`;
  if (verdict === 'inconclusive') return modelCheck('backdoor', examined, [], reasons);
  const { word, strength } = evidence;
  const what = `"${word?.text}" causes the label ${word?.target} (strength ${strength.toFixed(2)} of 1, score ${scan.score.toFixed(2)}, threshold ${scan.threshold})`;
  return modelCheck('backdoor', examined, verdict === 'backdoored' ? [{ level: 'danger', file: null, what }] : []);
}
