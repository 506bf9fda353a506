import type { ActivationId, Plan } from '@millrace/core';
import { placeOf, RequestError } from '@millrace/core';
import type { Task } from './api.ts';
import type { Cell } from './transact.ts';

/** The open questions of a run. */
export function openTasks({ state, run }: Cell, plan: Plan): readonly Task[] {
  return openIds({ state }).flatMap((activation) => {
    const record = state.get(`activation/${activation}`);
    if (record?.wait === undefined) return [];
    const node = placeOf(plan, state, record).node?.id ?? '';
    return [{ id: `${run}.${activation}`, run, activation, node, wait: record.wait }];
  });
}

/** The one activation of a run that waits for an answer; throws when there is none, or more than one. */
export function onlyTask({ state, run }: Cell): ActivationId {
  const open = openIds({ state });
  const [only, ...others] = open;
  if (only === undefined) throw new RequestError('TASK_UNKNOWN', `Run ${run} does not wait for an answer.`);
  if (others.length > 0) {
    const names = open.map((id) => `${run}.${id}`).join(', ');
    throw new RequestError('TASK_AMBIGUOUS', `Run ${run} waits for ${open.length} answers; name one of ${names}.`);
  }
  return only;
}

function openIds({ state }: Pick<Cell, 'state'>): readonly ActivationId[] {
  const open: ActivationId[] = [];
  for (const key of state.keys('activation/')) {
    const id = key.slice('activation/'.length) as ActivationId; // the form of the key
    const record = state.get(`activation/${id}`);
    if (record?.wait !== undefined && record.answer === undefined) open.push(id);
  }
  return open;
}
