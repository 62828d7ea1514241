/** @file From what a user typed after `--model` to the files (or the module) that hold it. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { resolve as absolute, basename, dirname, extname, join } from 'node:path';
import { ModelError } from '../../core/errors.js';
import { packageRoot } from '../../core/package-root.js';
import { type GivenOptions, labelOf, splitSpec } from '../../core/plugin-options.js';
import { didYouMean } from '../../core/suggest.js';
import { readFileSync } from '../../files/read.js';
import { isCode, isPackageName } from '../../modules/own-module.js';
import { addressIn } from '../../remote/index.js';
import { isTfjsFile, TFJS_FILE } from '../../tfjs/model-file.js';
import { homeOf, tokenizerFiles } from './layout.js';

/** An ONNX file and what lies beside it. */
export interface OnnxFiles {
  readonly kind: 'onnx';
  readonly name: string;
  /** Where tokenizer.json, robust.json and config.json are looked for. */
  readonly folder: string;
  /** The model file if the user named one; else the manifest or the usual places decide. */
  readonly model?: string;
  /** The same graph, which continues texts from the keys and values of their beginnings on. */
  readonly continued?: string;
  /** The base model of an adapter, as the user named it. */
  readonly base?: string;
  /** A spec that permanently names these files, while the user's spec may change its meaning. */
  readonly pinned?: string;
  /** The question that a causal language model is asked about each text. */
  readonly guard?: PromptFile;
}

/** A prompt, the file that holds it, and the answers that are its labels. */
interface PromptFile {
  readonly prompt: string;
  readonly file: string;
  readonly answers: readonly string[];
}

/** A module, or a package, whose default export is a Classifier or makes one of options. */
export interface ModuleFile {
  readonly kind: 'module';
  readonly name: string;
  /** A path or the name of a package. */
  readonly path: string;
  readonly given: GivenOptions;
}

/** A model that TF.js saved. */
export interface TfjsModelFile {
  readonly kind: 'tfjs';
  readonly name: string;
  /** Of model.json, beside which its shards lie, and what else describes the model. */
  readonly path: string;
  /** A spec that permanently names this file, while the user's spec may change its meaning. */
  readonly pinned?: string;
}

export type ModelSource = OnnxFiles | ModuleFile | TfjsModelFile;

const BUNDLED = join(packageRoot, 'models');

/** Names of the models that come with the package. */
export function bundledModels(): string[] {
  if (!existsSync(BUNDLED)) return [];
  return readdirSync(BUNDLED, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

/** Between an adapter and its base model: `./adapter:base=hf:org/name`. */
const BASE = ':base=';

/** The spec of a model, and of the base model that the user named behind it. */
export function splitBase(spec: string): { readonly spec: string; readonly base?: string } {
  const at = spec.indexOf(BASE);
  return at <= 0 ? { spec } : { spec: spec.slice(0, at), base: spec.slice(at + BASE.length) };
}

/** Throws ModelError (MODEL_NOT_FOUND) where nothing bears that name. */
export function resolve(spec: string): ModelSource {
  if (bundledModels().includes(spec)) return { kind: 'onnx', name: spec, folder: join(BUNDLED, spec) };
  const path = absolute(spec);
  const found = statSync(path, { throwIfNoEntry: false });
  const code = found?.isDirectory() ? undefined : codeIn(spec);
  if (code !== undefined) return code;
  if (found === undefined) throw notFound(spec);
  checkFiles(path);
  if (found.isDirectory()) {
    if (isTfjs(path)) return { kind: 'tfjs', name: basename(path), path: join(path, TFJS_FILE) };
    const home = homeOf((name) => existsSync(join(path, name)));
    return { kind: 'onnx', name: basename(path), folder: join(path, home) };
  }
  // The file that TF.js loads represents its folder.
  if (isTfjsFile(path)) return { kind: 'tfjs', name: basename(dirname(path)), path };
  if (extname(path) === '.onnx') return { kind: 'onnx', ...besides(path), model: path };
  throw new ModelError(`expected a model, got the file "${spec}"`, {
    code: 'MODEL_NOT_FOUND',
    hint: /\.gguf$/i.test(path)
      ? GGUF
      : /\.(json|ya?ml)$/i.test(path)
        ? `If it describes an endpoint, write http: before its path: --model http:${spec}`
        : 'Name a folder with config.json, tokenizer.json and model.onnx, an .onnx file, or a module (.mjs, .js, .ts).',
  });
}

/** What to do with a file of llama.cpp. */
export const GGUF =
  'A .gguf file is read by llama.cpp alone. Name the folder of the safetensors that it was made of, or serve it and name the address.';

/** A folder with the model.json of TF.js and no other model, though perhaps with a robust.json, which names no other file. */
function isTfjs(folder: string): boolean {
  const at = (name: string) => existsSync(join(folder, name));
  if (!at(TFJS_FILE) || ['config.json', 'model.onnx', join('onnx', 'model.onnx')].some(at)) return false;
  try {
    const named: unknown = JSON.parse(readFileSync(join(folder, 'robust.json'), 'utf8')).model;
    return named === undefined || named === TFJS_FILE;
  } catch {
    // There is none, or its reader says what is wrong with it.
    return true;
  }
}

/** Reading a pipe or a device might never end. Throws ModelError where a path, or a file in a folder or in its `onnx/`, is one. */
function checkFiles(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  const within = found?.isDirectory() ? allFiles(path).map((name) => join(path, name)) : [];
  for (const each of [path, ...within]) {
    const stats = statSync(each, { throwIfNoEntry: false });
    if (stats === undefined || stats.isFile() || stats.isDirectory()) continue;
    throw new ModelError(`expected a file, got a pipe or device: ${each}`, {
      code: 'MODEL_DAMAGED',
      hint: 'Save what it yields to a file, and name that file.',
    });
  }
}

/** The files of a folder and of `onnx/` in it, where the Hub keeps graphs. */
export const allFiles = (folder: string): string[] =>
  ['', 'onnx/'].flatMap((within) => {
    const at = join(folder, within);
    return existsSync(at) ? readdirSync(at).map((name) => within + name) : [];
  });

/** A code spec with its options, `./victim.mjs:seed=3`; undefined for other specs. Throws ModelError if its file does not exist. */
function codeIn(spec: string): ModuleFile | undefined {
  // The colon of hf:org/name and of addresses begins no option.
  const { name, given } = /^[^:]+(?::[A-Za-z][\w-]*=|$)|^[A-Za-z]:[\\/]/.test(spec)
    ? splitSpec(spec)
    : { name: spec, given: new Map<string, string>() };
  if (!isCode(name)) return undefined;
  if (isPackageName(name)) return { kind: 'module', name: labelOf(name, given), path: name, given };
  if (!existsSync(name)) throw notFound(spec);
  checkFiles(absolute(name));
  return { kind: 'module', name: labelOf(basename(name, extname(name)), given), path: absolute(name), given };
}

/** A file in `onnx/` belongs to the folder above (the Hub's layout) unless a manifest or tokenizer lies right beside it. */
function besides(model: string): { name: string; folder: string } {
  const folder = dirname(model);
  checkFiles(folder);
  const has = (file: string) => existsSync(join(folder, file));
  const own = ['robust.json', 'config.json'].some(has) || tokenizerFiles(has).length > 0;
  const home = !own && basename(folder) === 'onnx' ? dirname(folder) : folder;
  const stem = basename(model, '.onnx');
  return { name: stem === 'model' ? basename(home) : stem, folder: home };
}

function notFound(spec: string): ModelError {
  const page = /^https?:\/\/huggingface\.co\/([\w.-]+\/[\w.-]+)\/?$/.exec(spec)?.[1];
  if (page !== undefined) {
    return new ModelError(`expected a model, got the address of a page, "${spec}"`, {
      code: 'MODEL_NOT_FOUND',
      hint: `Did you mean "hf:${page}"?`,
    });
  }
  if (addressIn(spec) !== undefined) {
    return new ModelError(`expected the files of a model, got an endpoint, "${spec}"`, {
      code: 'MODEL_NOT_FOUND',
      hint: 'An endpoint is asked for answers alone. Fetch the files of its model into a folder and name that folder.',
    });
  }
  const remote = /^[a-z][a-z+.-]+:/i.exec(spec)?.[0];
  if (remote !== undefined && !/^[a-z]:[\\/]/i.test(spec)) {
    return new ModelError(`expected a model, got "${spec}": models behind "${remote}" are not supported`, {
      code: 'MODEL_NOT_FOUND',
      hint: 'Fetch its config.json, tokenizer.json and model.onnx into a folder and name that folder.',
    });
  }
  return new ModelError(`no model "${spec}": no bundled model has that name and no file or folder lies there`, {
    code: 'MODEL_NOT_FOUND',
    hint: didYouMean(spec, bundledModels()),
  });
}
