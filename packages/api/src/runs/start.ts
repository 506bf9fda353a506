import { omitUndefined } from '@millrace/core';
import { z } from 'zod';
import { assertRedis } from '../operation/background.ts';
import { canRead } from '../operation/call.ts';
import { templateFlags } from '../operation/cli-line.ts';
import { helloWorkflow } from '../operation/hello-workflow.ts';
import { operation } from '../operation/operation.ts';
import { Run, StartRun } from '../schemas/runs/run.ts';
import { Preference } from '../schemas/runs/wait.ts';
import { diagnosticOf } from '../schemas/workflow.ts';
import { describeKnown, describeStarted, ofStarted, runFor } from './describe.ts';
import { readStart } from './start-request.ts';

export const startRun = operation({
  name: 'runs.start',
  method: 'POST',
  path: '/v1/runs',
  cli: `run <workflow:draft.yaml> [--input input:text] [--attach attachments] ${templateFlags()} [--ttl ttlSeconds:seconds]`,
  scope: 'run',
  summary: 'Start a run',
  description: 'With `Prefer: wait=30` the response is sent when the run has ended or waits, or after so many seconds.',
  headers: z.object({ prefer: Preference }),
  body: StartRun,
  example: { workflow: { yaml: helloWorkflow }, input: 'Write two sentences about rain.', tags: ['first-try'] },
  output: Run,
  status: 201,
  responses: { 200: Run.describe('A run of this id already existed.') },
  async run(context, { prefer: waitMs, ...wanted }) {
    const { tenant, seed, trace } = context;
    // Nothing would deliver its events.
    if (wanted.webhook !== undefined) assertRedis(context);
    const id = wanted.runId ?? (seed === undefined ? undefined : `run_${seed}`);
    const isKnown = wanted.runId !== undefined && (await tenant.run(wanted.runId).exists());
    const read = isKnown ? undefined : await readStart(wanted, context);
    const { run, started } =
      read === undefined
        ? { run: wanted.runId ?? '', started: false }
        : await tenant.startIfAbsent({ ...read.request, ...omitUndefined({ run: id, trace }) });
    const describe = started ? describeStarted : describeKnown;
    const reading = waitMs === undefined ? describe(tenant, run) : context.awaitRun(run, { until: 'idle', waitMs });
    const description = await ofStarted(run, reading);
    return {
      body: {
        ...runFor(context, description),
        ...(canRead(context) && read !== undefined ? { workflowWarnings: read.warnings.map(diagnosticOf) } : {}),
      },
      // A request that is repeated under its idempotency key gets the response of the first one.
      status: started || wanted.runId === undefined ? 201 : 200,
      headers: {
        location: `/v1/runs/${run}`,
        ...(waitMs === undefined ? {} : { 'preference-applied': `wait=${waitMs / 1000}` }),
      },
    };
  },
});
