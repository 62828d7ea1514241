/** @file adapter_config.json of PEFT (Mangrulkar et al. 2022): LoRA and its variants; other methods are refused by name. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../../json.js';
import { readFileSync } from '../../read-file.js';
import { damaged, parseCheckpointJson } from '../checkpoint/stored-tensor.js';
import { ModelConfig } from '../config.js';

export const ADAPTER_CONFIG = 'adapter_config.json';
const INSTEAD =
  'Merge it into its base model in Python: merge_and_unload() and save_pretrained() of PEFT write a folder that can be named.';

/** Keys that do not change what a merged model computes, or that the tensors say themselves. */
const HARMLESS = new Set([
  'auto_mapping',
  'base_model_name_or_path',
  'corda_config',
  'ensure_weight_tying',
  'eva_config',
  'exclude_modules',
  'inference_mode',
  'layers_pattern',
  'layers_to_transform',
  'loftq_config',
  'lora_dropout',
  'megatron_core',
  'modules_to_save',
  'peft_version',
  'qalora_group_size',
  'revision',
  'runtime_config',
  'target_modules',
  'task_type',
]);
const READ = new Set([
  'alpha_pattern',
  'bias',
  'fan_in_fan_out',
  'init_lora_weights',
  'lora_alpha',
  'lora_bias',
  'peft_type',
  'r',
  'rank_pattern',
  'use_dora',
  'use_rslora',
]);

export interface AdapterConfig {
  /** adapter_config.json. */
  readonly path: string;
  /** A path, or the name of a repository of the Hub. */
  readonly base: string | undefined;
  readonly revision: string | undefined;
  /** The class of the adapted model, as far as it is known: "BertForSequenceClassification". */
  readonly architecture: string | undefined;
  /** It was trained as a classifier of texts. */
  readonly classifies: boolean;
  readonly dora: boolean;
  /** The expected rank of a module, and the factor of its product. */
  scaling(module: string): { readonly rank: number; readonly factor: number };
}

/** Throws OnnxError for another method, and for options that would change the numbers. */
export function readAdapterConfig(folder: string): AdapterConfig {
  const path = join(folder, ADAPTER_CONFIG);
  const json = existsSync(path) ? parseCheckpointJson(path, readFileSync(path, 'utf8')) : undefined;
  if (!isObject(json)) throw damaged(path, json === undefined ? 'none' : 'JSON that is not an object');
  const config = new ModelConfig(json, path, {}, INSTEAD);
  config.choice('peft_type', ['LORA']);
  for (const key of config.keys()) if (!HARMLESS.has(key) && !READ.has(key)) config.only(key, false);
  // Others change the weights of the base before they are trained on.
  config.only('init_lora_weights', true, false, 'gaussian', 'eva', 'orthogonal');
  config.choice('bias', ['none', 'all', 'lora_only'], 'none');
  config.flag('fan_in_fan_out', false);
  const rank = config.size('r', 8);
  const alpha = config.positive('lora_alpha', 8);
  const rooted = config.flag('use_rslora', false);
  const ranks = patterns(config, 'rank_pattern');
  const alphas = patterns(config, 'alpha_pattern');
  const own = isObject(json.auto_mapping) ? json.auto_mapping.base_model_class : undefined;
  return {
    path,
    base: typeof json.base_model_name_or_path === 'string' ? json.base_model_name_or_path : undefined,
    revision: typeof json.revision === 'string' ? json.revision : undefined,
    architecture: typeof own === 'string' ? own : undefined,
    classifies: json.task_type === 'SEQ_CLS',
    dora: config.flag('use_dora', false),
    scaling(module) {
      const here = ranks(module) ?? rank;
      return { rank: here, factor: (alphas(module) ?? alpha) / (rooted ? Math.sqrt(here) : here) };
    },
  };
}

/** Numbers by the end of a module's name. PEFT reads the names as regular expressions, of which only plain names are supported. */
function patterns(config: ModelConfig, key: string): (module: string) => number | undefined {
  const entries = Object.entries(config.object(key) ?? {}).map(([name, value]) => {
    if (!/^\^?[\w.-]+$/.test(name)) throw config.refuse(key, 'plain names of modules');
    if (typeof value !== 'number' || !(value > 0)) throw config.refuse(key, 'numbers above 0');
    return { name: name.replace('^', ''), whole: name.startsWith('^'), value };
  });
  return (module) =>
    entries.find(({ name, whole }) => module === name || (!whole && module.endsWith(`.${name}`)))?.value;
}
