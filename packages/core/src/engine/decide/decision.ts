import type { AgendaItem, MessageId, Wake } from '../../model/ids.ts';
import type { MemoryWrite } from '../../model/memory.ts';
import type { MessageBody } from '../../model/messages/message.ts';
import type { Event } from '../records/event.ts';
import type { Write } from '../state/state.ts';

/** Result of one or more commands, ready to be committed. */
export interface Decision {
  readonly events: readonly Event[];
  /** Net effect of the events on the state. */
  readonly writes: readonly Write[];
  /** New message bodies under their ids. */
  readonly bodies: readonly { readonly id: MessageId; readonly body: MessageBody }[];
  /** Activations to wake, in order. */
  readonly wakes: readonly Wake[];
  /** Entries of the agenda for later. */
  readonly later: readonly ScheduledItem[];
  /** Entries of the agenda that are settled. */
  readonly settled: readonly AgendaItem[];
  /** Writes to memory stores, in order. The stores belong to no run, so these are neither events nor state. */
  readonly memory: readonly MemoryWrite[];
}

/** An entry of the agenda with its time, in milliseconds since 1970. */
export interface ScheduledItem {
  readonly due: AgendaItem;
  readonly at: number;
}
