import type { MessageRef, Role } from '../../model/messages/message.ts';

/** A message of a command: a reference to a stored body, or to a new one. */
export interface NewMessage {
  readonly role: Role;
  readonly source: string;
  readonly keep?: true;
  /** Either the id of a stored body, or the index of a new one in the command's `bodies`. */
  readonly body: MessageRef['id'] | number;
}

/** Messages that a node of a graph starts with. */
export interface NewPreset {
  readonly node: number;
  readonly at: 'input' | 'output';
  readonly messages: readonly NewMessage[];
}
