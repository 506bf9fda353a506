import type { ActivationId, MessageRef, RunId } from '@millrace/core';
import { carriedData, inputOf, omitUndefined, textOf } from '@millrace/core';
import type { Blobs } from '../ports/blobs.ts';
import type { Activation } from './activation-projection.ts';
import { activationOf } from './activation-projection.ts';
import type { ActivationSource } from './activation-source.ts';
import { pastInput } from './past-inputs.ts';
import { readActivations } from './read-activations.ts';

/*
 * Reads the input and the result of an activation. The result is in the journal; the input of a settled activation costs
 * more, see past-inputs.ts. Lists cost less, see read-activations.ts.
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

/** Sources of an activation with its messages. */
interface DetailSource extends ActivationSource {
  readonly runs: ActivationSource['runs'] & { readonly blobs: Pick<Blobs, 'get'> };
}

/**
 * Returns one activation with its messages, or so many characters of each of them; undefined when there is no such
 * activation, or run.
 */
export async function findActivation(
  source: DetailSource,
  run: RunId,
  { id, chars }: { readonly id: ActivationId; readonly chars?: number | undefined },
): Promise<ActivationDetail | undefined> {
  const found = await readActivations(source, run, { after: Number(id.slice(1)) - 1, limit: 1 });
  const [projection] = found?.projections ?? [];
  if (found === undefined || projection?.id !== id) return undefined;
  const { now, place, ends } = found;
  const { plan, state } = now;
  const { store, runs } = source;
  const isLive = state.get(`activation/${id}`) !== undefined;
  const refs = isLive
    ? inputOf(plan, state, id)
    : await pastInput({ store, blobs: runs.blobs, run, plan, now: state }, { id, place: ends.get(id) ?? place });
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
