import type { RunId } from '@millrace/core';
import { textOf } from '@millrace/core';
import { expect, it } from 'vitest';
import { audit } from '../../support/runs/audit.ts';
import { onBothStores } from '../../support/runs/both-stores.ts';
import { readExample } from '../../support/runs/examples.ts';
import { workflowIn } from '../../support/runs/stage.ts';
import { asks, beforePerson, caretaking, ended, say, seen, timed, twoInARow, waits } from '../../support/runs/waits.ts';

const order = `
graph:
  id: order
  nodes:
    - { id: Order, type: template, config: { text: '{{ text }}', variables: { order: '{{ text }}' } } }
    - { id: Paid, type: wait_for, config: { event: paid, filter: { order.id: '{{order}}', status: [ok, late] } } }
  edges: [{ from: Order, to: Paid }]
`;
const afterPerson = `
graph:
  id: person
  nodes:
    - { id: Ask, type: human, config: {} }
    - { id: Wait, type: wait_for, config: { event: go } }
  edges: [{ from: Ask, to: Wait }]
`;
const twoAfterPerson = `
graph:
  id: two
  nodes:
    - { id: Ask, type: human, config: {} }
    - { id: Wait, type: wait_for, config: { event: go } }
    - { id: Again, type: wait_for, config: { event: go } }
  edges: [{ from: Ask, to: Wait }, { from: Wait, to: Again }]
`;
const mapped = `
graph:
  id: mapped
  nodes:
    - { id: Source, type: passthrough, config: {} }
    - { id: Each, type: wait_for, config: { event: go } }
    - { id: Join, type: template, config: { text: '{{ text }}' } }
  edges:
    - { from: Source, to: Each, dynamic: { type: map, config: { split_type: lines, max_parallel: 3 } } }
    - { from: Each, to: Join }
`;
const ownUnits = `
graph:
  id: own
  nodes:
    - { id: Source, type: passthrough, config: {} }
    - { id: Each, type: wait_for, config: { event: paid, filter: { order: '{{item}}' } } }
  edges:
    - from: Source
      to: Each
      dynamic: { type: map, config: { split_type: lines, max_parallel: 3, item_name: item } }
`;
const nested = `
graph:
  id: outer
  nodes:
    - { id: Before, type: passthrough, config: {} }
    - id: Inner
      type: subgraph
      config:
        type: config
        config:
          id: inner
          nodes:
            - { id: Wait, type: wait_for, config: { event: go } }
            - { id: Say, type: template, config: { text: 'inner {{ text }}' } }
          edges: [{ from: Wait, to: Say }]
    - { id: Outer, type: wait_for, config: { event: go } }
    - { id: Join, type: template, config: { text: '{{ text }}' } }
  edges:
    - { from: Before, to: Inner }
    - { from: Inner, to: Outer }
    - { from: Outer, to: Join }
`;
const loop = `
graph:
  id: loop
  start: [Wait]
  end: [End]
  nodes:
    - { id: Wait, type: wait_for, config: { event: tick } }
    - { id: Echo, type: passthrough, config: {} }
    - { id: Count, type: loop_counter, config: { max_iterations: 3, message: three } }
    - { id: End, type: passthrough, config: {} }
  edges:
    - { from: Wait, to: Echo }
    - { from: Echo, to: Wait }
    - { from: Echo, to: Count }
    - { from: Count, to: Wait }
    - { from: Count, to: End }
`;

onBothStores('a node that waits for an event', (stage) => {
  const start = (text: string, input = 'x') =>
    stage.runtime.runs.start({ workflow: workflowIn(text, stage.vocabulary), input });
  const signal = (run: RunId, data?: unknown, more: { name?: string; id?: string } = {}) =>
    stage.runtime.runs.signal(run, { name: 'go', ...(data === undefined ? {} : { data }), ...more });

  it('outputs the data of the first event that passes its filter', async () => {
    const run = await start(order, '17');
    await waits(stage, run);

    await expect(signal(run, { order: { id: 18 }, status: 'ok' }, { name: 'paid' })).rejects.toMatchObject({
      code: 'SIGNAL_NOT_AWAITED',
    });
    await expect(signal(run, { order: { id: 17 } }, { name: 'paid' })).rejects.toMatchObject({
      code: 'SIGNAL_NOT_AWAITED',
    });
    await signal(run, { order: { id: 17 }, status: 'late', amount: 5 }, { name: 'paid' });

    const { output, status } = await ended(stage, run);
    expect(status).toBe('completed');
    expect(output?.content).toMatchObject([{ type: 'data', data: { order: { id: 17 }, status: 'late', amount: 5 } }]);
  });

  it('ships the order of the example after its payment', async () => {
    const { workflow } = readExample('wait-for', stage.vocabulary, (text) => text.replace('2s', '1h'));
    const run = await stage.runtime.runs.start({ workflow, input: '17' });
    await waits(stage, run);
    await signal(run, { order: 17, amount: 30 }, { name: 'paid' });

    const { output } = await ended(stage, run);
    expect(output && textOf(output)).toBe('Order 17 is paid with 30 and is shipped.');
  });

  it('is no question, and cannot be answered', async () => {
    const run = await start(twoInARow);
    await waits(stage, run);

    expect(await stage.runtime.runs.describe(run)).toMatchObject({ status: 'waiting', tasks: [] });
    expect((await stage.runtime.runs.list({ asks: true, limit: 100 })).runs.map((line) => line.run)).not.toContain(run);
    await expect(
      stage.runtime.runs.answer(
        run,
        { activation: 'a1' },
        {
          message: { role: 'user', content: 'me', source: 'person', keep: false },
        },
      ),
    ).rejects.toMatchObject({ code: 'TASK_UNKNOWN' });
    await stage.runtime.runs.cancel(run, 'done');
  });

  it('takes earlier events, in their order', async () => {
    const run = await start(twoAfterPerson);
    await asks(stage, run);
    await signal(run, 'one');
    await signal(run, 'two');
    await say(stage, run);

    const { outputs } = await ended(stage, run);
    expect(outputs).toMatchObject({ Wait: 'one', Again: 'two' });
  });

  it('counts an event with the same id once, even after its run has ended', async () => {
    const run = await start(twoInARow);
    await waits(stage, run);
    await signal(run, 'one', { id: 'e1' });
    await signal(run, 'one', { id: 'e1' });
    await signal(run, 'two', { id: 'e2' });
    const { outputs } = await ended(stage, run);
    await signal(run, 'two', { id: 'e2' });

    expect(outputs).toMatchObject({ First: 'one', Second: 'two' });
    await expect(signal(run, 'three', { id: 'e3' })).rejects.toMatchObject({ code: 'RUN_ENDED' });
  });

  it('refuses events that nothing can wait for any more, and unknown ones', async () => {
    const run = await start(beforePerson);
    await waits(stage, run);
    await signal(run, 'one');
    await asks(stage, run);

    await expect(signal(run, 'late')).rejects.toMatchObject({ code: 'SIGNAL_NOT_AWAITED' });
    await expect(signal(run, 'x', { name: 'gone' })).rejects.toMatchObject({ code: 'SIGNAL_UNKNOWN' });
    await stage.runtime.runs.cancel(run, 'done');
  });

  it('keeps a bounded number of events', async () => {
    const run = await start(afterPerson);
    await asks(stage, run);
    for (let event = 1; event <= 100; event++) await signal(run, { event });

    await expect(signal(run, { event: 101 })).rejects.toMatchObject({ code: 'SIGNALS_FULL' });
    await say(stage, run);
    const { output } = await ended(stage, run);
    expect(output && textOf(output)).toBe('{"event":1}');
  });

  it('shares events with others of the same name in the order in which they became ready', async () => {
    const run = await start(mapped, 'a\nb\nc');
    await waits(stage, run, 3);
    await Promise.all([signal(run, 'one'), signal(run, 'two'), signal(run, 'three')]);

    const { journal } = await seen(stage, run);
    const given = journal.flatMap(({ event }) => (event.type === 'activation.answered' ? [event.activation] : []));
    expect(given).toEqual([...given].sort());
    expect(new Set(given).size).toBe(3);
    expect(await audit(stage.runtime.store, run, stage.vocabulary)).toEqual([]);
  });

  it('waits in each unit of a map for its own event', async () => {
    const run = await start(ownUnits, 'a\nb\nc');
    await waits(stage, run, 3);
    for (const one of ['c', 'a', 'b']) await signal(run, { order: one }, { name: 'paid' });

    const { journal } = await seen(stage, run);
    expect(journal.filter(({ event }) => event.type === 'activation.answered')).toHaveLength(3);
    expect(await ended(stage, run)).toMatchObject({ status: 'completed' });
  });

  it('waits in a subgraph and after it for an event each', async () => {
    const run = await start(nested);
    await waits(stage, run);
    await signal(run, 'one');
    await waits(stage, run, 2);
    await signal(run, 'two');

    const { output } = await ended(stage, run);
    expect(output && textOf(output)).toBe('two');
  });

  it('waits in each round of a loop for an event of its own', async () => {
    const run = await start(loop);
    await waits(stage, run);
    for (const tick of ['one', 'two', 'three']) await signal(run, tick, { name: 'tick' });

    const { output } = await ended(stage, run);
    expect(output && textOf(output)).toBe('three');
  });

  it('fails with a code at its timeout', async () => {
    caretaking(stage);
    const run = await start(timed('timeout: 300ms'));
    const { error } = await ended(stage, run);

    expect(error).toMatchObject({ code: 'WAIT_TIMEOUT', message: expect.stringContaining('"go"') });
    expect(await audit(stage.runtime.store, run, stage.vocabulary)).toEqual([]);
  });

  it('continues with its input at its timeout if so configured', async () => {
    caretaking(stage);
    const run = await start(timed('timeout: 300ms, on_timeout: continue'), 'the task');
    const { output } = await ended(stage, run);

    expect(output && textOf(output)).toBe('too late: the task');
  });

  it('ignores its timeout once it has its event', async () => {
    const run = await start(timed('timeout: 1h, on_timeout: continue'));
    await waits(stage, run);
    await signal(run, 'now');
    const { output } = await ended(stage, run);

    expect(output && textOf(output)).toBe('in time: now');
    const { journal } = await seen(stage, run);
    expect(journal.map(({ event }) => event.type)).toContain('alarm.cleared');
    expect(await audit(stage.runtime.store, run, stage.vocabulary)).toEqual([]);
  });

  it('takes an event while its run is paused, and continues when the run is resumed', async () => {
    const run = await start(twoInARow);
    await waits(stage, run);
    await stage.runtime.runs.control(run, 'pause');
    await signal(run, 'one');
    await signal(run, 'two');
    await stage.runtime.runs.resume(run);

    expect((await ended(stage, run)).outputs).toMatchObject({ First: 'one', Second: 'two' });
  });

  it('waits for the remaining time when its run was stopped and is resumed', async () => {
    caretaking(stage);
    const run = await start(timed('timeout: 1s, on_timeout: continue'));
    await waits(stage, run);
    await stage.runtime.runs.stop(run, { note: 'stop', inFlight: 'drain' });
    await expect(signal(run, 'x')).rejects.toMatchObject({ code: 'RUN_ENDED' });
    await stage.runtime.runs.resume(run);

    const { output } = await ended(stage, run);
    expect(output && textOf(output)).toBe('too late: x');
  });
});
