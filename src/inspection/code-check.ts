/** @file Code beside a model, and configuration that makes a library run it, or lead out of the folder. */
import { readFileSync } from 'node:fs';
import { isObject } from '../core/json.js';
import { type ModelCheck, type ModelFinding, modelCheck } from '../core/model-scan.js';
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
  const text = readFileSync(path, 'utf8');
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
  if (typeof value === 'string') {
    if (FILE_KEYS.test(key) && OUTSIDE.test(value)) {
      findings.push({ level: 'danger', file, what: `"${key}" names "${value}", a file outside the model's folder` });
    }
    if (key === 'chat_template' || key === 'template') findings.push(...templateFindings(file, value));
    return;
  }
  if (Array.isArray(value)) {
    // A vocabulary is a long list of pairs without settings.
    if (value.length < 10_000) for (const each of value) examineValue(file, each, { key, depth: depth + 1 }, findings);
    return;
  }
  if (!isObject(value)) return;
  for (const [name, own] of Object.entries(value)) {
    // Words of a vocabulary are no settings.
    if (name === 'vocab' || name === 'label2id' || name === 'id2label') continue;
    if (Object.hasOwn(CODE_KEYS, name)) findings.push({ level: 'warning', file, what: `${name}: ${CODE_KEYS[name]}` });
    if (name === 'trust_remote_code' && own === true) {
      findings.push({ level: 'warning', file, what: 'trust_remote_code is set: the repository asks to run its code' });
    }
    examineValue(file, own, { key: name, depth: depth + 1 }, findings);
  }
}

const templateFindings = (file: string, template: string): ModelFinding[] => {
  const attribute = ESCAPES.exec(template)?.[0];
  return attribute === undefined
    ? []
    : [{ level: 'danger', file, what: `a template that uses ${attribute}, the way from a template to code` }];
};
