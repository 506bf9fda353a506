import type { Message } from '../../model/messages/message.ts';
import type { GraphPlan } from '../../plan/plan.ts';
import type { NewMessage, NewPreset } from './new-message.ts';

/**
 * Returns the messages that the nodes of a graph start with, besides the task. A start node starts with the task alone.
 */
export function presetsOf(graph: GraphPlan, toNewMessage: (message: Message) => NewMessage): NewPreset[] {
  return graph.nodes.flatMap((node): NewPreset[] => {
    const input = graph.start.includes(node.index) ? [] : node.input;
    return [
      ...(input.length > 0 ? [{ node: node.index, at: 'input' as const, messages: input.map(toNewMessage) }] : []),
      ...(node.output.length > 0
        ? [{ node: node.index, at: 'output' as const, messages: node.output.map(toNewMessage) }]
        : []),
    ];
  });
}
