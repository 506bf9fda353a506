import type { Host, PlanNode } from '@millrace/core';
import type { Assignment } from '../assignment.ts';
import type { Crew } from '../crew.ts';
import { chatOver } from './chat.ts';
import { runProgram } from './program.ts';
import { createSteps } from './step.ts';

/** What a node is given to work with in one attempt. */
export function createHost(
  crew: Crew,
  {
    assignment,
    node,
    signal,
  }: { readonly assignment: Assignment; readonly node: PlanNode; readonly signal: AbortSignal },
): Host {
  const { wake, plan, answer, state } = assignment;
  const steps = createSteps(crew.runs, { wake, signal });
  return {
    run: wake.run,
    node: node.id,
    activation: wake.activation,
    signal,
    compat: plan.compat,
    now: () => crew.runs.now(),
    state,
    answer,
    runProgram: (program) => runProgram(crew, { assignment, node, steps, signal }, program),
    chat: chatOver(crew, { steps, plan, signal }),
    step: (name, request, action) =>
      steps.take({ name, request, action: async () => ({ value: await action(signal) }) }),
  };
}
