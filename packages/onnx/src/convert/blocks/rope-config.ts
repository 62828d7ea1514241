/** @file The rotary positions that a config describes: `rope_parameters` since transformers 5, `rope_theta` and `rope_scaling` before. */
import { must } from '../../errors.js';
import { isObject, type JsonObject } from '../../json.js';
import { ModelConfig } from '../config.js';
import { exponents, plainRates, type Rotation } from './rotary.js';

export interface RotaryFacts {
  /** Width of a head. */
  readonly size: number;
  /** The base where the config has none. @default 10,000 */
  readonly theta?: number;
  /** The key of the base beside `rope_scaling`. @default "rope_theta" */
  readonly thetaKey?: string;
  /** The share of a head that turns, where the config does not say it; absent where all of it always turns. */
  readonly share?: number;
  /** The key of the share beside `rope_scaling`. @default "partial_rotary_factor" */
  readonly shareKey?: string;
  /** The scalings that the family knows, by the names that its configs have for them. @default all, by their own names */
  readonly names?: Readonly<Record<string, string>>;
  /** Tokens that the model was trained with before it was scaled, where the config does not say it. @default max_position_embeddings */
  readonly trained?: number;
}

/** Inputs of a scaling. */
interface ScalingInputs {
  readonly rope: ModelConfig;
  /** Turning coordinates of a head. */
  readonly size: number;
  readonly theta: number;
  /** Tokens the model takes, and those that it was trained with before it was scaled. */
  readonly most: number;
  readonly trained: number;
}

interface Scaling {
  /** Keys besides the type, the base and the share. */
  readonly keys: readonly string[];
  readonly rotation: (scaled: ScalingInputs) => Rotation;
}

const f32 = Math.fround;

/** How far apart two wavelengths or dimensions are at least, so that a ramp between them has a slope. */
const LEAST_RAMP = 0.001;

function llama3({ rope, size, theta, trained }: ScalingInputs): Rotation {
  const factor = rope.positive('factor');
  const [low, high] = [rope.positive('low_freq_factor'), rope.positive('high_freq_factor')];
  const scaled = (rate: number): number => {
    const wavelength = f32((2 * Math.PI) / rate);
    if (wavelength > trained / low) return f32(rate / factor);
    if (wavelength < trained / high) return rate;
    const smooth = f32(f32(f32(trained / wavelength) - low) / (high - low));
    return f32(f32(f32(f32(1 - smooth) * rate) / factor) + f32(smooth * rate));
  };
  return { rates: plainRates(size, theta).map(scaled) };
}

/** YaRN (Peng et al. 2023): slow coordinates are interpolated, fast ones are kept, with a ramp between them. */
function yarn({ rope, size, theta, trained, most }: ScalingInputs): Rotation {
  const factor = rope.has('factor') ? rope.positive('factor') : most / trained;
  const growth = (by = 1): number => (factor <= 1 ? 1 : 0.1 * by * Math.log(factor) + 1);
  const scales = ['mscale', 'mscale_all_dim'].map((key) => (rope.has(key) ? rope.number(key) : 0));
  const [all, inner] = scales as [number, number];
  const usual = all !== 0 && inner !== 0 ? growth(all) / growth(inner) : growth();
  const scale = rope.has('attention_factor') ? rope.positive('attention_factor') : usual;
  const dimension = (turns: number): number =>
    (size * Math.log(trained / (turns * 2 * Math.PI))) / (2 * Math.log(theta));
  const whole = rope.flag('truncate', true);
  const fast = dimension(rope.positive('beta_fast', 32));
  const slow = dimension(rope.positive('beta_slow', 1));
  const from = Math.max(whole ? Math.floor(fast) : fast, 0);
  const end = Math.min(whole ? Math.ceil(slow) : slow, size - 1);
  const to = from === end ? end + LEAST_RAMP : end;
  const rates = exponents(size).map((exponent, i) => {
    const wave = f32(f32(theta) ** exponent);
    const kept = f32(1 - Math.min(1, Math.max(0, f32(f32(i - from) / f32(to - from)))));
    return f32(f32(f32(1 / f32(factor * wave)) * f32(1 - kept)) + f32(f32(1 / wave) * kept));
  });
  return { rates, scale };
}

/** LongRoPE (Ding et al. 2024): a factor for each pair of coordinates, others for texts longer than those of the training. */
function longrope({ rope, size, theta, trained, most }: ScalingInputs): Rotation {
  const factor = rope.has('factor') ? rope.positive('factor') : most / trained;
  const usual = factor <= 1 ? 1 : Math.sqrt(1 + Math.log(factor) / Math.log(trained));
  const rates = (key: string): number[] => {
    const factors = rope.numbers(key, Math.ceil(size / 2));
    return exponents(size).map((exponent, i) => f32(1 / f32(f32(must(factors[i])) * f32(f32(theta) ** exponent))));
  };
  return {
    rates: rates('short_factor'),
    beyond: { tokens: trained, rates: rates('long_factor') },
    scale: rope.has('attention_factor') ? rope.positive('attention_factor') : usual,
  };
}

const TRAINED = 'original_max_position_embeddings';

const SCALINGS: Readonly<Record<string, Scaling>> = {
  default: { keys: [], rotation: ({ size, theta }) => ({ rates: plainRates(size, theta) }) },
  linear: {
    keys: ['factor'],
    rotation: ({ rope, size, theta }) => {
      const factor = rope.positive('factor');
      return { rates: plainRates(size, theta).map((rate) => f32(rate / factor)) };
    },
  },
  dynamic: {
    keys: ['factor'],
    rotation: ({ rope, size, theta, most }) => ({
      rates: plainRates(size, theta),
      grows: { tokens: most, factor: rope.positive('factor'), base: theta, size },
    }),
  },
  llama3: { keys: ['factor', 'low_freq_factor', 'high_freq_factor', TRAINED], rotation: llama3 },
  yarn: {
    keys: [
      ...['factor', 'attention_factor', 'beta_fast', 'beta_slow', 'mscale', 'mscale_all_dim', 'truncate'],
      TRAINED,
    ],
    rotation: yarn,
  },
  longrope: { keys: ['factor', 'attention_factor', 'short_factor', 'long_factor', TRAINED], rotation: longrope },
};

const OWN_NAMES = Object.fromEntries(Object.keys(SCALINGS).map((name) => [name, name]));

/** The rotation that the config describes. Throws OnnxError for a scaling, or a key of one, that is not known. */
export function rotationOf(config: ModelConfig, facts: RotaryFacts): Rotation {
  const key = isObject(config.raw('rope_scaling')) ? 'rope_scaling' : 'rope_parameters';
  return rotationBy(config, key, config.object(key) ?? {}, facts);
}

/** The type of each layer, by the config or by a rule: "full_attention" or "sliding_attention". */
export function layerType(config: ModelConfig, layer: number, otherwise: (layer: number) => boolean): string {
  if (!config.has('layer_types')) return otherwise(layer) ? 'sliding_attention' : 'full_attention';
  const types = config.list('layer_types');
  const type = types[layer] ?? '';
  if (types.length === config.count('num_hidden_layers') && TYPES.includes(type)) return type;
  throw config.refuse('layer_types', 'full_attention or sliding_attention, one for each layer');
}

/**
 * The rotation of layers of a type, where each type has its own: an object of `rope_parameters` by the type's name since transformers 5, keys
 * of the config before. `scaling` is an older key's value that changes it.
 */
export function rotationOfType(config: ModelConfig, type: string, facts: RotaryFacts, scaling?: unknown): Rotation {
  const given = objectOf(config.raw('rope_parameters'));
  if (Object.keys(given).some((key) => !TYPES.includes(key)))
    throw config.refuse('rope_parameters', 'an object for full_attention and one for sliding_attention');
  const json = { ...objectOf(given[type]), ...objectOf(scaling) };
  if ('truncate' in json) throw config.refuse('rope_parameters', 'no key "truncate" inside of a type of layers');
  return rotationBy(config, `rope_parameters.${type}`, json, facts);
}

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

const TYPES = ['full_attention', 'sliding_attention'];

/** The rotation that an object of the config describes; `key` is its place, for errors. */
function rotationBy(config: ModelConfig, key: string, json: JsonObject, facts: RotaryFacts): Rotation {
  const { size, theta: usual = 10_000, thetaKey = 'rope_theta', names = OWN_NAMES } = facts;
  const named = { ...json, rope_type: json.rope_type ?? json.type ?? 'default' };
  const rope = new ModelConfig(named, `${config.path}: ${key}`);
  const scaling = must(SCALINGS[must(names[rope.choice('rope_type', Object.keys(names))])]);
  const known = ['type', 'rope_type', 'rope_theta', 'partial_rotary_factor', ...scaling.keys];
  for (const each of rope.keys()) if (!known.includes(each)) rope.only(each);
  const beside = config.positive(thetaKey, usual);
  const theta = rope.has('rope_theta') ? rope.positive('rope_theta') : beside;
  const turning = Math.trunc(size * shareOf(config, rope, facts));
  const most = config.has('max_position_embeddings') ? config.size('max_position_embeddings') : facts.trained;
  const inside = rope.has(TRAINED) ? rope.size(TRAINED) : (facts.trained ?? most);
  const trained = config.has(TRAINED) ? config.size(TRAINED) : inside;
  if (most === undefined || trained === undefined) throw config.refuse('max_position_embeddings', 'a number of tokens');
  return scaling.rotation({ rope, size: turning, theta, most, trained });
}

/** The share of a head that turns. A family whose heads turn whole has no other. */
function shareOf(
  config: ModelConfig,
  rope: ModelConfig,
  { share, shareKey = 'partial_rotary_factor' }: RotaryFacts,
): number {
  if (share === undefined) {
    for (const each of [rope, config]) each.only('partial_rotary_factor', 1);
    return 1;
  }
  const beside = config.positive(shareKey, share);
  return rope.has('partial_rotary_factor') ? rope.positive('partial_rotary_factor') : beside;
}
