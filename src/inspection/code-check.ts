/** @file Code beside a model, and configuration that makes a library run it, or lead out of the folder. */
import { posix } from 'node:path';
import { LONGEST_TEXT, readFileSync } from '../files/read.js';
import { type ModelCheck, type ModelFinding, modelCheck } from '../results/backdoor/model-scan.js';
import type { KnownFile } from './file-kinds.js';
import type { ListedFile } from './list-files.js';

/** Longest configuration that is parsed, other than a tokenizer. */
const MAX_JSON_BYTES = 200_000_000;
/** Deepest JSON that is followed. */
const MAX_DEPTH = 40;

/** Keys that name code of the repository, for `trust_remote_code=True`. */
const CODE_KEYS: Readonly<Record<string, string>> = {
  auto_map: 'names classes of the repository, whose code runs with trust_remote_code=True',
  custom_pipelines: 'names a pipeline of the repository, whose code runs with trust_remote_code=True',
  custom_generate: 'names generation code of the repository, which runs with trust_remote_code=True',
};
/** Attributes that lead from any value of a template to the interpreter. */
const ESCAPES = /__(class|globals|subclasses|mro|base|bases|builtins|import|init|getattribute|reduce|code|dict)__/;
/** Keys whose value, or whatever their value holds, is a file to read. */
const FILE_KEYS = /(^|_)(file|path|model|vocabulary|weights|tokenizer|merges|idf|files|paths|map)$/;
/** Of these, the keys of an index: each name beneath them is a file of weights. */
const INDEX_KEYS = /^(weight_map|paths)$/;
const OUTSIDE = /^(\/|~|[A-Za-z]:[\\/]|file:|\.\.$)/;
/** A way up is one under any key: no setting but a path is written so. */
const UPWARDS = /^(\S*[\\/])?\.\.[\\/]\S*$|^\S*[\\/]\.\.$/;

export function checkCode(files: readonly KnownFile[]): ModelCheck {
  const findings: ModelFinding[] = [];
  const notExamined: string[] = [];
  const names = new Set(files.map(({ name }) => name));
  const count = { json: 0, code: 0 };
  for (const file of files) {
    const { name, bytes, kind } = file;
    if (kind === 'code') {
      count.code++;
      findings.push({ level: 'warning', file: name, what: 'code: robust does not run it, other programs may' });
    } else if (kind === 'json' || /\.jinja$/.test(name)) {
      if (bytes > MAX_JSON_BYTES) {
        notExamined.push(`${name}: ${bytes} bytes, more than are parsed`);
        continue;
      }
      count.json++;
      examineJson(file, { findings, notExamined, names });
    }
  }
  const examined = `${count.json} configuration files, ${count.code} files of code`;
  return modelCheck('custom code', examined, findings, [...new Set(notExamined)], count.json + count.code);
}

interface Examined {
  readonly findings: ModelFinding[];
  readonly notExamined: string[];
  /** Of all files in the folder. */
  readonly names: ReadonlySet<string>;
}

function examineJson({ name, path }: ListedFile, found: Examined): void {
  const { findings, notExamined } = found;
  const text = readFileSync(path, 'utf8', LONGEST_TEXT);
  if (/\.jinja$/.test(name)) findings.push(...templateFindings(name, text));
  else if (/\.json$/.test(name)) {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      notExamined.push(`${name}: not valid JSON`);
      return;
    }
    examineValue(name, value, { key: '', depth: 0 }, found);
  }
}

interface JsonPlace {
  readonly key: string;
  readonly depth: number;
}

function examineValue(file: string, value: unknown, { key, depth }: JsonPlace, found: Examined): void {
  const inside = { key, depth: depth + 1 };
  if (typeof value === 'string') examineText(file, key, value, found);
  else if (typeof value !== 'object' || value === null) return;
  else if (depth > MAX_DEPTH) found.notExamined.push(`${file}: values more than ${MAX_DEPTH} levels deep`);
  else if (Array.isArray(value)) for (const each of value) examineValue(file, each, inside, found);
  else {
    for (const [name, own] of Object.entries(value)) {
      if (NOT_SETTINGS.has(name)) continue;
      found.findings.push(...settingFindings(file, name, own));
      examineValue(file, own, { ...inside, key: INDEX_KEYS.test(key) ? key : name }, found);
    }
  }
}

/** Lists and objects of words, not settings, and the note of transformers where a model once came from, which nothing opens. */
const NOT_SETTINGS: ReadonlySet<string> = new Set([
  ...['vocab', 'merges', 'label2id', 'id2label'],
  ...['_name_or_path', 'name_or_path'],
]);

function examineText(file: string, key: string, value: string, { findings, notExamined, names }: Examined): void {
  if (key === 'chat_template' || key === 'template') findings.push(...templateFindings(file, value));
  else if (UPWARDS.test(value) || (FILE_KEYS.test(key) && OUTSIDE.test(value)))
    findings.push({ level: 'danger', file, what: `"${key}" names "${value}", a file outside the model's folder` });
  else if (INDEX_KEYS.test(key) && !names.has(posix.join(posix.dirname(file), value)))
    notExamined.push(`${file}: "${key}" names "${value}", which is not in the folder`);
}

function settingFindings(file: string, name: string, value: unknown): ModelFinding[] {
  if (Object.hasOwn(CODE_KEYS, name)) return [{ level: 'warning', file, what: `${name}: ${CODE_KEYS[name]}` }];
  return name === 'trust_remote_code' && value === true
    ? [{ level: 'warning', file, what: 'trust_remote_code is set: the repository asks to run its code' }]
    : [];
}

const templateFindings = (file: string, template: string): ModelFinding[] => {
  const attribute = ESCAPES.exec(template)?.[0];
  return attribute === undefined
    ? []
    : [{ level: 'danger', file, what: `a template that uses ${attribute}, the way from a template to code` }];
};
