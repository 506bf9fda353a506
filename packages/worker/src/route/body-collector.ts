import type { Message, MessageBody, MessageId, MessageRef, NewMessage, Role } from '@millrace/core';
import { bodyOf } from '@millrace/core';
import { inSlices } from '@millrace/runtime';

/** A message as it travels: the body of `message` with its own role and source. */
export interface Delivery {
  readonly message: Message;
  readonly role: Role;
  readonly source: string;
  readonly keep: boolean;
}

/** Maximum number of messages that are looked up in one turn of the event loop. */
const maxAtOnce = 1000;

/**
 * The messages of an input that are stored, with their ids. Those of a very long input are in several maps: a map that outgrows
 * its table copies all of its entries in one turn of the event loop.
 */
export class StoredInput {
  readonly #parts = [new Map<Message, MessageId>()];

  add(message: Message, id: MessageId): void {
    const last = this.#parts.at(-1);
    if (last !== undefined && last.size < maxInMap) last.set(message, id);
    else this.#parts.push(new Map([[message, id]]));
  }

  idOf(message: Message): MessageId | undefined {
    for (const part of this.#parts) {
      const id = part.get(message);
      if (id !== undefined) return id;
    }
    return undefined;
  }
}

const maxInMap = 32_768;

/** Returns the messages of an input, of which `refs` are the stored ones; synchronously unless there are very many. */
export function storedInput(
  input: readonly Message[],
  refs: readonly MessageRef[],
): StoredInput | Promise<StoredInput> {
  const stored = new StoredInput();
  const add = ([at, { id }]: readonly [number, MessageRef]): void => {
    const message = input[at];
    if (message !== undefined) stored.add(message, id);
  };
  if (refs.length > maxAtOnce) return inSlices(refs.entries(), add).then(() => stored);
  for (const entry of refs.entries()) add(entry);
  return stored;
}

/**
 * Collects the new bodies of a command. A message that is one of the inputs, or differs from another one only in how
 * it travels, is stored by reference: nodes that forward messages store nothing.
 */
export class BodyCollector {
  readonly bodies: MessageBody[] = [];
  readonly #input: StoredInput;
  readonly #places = new Map<Message, number>();

  constructor(input: StoredInput) {
    this.#input = input;
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
    const known = this.#input.idOf(message) ?? this.#places.get(message);
    if (known !== undefined) return known;
    const place = this.bodies.push(bodyOf(message)) - 1;
    this.#places.set(message, place);
    return place;
  }
}
