"""Random configurations of encoders and decoders with their answers and gradients, by Hugging Face transformers: FOLDER SEED COUNT [FAMILIES]."""

import inspect
import json
import os
import random
import sys

import torch
import transformers as T

T.logging.set_verbosity_error()
torch.set_num_threads(1)
ACTIVATIONS = ['gelu', 'gelu_new', 'relu', 'silu', 'gelu_fast', 'quick_gelu', 'mish']
T5 = {'t5': 'T5Config', 'mt5': 'MT5Config', 'umt5': 'UMT5Config'}
UNTYPED = ('luke', 'xmod')


def base(r, types=2, pad=0):
    heads = r.choice([1, 2, 3, 4])
    return dict(
        vocab_size=60,
        hidden_size=heads * r.choice([4, 6, 8]),
        num_attention_heads=heads,
        num_hidden_layers=r.choice([1, 2, 3]),
        intermediate_size=r.choice([10, 24, 33]),
        hidden_act=r.choice(ACTIVATIONS),
        max_position_embeddings=r.choice([30, 48]),
        layer_norm_eps=r.choice([1e-12, 1e-5, 1e-3]),
        type_vocab_size=types,
        pad_token_id=pad,
        num_labels=r.choice([1, 2, 3, 5]),
    )


def coin(r, share=0.5):
    return r.random() < share


def convbert(r):
    options = {**base(r), 'num_attention_heads': r.choice([2, 4, 6]), 'hidden_size': r.choice([24, 48])}
    options['intermediate_size'] = r.choice([24, 36])
    return T.ConvBertConfig(
        **options,
        embedding_size=r.choice([options['hidden_size'], 16]),
        head_ratio=r.choice([1, 2, 8]),
        conv_kernel_size=r.choice([1, 3, 5, 9]),
        num_groups=r.choice([1, 2, 3]),
    )


def deberta(r):
    relative = coin(r, 0.85)
    return T.DebertaConfig(
        **base(r, types=r.choice([0, 2])),
        relative_attention=relative,
        pos_att_type=r.choice([['c2p'], ['p2c'], ['c2p', 'p2c'], 'p2c|c2p', []] if relative else [['c2p'], None]),
        max_relative_positions=r.choice([-1, 4, 9, 64]),
        position_biased_input=coin(r),
        pooler_hidden_act=r.choice(ACTIVATIONS + ['tanh']),
    )


def eurobert(r):
    options = base(r)
    del options['type_vocab_size'], options['layer_norm_eps']
    groups = [each for each in (1, 2, 3, 4) if options['num_attention_heads'] % each == 0]
    return T.EuroBertConfig(
        **options,
        num_key_value_heads=r.choice(groups),
        head_dim=r.choice([None, 4, 12]),
        attention_bias=coin(r),
        mlp_bias=coin(r),
        rms_norm_eps=r.choice([1e-5, 1e-3]),
        classifier_pooling=r.choice(['bos', 'mean', 'late']),
        rope_parameters={'rope_type': 'default', 'rope_theta': r.choice([250000.0, 10000.0])},
    )


def xmod(r):
    languages = r.choice([['en_XX'], ['de_DE', 'en_XX', 'zh_CN']])
    return T.XmodConfig(
        **base(r, types=r.choice([1, 2]), pad=1),
        pre_norm=coin(r),
        adapter_reduction_factor=r.choice([1, 2, 3]),
        adapter_layer_norm=coin(r, 0.4),
        adapter_reuse_layer_norm=coin(r, 0.6),
        ln_before_adapter=coin(r),
        languages=languages,
        default_language=r.choice(languages),
    )


def t5(r, name):
    return getattr(T, T5[name])(
        vocab_size=60,
        d_model=r.choice([12, 16]),
        d_kv=r.choice([4, 6]),
        d_ff=r.choice([10, 24]),
        num_layers=r.choice([1, 2, 3]),
        num_decoder_layers=r.choice([None, 1, 2]),
        num_heads=r.choice([1, 2, 3]),
        relative_attention_num_buckets=r.choice([8, 12, 32]),
        relative_attention_max_distance=r.choice([20, 40, 128]),
        layer_norm_epsilon=r.choice([1e-6, 1e-3]),
        feed_forward_proj=r.choice(['relu', 'gated-gelu', 'gated-silu', 'gelu']),
        eos_token_id=r.choice([1, 3]),
        pad_token_id=0,
        decoder_start_token_id=r.choice([0, 5]),
        num_labels=r.choice([1, 2, 3, 5]),
    )


GATED = ['silu', 'gelu', 'relu', 'gelu_pytorch_tanh', 'gelu_new', 'quick_gelu']


def rope(r, size, kinds=('default', 'linear', 'dynamic', 'llama3', 'yarn'), theta=None):
    kind = r.choice(kinds)
    found = dict(rope_type=kind, rope_theta=theta or r.choice([10000.0, 500000.0, 100.0]))
    if kind != 'default':
        found['factor'] = r.choice([1.5, 2.0, 4.0])
    if kind == 'llama3':
        found.update(low_freq_factor=1.0, high_freq_factor=r.choice([2.0, 4.0]), original_max_position_embeddings=16)
    if kind == 'yarn':
        found['original_max_position_embeddings'] = 16
        if coin(r):
            found.update(beta_fast=r.choice([32.0, 8.0]), beta_slow=r.choice([1.0, 2.0]))
        if coin(r, 0.3):
            found.update(attention_factor=1.2)
        elif coin(r, 0.4):
            found.update(mscale=1.0, mscale_all_dim=r.choice([0.5, 1.0]))
        if coin(r, 0.3):
            found['truncate'] = False
    if kind == 'longrope':
        del found['factor']
        found['original_max_position_embeddings'] = 16
        found['short_factor'] = [1 + r.random() for _ in range(size // 2)]
        found['long_factor'] = [1 + 3 * r.random() for _ in range(size // 2)]
    return found


def decoder(r, size=None, **more):
    heads = r.choice([1, 2, 3, 4])
    hidden = heads * r.choice([4, 6, 8])
    groups = [each for each in (1, 2, 3, 4) if heads % each == 0]
    return {
        **dict(vocab_size=60, hidden_size=hidden, num_attention_heads=heads, num_key_value_heads=r.choice(groups)),
        **dict(num_hidden_layers=r.choice([1, 2, 3]), intermediate_size=r.choice([10, 24, 33])),
        **dict(max_position_embeddings=r.choice([30, 48]), pad_token_id=r.choice([0, 1, None])),
        **dict(num_labels=r.choice([1, 2, 3, 5]), rms_norm_eps=r.choice([1e-6, 1e-3]), hidden_act=r.choice(GATED)),
        **dict(tie_word_embeddings=coin(r)),
        **more,
    }


def rotary(r, kinds=None, free=True, **more):
    options = decoder(r, **more)
    own = options['hidden_size'] // options['num_attention_heads']
    size = r.choice([own, 4, 12]) if free else own
    if free:
        options['head_dim'] = size
    options['rope_parameters'] = rope(r, size, *([kinds] if kinds else []))
    return options


def layers(r, options, names=('sliding_attention', 'full_attention')):
    return [r.choice(names) for _ in range(options['num_hidden_layers'])]


def qwen(r, config):
    options = rotary(r, free=config == 'Qwen3Config', use_sliding_window=coin(r), sliding_window=r.choice([3, 8]))
    options['max_window_layers'] = r.choice([0, 1, 2])
    if config == 'Qwen3Config':
        options['attention_bias'] = coin(r)
    return getattr(T, config)(**options)


def gemma(r, config):
    options = rotary(r, ('default', 'linear', 'yarn') if config != 'Gemma3TextConfig' else None)
    del options['hidden_act']
    if config == 'GemmaConfig':
        return T.GemmaConfig(**options, hidden_activation='gelu_pytorch_tanh', attention_bias=coin(r))
    options.update(query_pre_attn_scalar=r.choice([4, 16, 100]), sliding_window=r.choice([3, 8]))
    options.update(hidden_activation=r.choice(GATED), attention_bias=coin(r), layer_types=layers(r, options))
    options['attn_logit_softcapping'] = r.choice([None, 1.0, 30.0]) if config == 'Gemma2Config' else None
    if config == 'Gemma3TextConfig':
        size = options['head_dim']
        full = rope(r, size, ('default', 'linear'), 1000000.0)
        options['rope_parameters'] = dict(full_attention=full, sliding_attention=rope(r, size, ('default',), 10000.0))
    return getattr(T, config)(**options)


def phi3(r):
    options = rotary(r, free=False, sliding_window=r.choice([None, 3, 8]), original_max_position_embeddings=16)
    own = options['hidden_size'] // options['num_attention_heads']
    share = r.choice([1.0, 0.5]) if own % 4 == 0 else 1.0
    options['rope_parameters'] = dict(rope(r, int(own * share), ('default', 'longrope')), partial_rotary_factor=share)
    return T.Phi3Config(**options)


def gpt_neox(r):
    options = decoder(r, layer_norm_eps=r.choice([1e-5, 1e-3]))
    del options['num_key_value_heads'], options['rms_norm_eps']
    own = options['hidden_size'] // options['num_attention_heads']
    share = r.choice([1.0, 0.5]) if own % 4 == 0 else 1.0
    options['rope_parameters'] = dict(rope(r, int(own * share), ('default', 'linear')), partial_rotary_factor=share)
    options.update(use_parallel_residual=coin(r), attention_bias=coin(r), hidden_act=r.choice(ACTIVATIONS))
    return T.GPTNeoXConfig(**options)


def opt(r):
    options = decoder(r, activation_function=r.choice(ACTIVATIONS), do_layer_norm_before=coin(r), ffn_dim=20)
    for key in ('num_key_value_heads', 'rms_norm_eps', 'hidden_act', 'intermediate_size'):
        del options[key]
    options.update(word_embed_proj_dim=r.choice([options['hidden_size'], 10]), enable_bias=coin(r, 0.7))
    options.update(layer_norm_elementwise_affine=coin(r, 0.7), _remove_final_layer_norm=coin(r, 0.3))
    return T.OPTConfig(**{**options, 'pad_token_id': 1})


def bloom(r):
    options = decoder(r)
    return T.BloomConfig(
        vocab_size=60,
        hidden_size=options['hidden_size'],
        n_head=options['num_attention_heads'],
        n_layer=options['num_hidden_layers'],
        layer_norm_epsilon=r.choice([1e-5, 1e-3]),
        apply_residual_connection_post_layernorm=coin(r),
        pad_token_id=r.choice([0, 3]),
        num_labels=options['num_labels'],
    )


def gpt2(r):
    heads = r.choice([1, 2, 3])
    return T.GPT2Config(
        vocab_size=60,
        n_positions=r.choice([30, 48]),
        n_embd=heads * r.choice([4, 8]),
        n_head=heads,
        n_layer=r.choice([1, 2, 3]),
        n_inner=r.choice([None, 10]),
        activation_function=r.choice(ACTIVATIONS),
        scale_attn_weights=coin(r, 0.7),
        scale_attn_by_inverse_layer_idx=coin(r),
        reorder_and_upcast_attn=coin(r, 0.3),
        layer_norm_epsilon=r.choice([1e-5, 1e-3]),
        pad_token_id=r.choice([0, 1]),
        num_labels=r.choice([1, 2, 3]),
    )


DECODERS = {
    'llama': lambda r: T.LlamaConfig(**rotary(r, attention_bias=coin(r), mlp_bias=coin(r))),
    'mistral': lambda r: T.MistralConfig(**rotary(r, sliding_window=r.choice([None, 3, 8]))),
    'qwen2': lambda r: qwen(r, 'Qwen2Config'),
    'qwen3': lambda r: qwen(r, 'Qwen3Config'),
    'gemma': lambda r: gemma(r, 'GemmaConfig'),
    'gemma2': lambda r: gemma(r, 'Gemma2Config'),
    'gemma3_text': lambda r: gemma(r, 'Gemma3TextConfig'),
    'phi3': phi3,
    'gpt_neox': gpt_neox,
    'opt': opt,
    'bloom': bloom,
    'gpt2': gpt2,
}
FAMILIES = {
    **DECODERS,
    'ernie': lambda r: T.ErnieConfig(
        **base(r), use_task_id=coin(r, 0.6), task_type_vocab_size=r.choice([1, 3, 4])
    ),
    'megatron-bert': lambda r: T.MegatronBertConfig(**base(r)),
    'rembert': lambda r: T.RemBertConfig(
        **base(r), input_embedding_size=r.choice([8, 10, 16]), output_embedding_size=12
    ),
    'roformer': lambda r: T.RoFormerConfig(**base(r), embedding_size=r.choice([None, 8, 16]), rotary_value=coin(r)),
    'convbert': convbert,
    'deberta': deberta,
    'big_bird': lambda r: T.BigBirdConfig(
        **base(r),
        attention_type=r.choice(['original_full', 'block_sparse']),
        block_size=8,
        num_random_blocks=2,
        use_bias=coin(r),
        rescale_embeddings=coin(r),
    ),
    'nomic_bert': lambda r: T.NomicBertConfig(
        **base(r),
        head_dim=r.choice([None, 4, 10]),
        rope_parameters={'rope_type': 'default', 'rope_theta': r.choice([1000.0, 10000.0, 50.0])},
    ),
    'eurobert': eurobert,
    'luke': lambda r: T.LukeConfig(
        **base(r, pad=1), entity_vocab_size=9, entity_emb_size=r.choice([6, 8]), use_entity_aware_attention=coin(r)
    ),
    'xmod': xmod,
    **{name: (lambda r, name=name: t5(r, name)) for name in T5},
}


@torch.no_grad()
def scatter(model, deviation):
    for name, weight in model.named_parameters():
        if 'embed_positions' in name:
            continue
        if weight.dim() > 1:
            weight.normal_(0, deviation)
        elif 'norm' in name.lower() or '.ln.' in name:
            weight.add_(torch.randn_like(weight) * 0.1)
        else:
            weight.normal_(0, 0.1)


def words_of(model, family):
    if family in T5:
        return [model.transformer.encoder.embed_tokens, model.transformer.decoder.embed_tokens]
    return [model.get_input_embeddings()]


def answer(model, config, family, length, r):
    end = config.eos_token_id if family in T5 else 2
    ids = [r.randrange(6, 60) for _ in range(length - 1)] + [end]
    if family in T5 and length > 3 and coin(r):
        ids[2] = end
    takes = 'token_type_ids' in inspect.signature(model.forward).parameters and getattr(config, 'type_vocab_size', 0)
    types = [int(takes > 1 and family not in UNTYPED and at >= length // 2) for at in range(length)]
    tensor = torch.tensor([ids])
    fed = dict(input_ids=tensor, attention_mask=torch.ones_like(tensor))
    if takes:
        fed['token_type_ids'] = torch.tensor([types])
    kept = []

    def keep(module, inputs, output):
        output.retain_grad()
        # Some tables scale the rows that they look up.
        kept.append((output, float(getattr(module, 'embed_scale', 1))))

    model.zero_grad()
    hooks = [module.register_forward_hook(keep) for module in words_of(model, family)]
    logits = model(**fed).logits
    for hook in hooks:
        hook.remove()
    case = dict(ids=ids, types=types, logits=logits[0].tolist())
    if config.num_labels == 1:
        return case
    label = r.randrange(config.num_labels)
    loss = torch.nn.functional.cross_entropy(logits, torch.tensor([label]))
    loss.backward()
    weights = {
        name: None if weight.grad is None else dict(norm=weight.grad.norm().item())
        for name, weight in model.named_parameters()
    }
    grads = [(scale * each.grad[0]).tolist() for each, scale in kept]
    return {**case, 'label': label, 'loss': loss.item(), 'grads': grads, 'weights': weights}


def save(model, place):
    model.save_pretrained(place)
    if model.config.model_type in DECODERS:
        # What the answers are computed with, which the caps of Gemma 2 depend on; transformers does not save it.
        path = os.path.join(place, 'config.json')
        with open(path) as file:
            saved = json.load(file)
        with open(path, 'w') as file:
            json.dump({**saved, 'attn_implementation': 'eager'}, file)


@torch.no_grad()
def tag(config, place, lengths, r):
    """The same configuration with a head for each token, where transformers has one; of T5 it has an encoder alone."""
    if type(config) not in T.MODEL_FOR_TOKEN_CLASSIFICATION_MAPPING or config.model_type in T5:
        return
    model = T.AutoModelForTokenClassification.from_config(config, attn_implementation='eager').eval()
    scatter(model, 0.2)
    save(model, place)
    cases = []
    for length in lengths:
        ids = [r.randrange(6, 60) for _ in range(length)]
        tensor = torch.tensor([ids])
        logits = model(input_ids=tensor, attention_mask=torch.ones_like(tensor)).logits
        cases.append(dict(ids=ids, types=[0] * length, logits=logits.flatten().tolist()))
    with open(os.path.join(place, 'golden.json'), 'w') as file:
        json.dump(cases, file)


def main(folder, seed, count, families):
    for family in families:
        for at in range(count):
            r = random.Random(f'{family} {seed} {at}')
            torch.manual_seed(seed * 1000 + at)
            config = FAMILIES[family](r)
            model = T.AutoModelForSequenceClassification.from_config(config, attn_implementation='eager').eval()
            scatter(model, 0.2)
            place = os.path.join(folder, f'{family}-{seed}-{at}')
            os.makedirs(place, exist_ok=True)
            save(model, place)
            model = T.AutoModelForSequenceClassification.from_pretrained(place, attn_implementation='eager').eval()
            longest = getattr(config, 'max_position_embeddings', 60) - 4
            cases = [answer(model, config, family, length, r) for length in (1, 2, 7, longest)]
            names = set(T.modeling_utils.load_state_dict(os.path.join(place, 'model.safetensors')))
            for case in cases:
                for name in names if 'weights' in case else ():
                    case['weights'].setdefault(name, None)
            with open(os.path.join(place, 'golden.json'), 'w') as file:
                json.dump(cases, file)
            tag(config, f'{place}-tags', (1, 2, 7, longest), r)


if __name__ == '__main__':
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4].split(',') if len(sys.argv) > 4 else FAMILIES)
