import { omitUndefined, textMessage } from '@millrace/core';
import { z } from 'zod';
import { budgetFlags } from '../operation/cli-line.ts';
import type { Context } from '../operation/context.ts';
import { operation } from '../operation/operation.ts';
import { tool } from '../operation/tool.ts';
import type { Run } from '../schemas/runs/run.ts';
import { budgetOf, ResumeRun, RunId, RunPath, Run as RunSchema, SignalRun, StopRun } from '../schemas/runs/run.ts';
import { describeKnown, runFor } from './describe.ts';
import { handleOf } from './run-handle.ts';

const NoBody = z.strictObject({}).nullish();

const stateOf = async (context: Context, id: string): Promise<{ readonly body: Run }> => ({
  body: runFor(context, await describeKnown(context.tenant, id)),
});

export const pauseRun = operation({
  name: 'runs.pause',
  method: 'POST',
  path: '/v1/runs/:id/pause',
  cli: 'pause <id>',
  scope: 'run',
  summary: 'Pause a run; active work may finish',
  params: RunPath,
  body: NoBody,
  output: RunSchema,
  async run(context, { id }) {
    await context.tenant.run(id).control('pause');
    return stateOf(context, id);
  },
});

export const resumeRun = operation({
  name: 'runs.resume',
  method: 'POST',
  path: '/v1/runs/:id/resume',
  cli: `resume <id> ${budgetFlags()} [--input input:text] [--to to]`,
  scope: 'run',
  summary: 'Resume a run that is paused, stopped or failed, or give a completed one a further task',
  params: RunPath,
  body: ResumeRun,
  example: { input: 'Shorten the text.', budget: { usd: 5 } },
  output: RunSchema,
  async run(context, { id, input, budget, to }) {
    const task = input === undefined ? [] : [textMessage('user', input, 'TASK')];
    await context.tenant.run(id).resume(task, { ...budgetOf(budget), ...omitUndefined({ to }) });
    return stateOf(context, id);
  },
});

export const retryRun = operation({
  name: 'runs.retry',
  method: 'POST',
  path: '/v1/runs/:id/retry',
  cli: 'retry <id>',
  scope: 'run',
  summary: 'Retry a failed run from the activations that failed',
  params: RunPath,
  body: NoBody,
  output: RunSchema,
  async run(context, { id }) {
    await context.tenant.run(id).control('retry');
    return stateOf(context, id);
  },
});

export const cancelRun = operation({
  name: 'runs.cancel',
  method: 'POST',
  path: '/v1/runs/:id/cancel',
  cli: 'cancel <id>',
  scope: 'run',
  summary: 'Cancel a run permanently',
  params: RunPath,
  body: z.strictObject({ reason: z.string().max(1000).optional() }).nullish(),
  example: { reason: 'no longer needed' },
  output: RunSchema,
  tool: tool({
    name: 'cancel_run',
    description: 'Cancels a run permanently.',
    input: z.object({ runId: RunId, reason: z.string().max(1000).default('cancelled over MCP') }),
    request: ({ runId, reason }) => ({ id: runId, reason }),
    result: handleOf,
  }),
  async run(context, { id, reason = 'cancelled over HTTP' }) {
    await context.tenant.run(id).cancel(reason);
    return stateOf(context, id);
  },
});

export const stopRun = operation({
  name: 'runs.stop',
  method: 'POST',
  path: '/v1/runs/:id/stop',
  cli: 'stop <id>',
  scope: 'run',
  summary: 'Stop a run so that it can be resumed',
  params: RunPath,
  body: StopRun,
  example: { mode: 'graceful', note: 'maintenance' },
  output: RunSchema,
  async run(context, { id, note = 'stopped over HTTP', mode, scope }) {
    // Without a body the default of `mode` does not apply.
    const inFlight = mode === 'cancel' ? 'cancel' : 'drain';
    await context.tenant.run(id).stop(omitUndefined({ note, inFlight, scope }));
    return stateOf(context, id);
  },
});

export const signalRun = operation({
  name: 'runs.signal',
  method: 'POST',
  path: '/v1/runs/:id/signals/:name',
  scope: 'run',
  summary: 'Send a signal that a node or a termination of the run waits for',
  params: RunPath.extend({ name: z.string().max(200) }),
  body: SignalRun,
  example: { data: { amount: 120, currency: 'EUR' }, eventId: 'evt_1' },
  output: RunSchema,
  async run(context, { id, name, note, data, eventId }) {
    await context.tenant.run(id).signal({ name, ...omitUndefined({ note, data, id: eventId }) });
    return stateOf(context, id);
  },
});

export const removeRun = operation({
  name: 'runs.remove',
  method: 'DELETE',
  path: '/v1/runs/:id',
  scope: 'admin',
  summary: 'Remove an ended run with all of its data',
  params: RunPath,
  output: z.object({ runId: z.string() }),
  async run({ tenant }, { id }) {
    await tenant.run(id).remove();
    return { body: { runId: id } };
  },
});
