import type { EdgeHost } from '@millrace/core';
import { NodeError } from '@millrace/core';
import type { Crew } from '../crew.ts';
import type { Performing } from '../performing.ts';
import { runProgram, workspaceOf } from './program.ts';
import { openWorkspace } from './workspace.ts';

/** What the processors of a node's edges are given to work with. */
export function edgeHost(crew: Crew, { assignment, signal, steps }: Performing): EdgeHost {
  const { wake, plan, node } = assignment;
  if (node === undefined) throw new NodeError('PLAN_INVALID', 'Votes have no edges.');
  return {
    run: wake.run,
    node: node.id,
    signal,
    compat: plan.compat,
    workspace: openWorkspace(workspaceOf(crew.workspaces, assignment)),
    runProgram: (program) => runProgram(crew, { assignment, node, steps, signal }, program),
  };
}
