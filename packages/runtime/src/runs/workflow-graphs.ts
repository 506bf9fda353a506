import type { Vocabulary, Workflow } from '@millrace/core';
import { beginRunProjection, compile } from '@millrace/core';
import type { RunGraphs } from '../contract/run-graphs.ts';
import { graphsOf, progressOf } from './run-graph.ts';

/** Returns the graphs of a workflow as those of a run before its first event, for pictures of a text. */
export function workflowGraphs(
  workflow: Workflow,
  { vocabulary, now }: { readonly vocabulary: Vocabulary; readonly now: number },
): RunGraphs {
  const projection = beginRunProjection();
  const { event, usage, activations } = projection;
  const graphs = graphsOf(compile(workflow, vocabulary), projection);
  return { event, at: now, now, status: 'running', usage, activations, graphs, progress: progressOf(projection) };
}
