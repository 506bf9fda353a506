import type { Message, MessageRef, Plan } from '@millrace/core';
import { rootScope, runOf, textOf } from '@millrace/core';
import type { RunDescription } from './api.ts';
import { summaryOf } from './summary.ts';
import { openTasks } from './tasks.ts';
import type { Cell } from './transact.ts';

/** How a run stands, with the texts that its nodes have produced last. */
export async function describeRun(
  cell: Cell,
  plan: Plan,
  messages: (refs: readonly MessageRef[]) => Promise<readonly Message[]>,
): Promise<RunDescription> {
  const run = runOf(cell.state);
  const lasts = (plan.graphs.get('')?.nodes ?? []).flatMap(({ id }) => {
    const last = cell.state.get(`node/${rootScope}/${id}`)?.last;
    return last === undefined ? [] : [{ id, last }];
  });
  const trace = cell.state.get('origin')?.trace;
  const summary = summaryOf(cell.run, run, cell.state.get('origin') ?? { workflow: plan.graphs.get('')?.id ?? '' });
  const tasks = openTasks(cell, plan);
  // The cell may move on while the messages are read.
  const seen = `${cell.version}-${Number.MAX_SAFE_INTEGER}`;
  const read = await messages([...lasts.map(({ last }) => last), ...(run.output === undefined ? [] : [run.output])]);
  const output = run.output === undefined ? undefined : read.at(-1);
  return {
    ...summary,
    ...(trace === undefined ? {} : { trace }),
    seen,
    outputs: Object.fromEntries(lasts.map(({ id }, at) => [id, textOf(read[at] ?? { content: '' })])),
    usage: run.usage,
    activations: run.activations,
    capped: run.capped ?? [],
    tasks,
    ...(output === undefined ? {} : { output }),
    ...(run.error === undefined ? {} : { error: run.error }),
    ...(run.stop === undefined ? {} : { stop: run.stop }),
  };
}
