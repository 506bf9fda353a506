import type { ActivationId, InputRef, MessageRef, RunId } from '@millrace/core';
import { carriedData, inputOf, omitUndefined, textOf } from '@millrace/core';
import type { Activation } from './activation-projection.ts';
import { activationOf } from './activation-projection.ts';
import type { ActivationSource } from './activation-source.ts';
import { foldFrom } from './past-states.ts';
import type { ReadActivations } from './read-activations.ts';
import { readActivations } from './read-activations.ts';

/*
 * Reads the input and the result of an activation. The state forgets an activation when it has settled; the journal
 * does not. So for the input of a settled activation the journal is folded again, up to the event that settled it: from
 * its beginning the first time, afterwards from a copy of the state nearby, see past-states.ts. Lists cost less, see
 * read-activations.ts.
 */

/** An activation and its messages. */
export interface ActivationDetail extends Activation {
  /** Complete input of the node: the messages in its inbox and those that its context has kept. */
  readonly input: readonly ActivationMessage[];
  readonly output: readonly ActivationMessage[];
}

/** A message of an activation with its text, or the beginning of it. */
export interface ActivationMessage extends Pick<MessageRef, 'id' | 'role' | 'source'> {
  readonly text: string;
  /** The message stays in the context of its node. */
  readonly keep: boolean;
  /** Size of the whole message in bytes, if only its beginning was read. */
  readonly size?: number;
  /** Structured data that the message carries, as far as they are short. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/**
 * Returns one activation with its messages, or so many characters of each of them; undefined when there is no such
 * activation, or run.
 */
export async function findActivation(
  source: ActivationSource,
  run: RunId,
  { id, chars }: { readonly id: ActivationId; readonly chars?: number | undefined },
): Promise<ActivationDetail | undefined> {
  const found = await readActivations(source, run, { after: Number(id.slice(1)) - 1, limit: 1 });
  const [projection] = found?.projections ?? [];
  if (found === undefined || projection?.id !== id) return undefined;
  const { now } = found;
  const isLive = now.state.get(`activation/${id}`) !== undefined;
  const refs = isLive ? inputOf(now.plan, now.state, id) : await settledInput({ source, run, found }, id);
  const activation = activationOf(projection, now);
  const read = chars === undefined ? wholeMessages : headsOfMessages(chars);
  return { ...activation, input: await read(source, run, refs), output: await read(source, run, projection.outputs) };
}

type ReadMessages = (
  source: ActivationSource,
  run: RunId,
  refs: readonly MessageRef[],
) => Promise<readonly ActivationMessage[]>;

const wholeMessages: ReadMessages = async ({ runs }, run, refs) => {
  const messages = await runs.messages(run, refs);
  return refs.map((ref, at) => {
    const message = messages[at] ?? { content: '' };
    return { ...activationMessageOf(ref, textOf(message)), ...omitUndefined({ data: carriedData(message) }) };
  });
};

const headsOfMessages =
  (chars: number): ReadMessages =>
  async ({ runs }, run, refs) => {
    const heads = await runs.heads(run, refs, chars);
    return refs.map((ref, at) => {
      const { text = '', size = 0, data } = heads[at] ?? {};
      return { ...activationMessageOf(ref, text), size, ...omitUndefined({ data }) };
    });
  };

const activationMessageOf = ({ id, role, source, keep }: MessageRef, text: string): ActivationMessage => ({
  id,
  role,
  source,
  keep: keep === true,
  text,
});

interface ActivationOwner {
  readonly source: ActivationSource;
  readonly run: RunId;
  readonly found: ReadActivations;
}

/** Returns the input of a settled activation as it was before the event that settled it. */
async function settledInput({ source, run, found }: ActivationOwner, id: ActivationId): Promise<readonly InputRef[]> {
  const { now, place } = found;
  const { plan } = now;
  let input: readonly InputRef[] = [];
  let wasLive = false;
  await foldFrom({ store: source.store, run, plan, now: now.state }, place, (state, { event }) => {
    const isLive = state.get(`activation/${id}`) !== undefined;
    if (isLive && 'activation' in event && event.activation === id) input = inputOf(plan, state, id);
    const hasSettled = wasLive && !isLive;
    wasLive = isLive;
    return !hasSettled;
  });
  return input;
}
