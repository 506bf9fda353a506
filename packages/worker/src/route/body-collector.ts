import type { Message, MessageBody, MessageId, MessageRef, NewMessage, Role } from '@millrace/core';
import { bodyOf } from '@millrace/core';

/** A message as it travels: the body of `message` with its own role and source. */
export interface Delivery {
  readonly message: Message;
  readonly role: Role;
  readonly source: string;
  readonly keep: boolean;
}

/**
 * Collects the new bodies of a command. A message that is one of the inputs, or differs from another one only in how
 * it travels, is stored by reference: nodes that forward messages store nothing.
 */
export class BodyCollector {
  readonly bodies: MessageBody[] = [];
  readonly #places = new Map<Message, MessageId | number>();

  /** `refs` are the stored messages of `input`. */
  constructor(input: readonly Message[], refs: readonly MessageRef[]) {
    input.forEach((message, at) => {
      const ref = refs[at];
      if (ref !== undefined) this.#places.set(message, ref.id);
    });
  }

  /** Adds a message with its own role and source. */
  add(message: Message): NewMessage {
    const { role, source, keep } = message;
    return this.deliver({ message, role, source, keep });
  }

  /** Adds a message as it travels. */
  deliver({ message, role, source, keep }: Delivery): NewMessage {
    const body = this.#placeOf(message);
    return keep ? { role, source, body, keep: true } : { role, source, body };
  }

  #placeOf(message: Message): MessageId | number {
    const known = this.#places.get(message);
    if (known !== undefined) return known;
    const place = this.bodies.push(bodyOf(message)) - 1;
    this.#places.set(message, place);
    return place;
  }
}
