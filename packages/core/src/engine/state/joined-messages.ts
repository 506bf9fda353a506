import type { MessageRef } from '../../model/messages/message.ts';
import type { JoinedDelivery, JoinedInboxEntry, JoinedMessage } from '../records/fan-out-records.ts';
import type { InboxKey, JoinedKey, OutputsKey, PendingKey, ResultKey } from '../records/keys.ts';
import type { InboxEntry, PendingEntry } from '../records/records.ts';
import type { Draft, StateView } from './state.ts';

/*
 * A fan-out of very many units puts out very many messages. They are put in order part by part, in lists under its scope, and
 * stay there: the commit in which the fan-out ends adds one entry to the inbox of each node that gets them, or to the outputs
 * of its own node, which stands for such a list. So that commit is small however many units there were. Whoever reads a
 * list with such entries reads the messages in their place; whoever removes the entries removes the messages.
 */

interface Reference {
  readonly joined: JoinedKey;
}

const isReference = (entry: object): entry is Reference => 'joined' in entry;

/** Returns the messages of one kind in the inbox of a node, oldest first. */
export function inboxMessages(state: StateView, key: InboxKey): readonly InboxEntry[] {
  const entries = state.list(key);
  if (!entries.some(isReference)) return entries as readonly InboxEntry[];
  const messages: InboxEntry[] = [];
  for (const entry of entries) {
    if (isReference(entry)) for (const one of state.list(entry.joined)) messages.push(entryOf(one, entry.n));
    else messages.push(entry);
  }
  return messages;
}

/** Names each field: copying hundreds of thousands of messages by spreads takes a turn of the event loop many times as long. */
function entryOf({ id, role, source, keep, dynamic, n }: JoinedMessage, first: number): InboxEntry {
  const entry: { -readonly [Field in keyof InboxEntry]: InboxEntry[Field] } = { n: first + n, id, role, source };
  if (keep !== undefined) entry.keep = keep;
  if (dynamic !== undefined) entry.dynamic = dynamic;
  return entry;
}

/** Returns the outputs of a node whose graph returns all of them, oldest first. */
export function outputMessages(state: StateView, key: OutputsKey): readonly MessageRef[] {
  const entries = state.list(key);
  if (!entries.some(isReference)) return entries as readonly MessageRef[];
  const messages: MessageRef[] = [];
  for (const entry of entries) {
    if (isReference(entry)) for (const one of state.list(entry.joined)) messages.push(one);
    else messages.push(entry);
  }
  return messages;
}

/** Returns the number of messages of one kind in the inbox of a node. */
export function countMessages(draft: Draft, key: InboxKey): number {
  let count = draft.size(key);
  for (const entry of draft.list(key)) if (isReference(entry)) count += draft.size(entry.joined) - 1;
  return count;
}

/** Adds an entry that stands for a list to the inbox of a node. */
export function appendReference(draft: Draft, key: InboxKey, entry: JoinedInboxEntry): void {
  draft.assertFits(key, countMessages(draft, key) + draft.size(entry.joined));
  draft.append(key, [entry]);
}

/** Keeps only the newest messages of one kind in the inbox of a node. */
export function trimMessages(draft: Draft, key: InboxKey, keep: number): void {
  if (!draft.list(key).some(isReference)) return draft.trim(key, keep);
  if (countMessages(draft, key) <= keep) return;
  const left = keep === 0 ? [] : inboxMessages(draft, key).slice(-keep);
  dropMessages(draft, key);
  draft.append(key, left);
}

/** Removes a list of messages, and those that its entries stand for. */
export function dropMessages(draft: Draft, key: InboxKey | ResultKey): void {
  for (const entry of draft.list(key)) {
    if (!isReference(entry)) continue;
    draft.trim(entry.joined, 0);
  }
  draft.trim(key, 0);
}

/** Removes pending deliveries for which the condition holds, with their messages. Returns those that are left. */
export function dropPending(
  draft: Draft,
  key: PendingKey,
  isGone: (entry: PendingEntry) => boolean = () => true,
): readonly PendingEntry[] {
  const entries = draft.list(key);
  const left = entries.filter((entry) => !isGone(entry));
  if (left.length === entries.length) return entries;
  for (const { delivery } of entries.filter(isGone)) if (delivery !== undefined) dropDelivery(draft, delivery);
  draft.trim(key, 0);
  draft.append(key, left);
  return left;
}

function dropDelivery(draft: Draft, { recent, kept }: JoinedDelivery): void {
  if (recent !== undefined) draft.trim(recent, 0);
  if (kept !== undefined) draft.trim(kept, 0);
}
