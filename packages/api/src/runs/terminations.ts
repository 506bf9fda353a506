import { z } from 'zod';
import { operation } from '../operation/operation.ts';
import { unknownRun } from '../operation/refusal.ts';
import { RunPath } from '../schemas/run.ts';
import { Terminations, terminationsOf } from '../schemas/termination.ts';

export const getTerminations = operation({
  name: 'runs.terminations',
  method: 'GET',
  path: '/v1/runs/:id/termination',
  scope: 'read',
  summary: 'How near a run and its parts are to their terminations',
  params: RunPath,
  output: Terminations,
  async run({ tenant }, { id }) {
    const found = await tenant.terminations(id);
    if (found === undefined) throw unknownRun(id);
    return { body: terminationsOf(found) };
  },
});

export const resetTerminations = operation({
  name: 'runs.resetTerminations',
  method: 'POST',
  path: '/v1/runs/:id/termination/reset',
  scope: 'run',
  summary: 'Let all terminations of a run begin anew, while nothing is at work in it',
  params: RunPath,
  body: z.strictObject({}).nullish(),
  output: Terminations,
  async run({ tenant }, { id }) {
    await tenant.resetTerminations(id);
    return { body: terminationsOf((await tenant.terminations(id)) ?? []) };
  },
});
