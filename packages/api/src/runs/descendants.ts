import { omitUndefined, textMessage } from '@millrace/core';
import type { Context } from '../operation/context.ts';
import { operation } from '../operation/operation.ts';
import { ForkRun, ReplayRun } from '../schemas/runs/descendant.ts';
import { Run, RunPath, runOf } from '../schemas/runs/run.ts';
import { describeKnown } from './describe.ts';

export const replayRun = operation({
  name: 'runs.replay',
  method: 'POST',
  path: '/v1/runs/:id/replay',
  scope: 'run',
  summary: 'Replay a finished run: models, tools and people are answered from its journal',
  params: RunPath,
  body: ReplayRun,
  example: { liveFrom: 'a3' },
  output: Run,
  status: 201,
  async run(context, { id, runId, liveFrom }) {
    const as = runId ?? seeded(context);
    return created(context, await context.tenant.replay(id, omitUndefined({ as, liveFrom })));
  },
});

export const forkRun = operation({
  name: 'runs.fork',
  method: 'POST',
  path: '/v1/runs/:id/fork',
  scope: 'run',
  summary: 'Fork a run: start one that shares its history and continues independently',
  params: RunPath,
  body: ForkRun,
  example: { at: 'a3', output: 'A better draft.' },
  output: Run,
  status: 201,
  async run(context, { id, at, output, runId }) {
    const edited = output === undefined ? undefined : textMessage('assistant', output, '');
    const as = runId ?? seeded(context);
    return created(context, await context.tenant.fork(id, { at, ...omitUndefined({ as, output: edited }) }));
  },
});

const seeded = ({ seed }: Context): string | undefined => (seed === undefined ? undefined : `run_${seed}`);

const created = async ({ tenant }: Context, run: string) => ({
  body: runOf(await describeKnown(tenant, run)),
  headers: { location: `/v1/runs/${run}` },
});
