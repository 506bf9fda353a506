import { z } from 'zod';
import { operation } from '../operation/operation.ts';
import { unknownRun } from '../operation/refusal.ts';
import { RunPath } from '../schemas/runs/run.ts';
import { Terminations, terminationsOf } from '../schemas/runs/termination.ts';

export const getTerminations = operation({
  name: 'runs.terminations',
  method: 'GET',
  path: '/v1/runs/:id/termination',
  scope: 'read',
  summary: 'The terminations of a run and its scopes, with their progress',
  params: RunPath,
  output: Terminations,
  async run({ tenant }, { id }) {
    const found = await tenant.run(id).terminations();
    if (found === undefined) throw unknownRun(id);
    return { body: terminationsOf(found) };
  },
});

export const resetTerminations = operation({
  name: 'runs.resetTerminations',
  method: 'POST',
  path: '/v1/runs/:id/termination/reset',
  scope: 'run',
  summary: 'Reset all terminations of a run, while no activation is executing',
  params: RunPath,
  body: z.strictObject({}).nullish(),
  output: Terminations,
  async run({ tenant }, { id }) {
    await tenant.run(id).control('reset');
    return { body: terminationsOf((await tenant.run(id).terminations()) ?? []) };
  },
});
