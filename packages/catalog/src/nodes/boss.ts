import { BossSchema, defineNode } from '@millrace/core';

/** Pursues a goal with a plan, a controller and commands. Reading the document makes ordinary nodes and edges of it. */
export const boss = defineNode({
  type: 'boss',
  summary: 'Pursues a goal: plans, lets a model choose one command after the other, and remembers what came of it.',
  config: BossSchema,
  traits: { container: 'boss' },
  execute(_config, _input, host) {
    throw new Error(`Boss "${host.node}" was executed like a plain node; the engine should have opened its graph.`);
  },
});
