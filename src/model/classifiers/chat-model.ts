/** @file A chat model behind an address that answers a question about each text with one of several choices. */
import { RobustError } from '../../core/errors.js';
import { predictedLabel } from '../../core/prediction.js';
import { isPrompted, openEndpoint as open } from '../../remote/index.js';
import type { LoadOptions } from '../loaded-model.js';
import { describedEndpoint } from '../opening/describe-endpoint.js';
import { withChoices } from './endpoint-model.js';

export interface ChatQuestion {
  /** Instructions, in which `{{labels}}` stands for the list of the choices. */
  readonly prompt: string;
  readonly choices: readonly string[];
}

export interface ChatModel {
  readonly name: string;
  /** Its protocol, address and name, without secrets. */
  readonly address: string;
  /** Does no text leave this machine? */
  readonly local: boolean;
  /** Texts that it may be asked about at once. */
  readonly concurrency: number;
  /** Index of its choice; -1 if it refuses, or prefers none. Throws ModelError if it does not take this text, ModelGone if it answers no more. */
  choose(text: string): Promise<number>;
  close(): Promise<void>;
}

/** Opens a chat model by its address, or by the file that describes it. Sends no text yet. Throws RobustError ADDRESS_INVALID, ModelError. */
export async function openChatModel(
  spec: string,
  { prompt, choices }: ChatQuestion,
  { remote, patience, onWarning = () => {} }: LoadOptions,
): Promise<ChatModel> {
  const source = await describedEndpoint(spec);
  if (source === undefined || !isPrompted(source.settings))
    throw new RobustError(`expected the address of a chat model, got "${spec}"`, {
      code: 'ADDRESS_INVALID',
      hint: 'For example: openai-chat+http://127.0.0.1:8080/v1#NAME (docs/remote.md).',
    });
  const settings = { ...withChoices(source.settings, remote), prompt };
  const { endpoint, adapter, address, local } = await open(
    settings,
    { labels: choices, input: undefined, output: undefined },
    { ...(patience && { timeout: patience.seconds }), ...remote },
    { warn: onWarning, detail: (line) => remote?.onDetail?.(line) },
  );
  const name = adapter.facts.model ?? source.name;
  return {
    name,
    local,
    concurrency: settings.concurrency,
    address: `${settings.protocol}+${address}#${name}`,
    async choose(text) {
      const row = await endpoint.ask(text);
      return row === 'refused' ? -1 : predictedLabel(row);
    },
    close: () => endpoint.close(),
  };
}
