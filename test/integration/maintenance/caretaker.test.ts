import type { AgendaItem } from '@millrace/core';
import { startCaretaker } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { openStage } from '../../support/runs/stage.ts';

it('submits alarms behind any number of overdue wakes, without a pause in between', async () => {
  const stage = await openStage({ where: { local: true } });
  const { store, queue, runs } = stage.runtime;
  const wakes = Array.from(
    { length: 3500 },
    (_, at): AgendaItem => ({ run: 'run_1', activation: `a${at + 1}`, token: 't' }),
  );
  await store.repairAgenda({ missing: [...wakes, { run: 'run_2', alarm: 'alarm/timeout', token: 't' }], needless: [] });

  let ring = (_run: string): void => undefined;
  const rung = new Promise<string>((resolve) => {
    ring = resolve;
  });
  const submit: typeof runs.submit = (run, command) => {
    ring(run);
    return runs.submit(run, command);
  };
  const anHour = 3_600_000;
  const caretaker = startCaretaker({
    store,
    queue,
    runs: { submit, refresh: async () => undefined },
    everyMs: anHour,
    report: () => undefined,
  });

  expect(await rung).toBe('run_2');
  await caretaker.close();
  await stage.close();
});
