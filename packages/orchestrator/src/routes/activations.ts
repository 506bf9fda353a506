import {
  ActivationDetail,
  ActivationList,
  ActivationListQuery,
  ActivationPath,
  activationDetailOf,
  activationOf,
  graphsOf,
  problems,
  RunGraphs,
  RunPath,
  unknownRun,
} from '@millrace/api';
import type { ActivationId } from '@millrace/core';
import { RequestError } from '@millrace/core';
import type { Server } from '../server.ts';

/** What a run has done, node by node. */
export function addActivationRoutes(server: Server): void {
  server.get(
    '/v1/runs/:id/graph',
    {
      config: { demand: 'read' },
      schema: {
        summary: 'The graphs of a run, and how their nodes stand',
        params: RunPath,
        response: { 200: RunGraphs, ...problems },
      },
    },
    async ({ caller: { space }, params: { id } }) => {
      const graphs = await space.graphs(id);
      if (graphs === undefined) throw unknownRun(id);
      return graphsOf(graphs);
    },
  );
  server.get(
    '/v1/runs/:id/activations',
    {
      config: { demand: 'read' },
      schema: {
        summary: 'What a run has done, in order',
        description:
          'It is read from the part of the journal that has the page. What an activation has called that goes on for long may not be told here; it is with the activation itself.',
        params: RunPath,
        querystring: ActivationListQuery,
        response: { 200: ActivationList, ...problems },
      },
    },
    async ({ caller: { space }, params: { id }, query: { limit, cursor = 'a0' } }) => {
      const found = await space.activations(id, { after: Number(cursor.slice(1)), limit: limit + 1 });
      if (found === undefined) throw unknownRun(id);
      const data = found.slice(0, limit).map(activationOf);
      return { data, nextCursor: found.length > limit ? (data.at(-1)?.id ?? null) : null };
    },
  );
  server.get(
    '/v1/runs/:id/activations/:aid',
    {
      config: { demand: 'read' },
      schema: {
        summary: 'One activation: what it was given, what it called, what came out',
        params: ActivationPath,
        response: { 200: ActivationDetail, ...problems },
      },
    },
    async ({ caller: { space }, params: { id, aid } }) => {
      const found = await space.activation(id, aid as ActivationId); // ActivationPath has checked its form
      if (found !== undefined) return activationDetailOf(found);
      throw new RequestError('ACTIVATION_UNKNOWN', `Run ${id} has no activation ${aid}, or is not there itself.`);
    },
  );
}
