import type { AgendaItem, MessageId, Wake } from '../../model/ids.ts';
import type { MemoryWrite } from '../../model/memory.ts';
import type { MessageBody } from '../../model/message.ts';
import type { Event } from '../records/event.ts';
import type { Write } from '../state/state.ts';

/** What one or more commands come to, ready to be committed. */
export interface Decision {
  readonly events: readonly Event[];
  /** Net effect of the events on the state. */
  readonly writes: readonly Write[];
  /** New message bodies under their ids. */
  readonly bodies: readonly { readonly id: MessageId; readonly body: MessageBody }[];
  /** Activations to wake, in order. */
  readonly wakes: readonly Wake[];
  /** What is due later, and when in milliseconds since 1970. */
  readonly later: readonly ScheduledItem[];
  /** What is done with: nobody needs to look after it any more. */
  readonly settled: readonly AgendaItem[];
  /** What memory stores are to remember, in order. They belong to no run, and so are neither events nor state. */
  readonly memory: readonly MemoryWrite[];
}

/** Something that is due at a time. */
export interface ScheduledItem {
  readonly due: AgendaItem;
  readonly at: number;
}
