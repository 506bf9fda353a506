import { BossSchema, defineNode } from '@millrace/core';

/**
 * Node type that pursues a goal with a plan, a controller and commands. The reader expands it into ordinary nodes and
 * edges.
 */
export const boss = defineNode({
  type: 'boss',
  summary: 'Pursues a goal: plans, lets a model choose one command after the other, and remembers the results.',
  config: BossSchema,
  traits: { container: 'boss' },
  execute(_config, _input, host) {
    throw new Error(`Boss "${host.node}" was executed like a plain node; the engine should have opened its graph.`);
  },
});
