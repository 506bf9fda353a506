import type { MessageId, State } from '@millrace/core';
import { PartedMap } from '@millrace/core';
import { inSlices } from '../concurrency/in-slices.ts';

/** The ids of the messages to which a state refers. */
type ReferencedMessages = Pick<PartedMap<MessageId, true>, 'has' | 'keys' | 'size'>;

/**
 * Returns every message that a state may refer to: all texts in it that look like a message id. Keeping a body because
 * some other text looks like an id costs little; losing one would cost the run. The state is looked at as it is when this is called: a body to
 * which it does not refer then is never referred to again.
 */
export async function referencedMessages({ records, lists }: State): Promise<ReferencedMessages> {
  const found = new PartedMap<MessageId, true>();
  const parts = [...records.values(), ...[...lists.values()].map((list) => list.slice())];
  // Values are never changed, only replaced: a long list in one of them is the same later.
  await inSlices(each(parts), (value) => collect(value, found, parts));
  return found;
}

/** Yields what is in lists, and in those that are added meanwhile. */
function* each(lists: readonly (readonly unknown[])[]): Generator<unknown> {
  for (const list of lists) yield* list;
}

/** Maximum number of entries of a list that are looked at in one turn of the event loop. */
const maxAtOnce = 1000;

/** Adds the ids in a value to those that were found, and a long list in it to those that are looked at later. */
function collect(value: unknown, found: PartedMap<MessageId, true>, later: (readonly unknown[])[]): void {
  if (typeof value === 'string') {
    if (isMessageId(value)) found.set(value, true);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) for (const key in value) collect(Reflect.get(value, key), found, later);
  else if (value.length > maxAtOnce) later.push(value);
  else for (const part of value) collect(part, found, later);
}

const letterM = 'm'.charCodeAt(0);

/** The state of a large fan-out has hundreds of thousands of texts, of which the first letter tells most apart. */
const isMessageId = (text: string): text is MessageId => text.charCodeAt(0) === letterM && /^m\d+$/.test(text);
