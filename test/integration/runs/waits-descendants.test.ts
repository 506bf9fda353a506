import type { RunId } from '@millrace/core';
import { textOf } from '@millrace/core';
import { expect, it } from 'vitest';
import { audit } from '../../support/runs/audit.ts';
import { onBothStores } from '../../support/runs/both-stores.ts';
import { workflowIn } from '../../support/runs/stage.ts';
import { asks, beforePerson, caretaking, ended, timed, twoInARow, waits } from '../../support/runs/waits.ts';

onBothStores('a wait for an event in a descendant of its run', (stage) => {
  const start = (text: string, input = 'x') =>
    stage.runtime.runs.start({ workflow: workflowIn(text, stage.vocabulary), input });
  const signal = (run: RunId, data: unknown) => stage.runtime.runs.signal(run, { name: 'go', data });

  it('receives its events again in a replay', async () => {
    const run = await start(twoInARow);
    await waits(stage, run);
    await signal(run, 'one');
    await signal(run, 'two');
    await ended(stage, run);
    const replay = await stage.runtime.runs.replay(run);

    expect((await ended(stage, replay)).outputs).toMatchObject({ First: 'one', Second: 'two' });
  });

  it('repeats its timeout in a replay without waiting', async () => {
    caretaking(stage);
    const run = await start(timed('timeout: 300ms, on_timeout: continue'), 'again');
    await ended(stage, run);
    const replay = await stage.runtime.runs.replay(run);

    const { output } = await ended(stage, replay);
    expect(output && textOf(output)).toBe('too late: again');
  });

  it('finds the events of the original run in a replay that goes live before it', async () => {
    const run = await start(twoInARow);
    await waits(stage, run);
    await signal(run, 'one');
    await signal(run, 'two');
    await ended(stage, run);
    const replay = await stage.runtime.runs.replay(run, { liveFrom: 'a2' });

    expect((await ended(stage, replay)).outputs).toMatchObject({ First: 'one', Second: 'two' });
  });

  it('finds its event again in a fork at itself, and kept ones in a fork before it', async () => {
    const run = await start(twoInARow);
    await waits(stage, run);
    await signal(run, 'one');
    await signal(run, 'two');
    await ended(stage, run);
    const atSecond = await stage.runtime.runs.fork(run, { at: 'a2' });

    expect((await ended(stage, atSecond)).outputs).toMatchObject({ First: 'one', Second: 'two' });
    expect(await audit(stage.runtime.store, atSecond, stage.vocabulary)).toEqual([]);
  });

  it('waits in a fork of a run in which it waits', async () => {
    const run = await start(beforePerson);
    await waits(stage, run);
    const fork = await stage.runtime.runs.fork(run, { at: 'a1' });
    await signal(fork, 'one');
    await asks(stage, fork);

    expect(await stage.runtime.runs.describe(fork)).toMatchObject({ outputs: { Wait: 'one' } });
    expect(await stage.runtime.runs.describe(run)).toMatchObject({ outputs: {} });
    await Promise.all([run, fork].map((one) => stage.runtime.runs.cancel(one, 'done')));
  });
});
