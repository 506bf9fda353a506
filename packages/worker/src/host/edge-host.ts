import type { EdgeHost } from '@millrace/core';
import { NodeError } from '@millrace/core';
import type { Crew } from '../crew.ts';
import type { Performing } from '../performing.ts';
import { runProgram } from './program.ts';

/** What the processors of a node's edges are given to work with. */
export function edgeHost(crew: Crew, { assignment, signal, steps, files }: Performing): EdgeHost {
  const { wake, plan, node } = assignment;
  if (node === undefined) throw new NodeError('PLAN_INVALID', 'Votes have no edges.');
  return {
    run: wake.run,
    node: node.id,
    signal,
    compat: plan.compat,
    workspace: files.workspace,
    runProgram: (program) => runProgram(crew, { assignment, node, steps, files, signal }, program),
  };
}
