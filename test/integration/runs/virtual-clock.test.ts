import { EventEmitter, once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { defineTool, textOf } from '@millrace/core';
import type { VirtualClock } from '@millrace/runtime';
import { createVirtualClock } from '@millrace/runtime';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { cpuMs } from '../../support/cpu-ms.ts';
import { openBeforeEach } from '../../support/fixtures.ts';
import { audit } from '../../support/runs/audit.ts';
import { openStage } from '../../support/runs/stage.ts';

const second = 1000;
const hour = 3600 * second;
const day = 24 * hour;
const start = Date.UTC(2026, 0, 1);

/** Work that takes real time: it ends when the test says so. */
const work = new EventEmitter();
const workTool = defineTool({
  name: 'work',
  description: 'Works for as long as it takes.',
  parameters: z.object({}),
  async execute() {
    work.emit('begun');
    await once(work, 'finish');
    return 'done';
  },
});

let clock: VirtualClock;
const stage = openBeforeEach(() => {
  clock = createVirtualClock(start);
  return openStage({ where: { local: true, clock }, extensions: { tools: [workTool] } });
});
beforeEach(() => void stage.runtime.startCaretaker());

/** Timers that are longer than this never fire, so a run that waits for one does not end. */
const longestTimerMs = 50;
beforeEach(() => {
  const real = globalThis.setTimeout;
  const short = (act: () => void, ms = 0) => (ms > longestTimerMs ? real(() => undefined, ms).unref() : real(act, ms));
  vi.stubGlobal('setTimeout', Object.assign(short, { __promisify__: real.__promisify__ }));
});
afterEach(() => void vi.unstubAllGlobals());

/** Runs a workflow; people answer with `answer`. */
async function run(nodes: string, edges = '[]', answer?: () => Promise<string>) {
  const { description, journal } = await stage.run(
    `graph: { id: timed, start: [A], end: [Z], nodes: [${nodes}], edges: ${edges} }`,
    'x',
    answer,
  );
  expect(await audit(stage.runtime.store, description.run, stage.vocabulary)).toEqual([]);
  return { description, journal, tookMs: (description.finishedAt ?? 0) - start };
}

const scripted = (id: string, rules: string, more = '') =>
  `{ id: ${id}, type: agent, config: { provider: scripted, name: m, params: { rules: ${rules} }, ${more} } }`;
const end = '{ id: Z, type: passthrough, config: {} }';

describe('a run under a virtual clock', () => {
  it('takes no real time for 30 days of delays, time limits and waits', async () => {
    const month = () =>
      run(
        `{ id: A, type: delay, config: { for: 20d } },
         { id: W, type: wait_for, config: { event: paid, timeout: 9d, on_timeout: continue } },
         { id: D, type: delay, config: { for: 1d } }, ${end}`,
        '[{ from: A, to: W }, { from: W, to: D }, { from: D, to: Z }]',
      );
    const { description, tookMs } = await month();
    const startedAt = clock.now();

    expect(await cpuMs(month)).toBeLessThan(200);
    expect(clock.now() - startedAt).toBe(30 * day);
    expect(description.status).toBe('completed');
    expect(tookMs).toBe(30 * day);
  });

  it('takes no real time for the pauses of tools, of models and between attempts', async () => {
    const calls = `[{ when: { call: 1 }, reply: { error: { status: 503 } } },
      { when: { call: 2 }, reply: { tool_calls: [{ name: wait, arguments: { seconds: 7200 } }] } },
      { reply: { text: done, delay_ms: 60000 } }]`;
    const { description, tookMs } = await run(
      `${scripted('A', calls, 'tooling: [{ type: function, config: { tools: [{ name: wait }] } }]')}, ${end}`,
      '[{ from: A, to: Z }]',
    );

    expect(description.output && textOf(description.output)).toBe('done');
    expect(tookMs).toBeGreaterThan(2 * hour + 60 * second);
    expect(tookMs).toBeLessThan(2 * hour + 130 * second);
  });

  it('ends a node whose time is over', async () => {
    const slow = '[{ reply: { text: late, delay_ms: 90000 } }]';
    const { description, tookMs } = await run(
      `${scripted('A', slow).replace('type: agent', 'type: agent, timeout: 30, on_error: text')}, ${end}`,
      '[{ from: A, to: Z }]',
    );

    expect(description.output && textOf(description.output)).toContain('took longer than its 30 seconds');
    expect(tookMs).toBe(30 * second);
  });

  it('ends a loop that only a timer ends', async () => {
    const { description, journal, tookMs } = await run(
      `${scripted('A', '[{ reply: { text: again, delay_ms: 1000 } }]')},
       { id: T, type: loop_timer, config: { max_duration: 10, passthrough: true, message: late } }, ${end}`,
      `[{ from: A, to: T }, { from: T, to: A, condition: { type: keyword, config: { none: [late] } } },
        { from: T, to: Z, condition: { type: keyword, config: { any: [late] } } }]`,
    );

    expect(description.status).toBe('completed');
    expect(tookMs).toBeGreaterThanOrEqual(10 * second);
    expect(tookMs).toBeLessThanOrEqual(12 * second);
    expect(journal.length).toBeLessThan(400);
  });

  it('lets no time pass while a tool is at work', async () => {
    const busy = '[{ when: { call: 1 }, reply: { tool_calls: [{ name: work, arguments: {} }] } }, { reply: done }]';
    const running = run(
      `{ id: A, type: passthrough, config: {} }, { id: D, type: delay, config: { for: 1d } },
       ${scripted('W', busy, 'tooling: [{ type: function, config: { tools: [{ name: work }] } }]')}, ${end}`,
      '[{ from: A, to: W }, { from: A, to: D }, { from: W, to: Z }, { from: D, to: Z }]',
    );
    await once(work, 'begun');
    for (let turn = 0; turn < 20; turn++) await setImmediate();
    expect(clock.now()).toBe(start);

    work.emit('finish');
    expect((await running).tookMs).toBe(day);
  });

  it('lets no time pass while a program runs', async () => {
    const { journal, tookMs } = await run(
      `{ id: A, type: passthrough, config: {} }, { id: D, type: delay, config: { for: 1h } },
       { id: P, type: python, config: { code: "import time; time.sleep(0.1); print('done')" } }, ${end}`,
      '[{ from: A, to: P }, { from: A, to: D }, { from: P, to: Z }, { from: D, to: Z }]',
    );

    const program = journal.find(({ event }) => event.type === 'step.completed');
    expect(program?.at).toBe(start);
    expect(tookMs).toBe(hour);
  });
});
