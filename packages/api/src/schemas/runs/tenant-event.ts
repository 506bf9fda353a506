import { omitUndefined, questionId } from '@millrace/core';
import type { TenantEvent as Event, EventGap } from '@millrace/runtime';
import { z } from 'zod';
import { RunLine, runLineOf } from './run.ts';
import { RunCounts } from './run-list.ts';

/** Event of the lists of a tenant. */
export const TenantEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('run').describe('A run has started or changed.'), run: RunLine }),
  z.object({ type: z.literal('removed').describe('A run was removed.'), runId: z.string() }),
  z.object({
    type: z.literal('task').describe('A question was opened, claimed, released or closed.'),
    change: z.enum(['opened', 'claimed', 'released', 'closed']),
    runId: z.string(),
    task: z.string().optional().describe('Id of the question; absent: all questions of the run are closed.'),
  }),
  z.object({
    type: z.literal('progress').describe('The history of a long run is copied for a fork or a replay.'),
    runId: z.string().describe('Id of the new run, as `runId` of the request.'),
    done: z.int().describe('Number of activations whose history is copied.'),
    total: z.int().describe('Number of activations of the whole history.'),
  }),
  z.object({ type: z.literal('batch').describe('A batch has changed.'), id: z.string() }),
  z.object({ type: z.literal('bulk').describe('A bulk action has changed.'), id: z.string() }),
  z.object({ type: z.literal('counts').describe('The numbers of runs, every 15 seconds.'), runs: RunCounts }),
  z.object({ type: z.literal('gap').describe('Events may have been missed: read lists again.') }),
]);
/** TenantEvent as streams have it. */
export type TenantEvent = z.output<typeof TenantEvent>;

/** An event as the API shows it. */
export function tenantEventOf(event: Event | EventGap): TenantEvent {
  switch (event.type) {
    case 'run':
      return { type: 'run', run: RunLine.parse(runLineOf(event.run)) };
    case 'removed':
      return { type: 'removed', runId: event.run };
    case 'task': {
      const { change, run, activation, place, question } = event;
      return {
        type: 'task',
        change,
        runId: run,
        ...(activation === undefined
          ? {}
          : { task: questionId(run, { activation, ...omitUndefined({ place, question }) }) }),
      };
    }
    case 'progress':
      return { type: 'progress', runId: event.run, done: event.done, total: event.total };
    case 'batch':
      return { type: 'batch', id: event.batch };
    case 'bulk':
      return { type: 'bulk', id: event.bulk };
    case 'gap':
      return event;
  }
}
