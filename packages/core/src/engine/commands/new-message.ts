import type { Message, MessageRef, Role } from '../../model/messages/message.ts';
import type { GraphPlan } from '../../plan/plan.ts';

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

/**
 * Returns the messages that the nodes of a graph start with, besides the task. A start node starts with the task alone.
 */
export function presetsOf(graph: GraphPlan, toNewMessage: (message: Message) => NewMessage): NewPreset[] {
  const preset = graph.nodes.filter(({ input, output }) => input.length + output.length > 0);
  return preset.flatMap((node): NewPreset[] => {
    const input = graph.start.includes(node.index) ? [] : node.input;
    return [
      ...(input.length > 0 ? [{ node: node.index, at: 'input' as const, messages: input.map(toNewMessage) }] : []),
      ...(node.output.length > 0
        ? [{ node: node.index, at: 'output' as const, messages: node.output.map(toNewMessage) }]
        : []),
    ];
  });
}
