/** @file The families of models that can be converted. */
import { didYouMean } from '../../did-you-mean.js';
import { OnnxError } from '../../errors.js';
import type { Family } from '../family.js';
import { albert } from './albert.js';
import { barts } from './bart.js';
import { bert, electra, ernie, megatronBert, rembert, robertas } from './bert.js';
import { bigBird } from './big-bird.js';
import { bloom } from './bloom.js';
import { convbert } from './convbert.js';
import { deberta, debertaV2 } from './deberta.js';
import { distilbert } from './distilbert.js';
import { eurobert } from './eurobert.js';
import { gemmas } from './gemma.js';
import { gptNeox } from './gpt-neox.js';
import { gpt2 } from './gpt2.js';
import { llamas, phi3, qwens } from './llama.js';
import { mobilebert } from './mobilebert.js';
import { modernbert } from './modernbert.js';
import { mpnet } from './mpnet.js';
import { nomicBert } from './nomic-bert.js';
import { opt } from './opt.js';
import { longformer, luke, xmod } from './roberta-kin.js';
import { roformer } from './roformer.js';
import { squeezebert } from './squeezebert.js';
import { t5s } from './t5.js';
import { xlnet } from './xlnet.js';

export const families: readonly Family[] = [
  [bert, distilbert, ...robertas, electra, longformer, albert, mpnet, debertaV2, modernbert, mobilebert, squeezebert],
  [gpt2, ...barts, xlnet, ...llamas, ...qwens, ...gemmas, phi3, gptNeox, opt, bloom],
  [ernie, megatronBert, rembert, roformer, convbert, deberta, bigBird, nomicBert, eurobert, luke, xmod, ...t5s],
].flat();

/** The family of a `model_type`. */
export const familyOfType = (type: string): Family | undefined => families.find(({ types }) => types.includes(type));

const EXPORT = 'Export the model to ONNX where its own code runs, such as with Optimum, and name the .onnx file.';

/** The family of a config.json. Throws OnnxError, also for a model whose code is not that of transformers (`auto_map`). */
export function familyOf({ model_type, auto_map }: Readonly<Record<string, unknown>>, path: string): Family {
  const found = familyOfType(model_type as string);
  const own = found?.ownCode
    ? undefined
    : Object.entries(auto_map ?? {}).find(([name]) => name.startsWith('AutoModel'))?.[1];
  if (own !== undefined)
    throw new OnnxError(
      `${path}: auto_map: expected a model that transformers itself defines, got one with code of its own: ${JSON.stringify(own).slice(0, 100)}`,
      { code: 'MODEL_UNSUPPORTED', hint: EXPORT },
    );
  if (found !== undefined) return found;
  const known = families.flatMap(({ types }) => types);
  throw new OnnxError(
    `${path}: model_type: expected a family that can be converted, got ${model_type === undefined ? 'nothing' : JSON.stringify(model_type).slice(0, 100)}`,
    {
      code: 'MODEL_UNSUPPORTED',
      hint:
        typeof model_type === 'string'
          ? `${didYouMean(model_type, known)} ${EXPORT}`
          : 'Fetch the config.json that belongs to the weights.',
    },
  );
}
