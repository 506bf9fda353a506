import type { Message } from '../../model/message.ts';
import type { GraphPlan } from '../../plan/plan.ts';
import type { NewMessage, NewPreset } from './command.ts';

/** What the nodes of a graph begin with, beside the task. A start node begins with the task alone. */
export function presetsOf(graph: GraphPlan, bring: (message: Message) => NewMessage): NewPreset[] {
  return graph.nodes.flatMap((node): NewPreset[] => {
    const input = graph.start.includes(node.index) ? [] : node.input;
    return [
      ...(input.length > 0 ? [{ node: node.index, at: 'input' as const, messages: input.map(bring) }] : []),
      ...(node.output.length > 0
        ? [{ node: node.index, at: 'output' as const, messages: node.output.map(bring) }]
        : []),
    ];
  });
}
