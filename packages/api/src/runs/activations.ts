import type { ActivationId } from '@millrace/core';
import { omitUndefined, RequestError } from '@millrace/core';
import { operation } from '../operation/operation.ts';
import { unknownRun } from '../operation/refusal.ts';
import {
  ActivationDetail,
  ActivationList,
  ActivationListQuery,
  ActivationPath,
  ActivationQuery,
  activationDetailOf,
  activationListOf,
} from '../schemas/runs/activation.ts';
import { CallDetail, CallList, CallPath, CallQuery, callListOf, callOf } from '../schemas/runs/call.ts';
import { RunPath } from '../schemas/runs/run.ts';
import { Timeline, TimelineQuery, timelineOf } from '../schemas/runs/timeline.ts';

/** Number of characters of an output in a list, and of a message in one activation. */
const headChars = 40;
const bodyChars = 2048;

export const listActivations = operation({
  name: 'runs.activations',
  method: 'GET',
  path: '/v1/runs/:id/activations',
  scope: 'read',
  summary: 'The activations of a run, in order',
  description:
    'The page is read from its part of the journal. Calls of an activation that executes for long may be missing; the activation itself contains them.',
  params: RunPath,
  query: ActivationListQuery,
  output: ActivationList,
  async run({ tenant }, { id, limit, cursor = 'a0', state, outputs, ...filter }) {
    const found = await tenant.run(id).activations({
      after: Number(cursor.slice(1)),
      limit,
      ...omitUndefined(filter),
      ...(state === undefined ? {} : { states: [state].flat() }),
      ...(outputs === undefined ? {} : { headChars }),
    });
    if (found === undefined) throw unknownRun(id);
    return { body: activationListOf(found) };
  },
});

export const getActivation = operation({
  name: 'runs.activation',
  method: 'GET',
  path: '/v1/runs/:id/activations/:aid',
  cli: 'show <id> <aid>',
  scope: 'read',
  summary: 'One activation: its input, its calls and its result',
  params: ActivationPath,
  query: ActivationQuery,
  output: ActivationDetail,
  async run({ tenant }, { id, aid, bodies }) {
    const chars = bodies === 'heads' ? bodyChars : undefined;
    const found = await tenant.run(id).activation(aid as ActivationId, chars); // ActivationPath has checked its form
    if (found !== undefined) return { body: activationDetailOf(found) };
    throw unknownActivation(id, aid);
  },
});

export const listCalls = operation({
  name: 'runs.calls',
  method: 'GET',
  path: '/v1/runs/:id/activations/:aid/calls',
  scope: 'read',
  summary: 'The calls of an activation',
  params: ActivationPath,
  output: CallList,
  async run({ tenant }, { id, aid }) {
    const found = await tenant.run(id).calls(aid as ActivationId); // ActivationPath has checked its form
    if (found === undefined) throw unknownActivation(id, aid);
    return { body: callListOf(found) };
  },
});

export const getCall = operation({
  name: 'runs.call',
  method: 'GET',
  path: '/v1/runs/:id/activations/:aid/calls/:step',
  cli: 'show <id> <aid> --call <step>',
  scope: 'read',
  summary: 'One call: what the model was asked, and its reply',
  description:
    'The request is read from the journal, which stores it by content; nothing is executed for it. Secrets are masked in it, and contents of attachments are left out.',
  params: CallPath,
  query: CallQuery,
  output: CallDetail,
  async run({ tenant }, { id, aid, step, bodies }) {
    const chars = bodies === 'heads' ? bodyChars : undefined;
    const found = await tenant.run(id).call({ activation: aid as ActivationId, step, chars }); // its form is checked
    if (found !== undefined) return { body: callOf(found) };
    throw new RequestError('ACTIVATION_UNKNOWN', `There is no run ${id} with a call ${step} of an activation ${aid}.`);
  },
});

const unknownActivation = (id: string, aid: string): RequestError =>
  new RequestError('ACTIVATION_UNKNOWN', `There is no run ${id} with an activation ${aid}.`);

export const getTimeline = operation({
  name: 'runs.timeline',
  method: 'GET',
  path: '/v1/runs/:id/timeline',
  scope: 'read',
  summary: 'The activations of a run in columns, for pictures of all of them',
  description:
    'The columns have one value for each activation, in the order in which the activations became ready; -1 where there is none. Times are relative, so that 10,000 activations fit into one page.',
  params: RunPath,
  query: TimelineQuery,
  output: Timeline,
  async run({ tenant }, { id, after = 'a0', limit, heads, digests }) {
    const [withHeads, withDigests] = [heads === 'true', digests === 'true'];
    const found = await tenant.run(id).timeline({
      after: Number(after.slice(1)),
      limit: withHeads || withDigests ? Math.min(limit, maxRead) : limit,
      withDigests,
      ...(withHeads ? { headChars } : {}),
    });
    if (found === undefined) throw unknownRun(id);
    return { body: timelineOf(found) };
  },
});

/** Number of activations in a page for which outputs are read. */
const maxRead = 2000;
