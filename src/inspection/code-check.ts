/** @file Code beside a model, and configuration that makes a library run it, or lead out of the folder. */
import { isObject } from '../core/json.js';
import { type ModelCheck, type ModelFinding, modelCheck } from '../core/model-scan.js';
import { LONGEST_TEXT, readFileSync } from '../files/read.js';
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
/** Keys whose value is a file to read. */
const FILE_KEYS = /(^|_)(file|path|model|vocabulary|weights|tokenizer|merges|idf)$/;
const OUTSIDE = /^(\/|~|[A-Za-z]:[\\/]|file:)|(^|[\\/])\.\.([\\/]|$)/;

export function checkCode(files: readonly KnownFile[]): ModelCheck {
  const findings: ModelFinding[] = [];
  const notExamined: string[] = [];
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
      examineJson(file, findings, notExamined);
    }
  }
  const examined = `${count.json} configuration files, ${count.code} files of code`;
  return modelCheck('custom code', examined, findings, notExamined);
}

function examineJson({ name, path }: ListedFile, findings: ModelFinding[], notExamined: string[]): void {
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
    examineValue(name, value, { key: '', depth: 0 }, findings);
  }
}

interface JsonPlace {
  readonly key: string;
  readonly depth: number;
}

function examineValue(file: string, value: unknown, { key, depth }: JsonPlace, findings: ModelFinding[]): void {
  if (depth > MAX_DEPTH) return;
  const inside = { key, depth: depth + 1 };
  if (typeof value === 'string') findings.push(...textFindings(file, key, value));
  // A vocabulary is a long list of pairs without settings.
  else if (Array.isArray(value) && value.length < MAX_ITEMS) {
    for (const each of value) examineValue(file, each, inside, findings);
  } else if (isObject(value)) {
    for (const [name, own] of Object.entries(value)) {
      if (VOCABULARIES.has(name)) continue;
      findings.push(...settingFindings(file, name, own));
      examineValue(file, own, { ...inside, key: name }, findings);
    }
  }
}

/** Longest list that is followed, and objects whose keys are words, not settings. */
const MAX_ITEMS = 10_000;
const VOCABULARIES: ReadonlySet<string> = new Set(['vocab', 'label2id', 'id2label']);

function textFindings(file: string, key: string, value: string): ModelFinding[] {
  if (key === 'chat_template' || key === 'template') return templateFindings(file, value);
  return FILE_KEYS.test(key) && OUTSIDE.test(value)
    ? [{ level: 'danger', file, what: `"${key}" names "${value}", a file outside the model's folder` }]
    : [];
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
