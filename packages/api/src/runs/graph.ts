import { z } from 'zod';
import { operation } from '../operation/operation.ts';
import { unknownRun } from '../operation/refusal.ts';
import { RunPath } from '../schemas/runs/run.ts';
import { graphsOf, RunGraphs, RunGraphsQuery } from '../schemas/runs/run-graph.ts';
import { progressOf } from '../schemas/runs/run-progress.ts';
import type { ReadContext } from '../workflows/definition.ts';
import { inspect } from '../workflows/definition.ts';
import { assertReached } from './describe.ts';
import { entityTag } from './entity-tag.ts';

export const getGraph = operation({
  name: 'runs.graph',
  method: 'GET',
  path: '/v1/runs/:id/graph',
  scope: 'read',
  summary: 'The graphs of a run, with the status of their nodes',
  description:
    'The past is read from the nearest archived part of the journal, so it costs about as much for a long run as for a short one.',
  params: RunPath,
  query: RunGraphsQuery,
  output: RunGraphs,
  responses: { 304: z.undefined().describe('Nothing has happened since the response with the ETag in If-None-Match.') },
  async run(context, { id, at, progress }) {
    const graphs = await context.tenant.run(id).graphs(at);
    if (graphs === undefined) throw unknownRun(id);
    if (at !== undefined) assertReached({ run: id, seen: graphs.event }, at);
    const lines = await linesOf(graphs.definition, id, context);
    const body = { ...graphsOf(graphs, lines), ...(progress === 'true' ? { progress: progressOf(graphs) } : {}) };
    return { body, headers: { etag: entityTag(graphs) } };
  },
});

type NodeLines = Readonly<Record<string, number>>;

/** Lines of the nodes of recently shown workflows, by the hash of their text. */
const known = new Map<string, NodeLines>();
const maxKnown = 500;

/** Returns the lines of the nodes in the text that a run was started with; the text is read once. */
async function linesOf(hash: string | undefined, run: string, context: ReadContext): Promise<NodeLines> {
  if (hash === undefined) return {};
  const before = known.get(hash);
  if (before !== undefined) return before;
  const definition = await context.tenant.run(run).definition();
  if (definition?.text === undefined) return {};
  const { lines = {} } = await inspect({ yaml: definition.text.yaml }, context);
  for (const oldest of known.keys()) if (known.size >= maxKnown) known.delete(oldest);
  known.set(hash, lines);
  return lines;
}
