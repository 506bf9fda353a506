import type { TenantEvent } from '@millrace/client';
import { Millrace } from '@millrace/client';
import type { RunId } from '@millrace/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';

const question =
  'graph:\n  id: question\n  nodes:\n    - { id: Ask, type: human, config: { description: What shall it be? } }\n';

const api = openBeforeAll(serveApi);
let acme: Millrace;
let other: Millrace;
beforeAll(async () => {
  const { url } = api.orchestrator;
  acme = new Millrace({ url, apiKey: await api.keyOf('acme', 'admin') });
  other = new Millrace({ url, apiKey: await api.keyOf('other', 'admin') });
});

/** The events that a client receives, from its first one on. */
interface EventWatch {
  readonly events: readonly TenantEvent[];
  stop(): Promise<void>;
}

async function watch(millrace: Millrace): Promise<EventWatch> {
  const events: TenantEvent[] = [];
  const over = new AbortController();
  const reading = (async () => {
    for await (const event of millrace.events({ signal: over.signal })) events.push(event);
  })().catch((error: unknown) => {
    if (!over.signal.aborted) throw error;
  });
  await expect.poll(() => events.some(({ type }) => type === 'counts')).toBe(true);
  return {
    events,
    async stop() {
      over.abort();
      await reading;
    },
  };
}

const about = (run: string, { events }: EventWatch) =>
  events.filter((event) =>
    event.type === 'run' ? event.run.runId === run : event.type === 'task' && event.runId === run,
  );

const statusesOf = (run: string, watched: EventWatch): readonly string[] =>
  about(run, watched).flatMap((event) => (event.type === 'run' ? [event.run.status] : []));

const changesOf = (run: string, watched: EventWatch): readonly string[] =>
  about(run, watched).flatMap((event) => (event.type === 'task' ? [event.change] : []));

describe('the events of a tenant', () => {
  it('begin with a gap and the counts of runs', async () => {
    const watched = await watch(acme);
    await watched.stop();

    expect(watched.events.slice(0, 2)).toMatchObject([{ type: 'gap' }, { type: 'counts', runs: { running: 0 } }]);
  });

  it('report a run and its question, from the start to the answer', async () => {
    const watched = await watch(acme);
    const run = await acme.runs.start({ yaml: question }, { input: 'A fence.', tags: ['t'] });
    await expect.poll(() => statusesOf(run.id, watched)).toContain('waiting');
    const task = `${run.id}.a1`;
    expect(watched.events).toContainEqual({ type: 'task', change: 'opened', runId: run.id, task });

    await acme.tasks.claim(task, { assignee: 'ann' });
    await expect.poll(() => changesOf(run.id, watched)).toContain('claimed');
    await acme.tasks.release(task, 'ann');
    await expect.poll(() => changesOf(run.id, watched)).toContain('released');
    await acme.tasks.answer(task, 'Red.');
    await expect.poll(() => changesOf(run.id, watched)).toContain('closed');
    await expect.poll(() => statusesOf(run.id, watched)).toContain('completed');

    await watched.stop();
    const lines = about(run.id, watched).flatMap((event) => (event.type === 'run' ? [event.run] : []));
    const [listed] = (await acme.runs.list({ tag: 't' }).page()).data;
    expect(lines.at(-1)).toEqual(listed);
  });

  it('report that the questions of a cancelled run are closed', async () => {
    const watched = await watch(acme);
    const run = await acme.runs.start({ yaml: question }, { input: 'A fence.' });
    await expect.poll(() => changesOf(run.id, watched)).toEqual(['opened']);

    await run.cancel();

    await expect.poll(() => changesOf(run.id, watched)).toContain('closed');
    await watched.stop();
    expect(watched.events).toContainEqual({ type: 'task', change: 'closed', runId: run.id });
  });

  it('report that a run was removed, as the last event about it', async () => {
    const watched = await watch(acme);
    const run = await acme.runs.start({ yaml: question }, { input: 'A fence.' });
    await run.cancel();

    await run.remove();

    const removed = { type: 'removed', runId: run.id };
    await expect.poll(() => watched.events).toContainEqual(removed);
    await watched.stop();
    const named = watched.events.filter((event) => JSON.stringify(event).includes(run.id));
    expect(named.filter(({ type }) => type !== 'task').at(-1)).toEqual(removed);
  });

  it('report batches and bulk actions', async () => {
    const watched = await watch(acme);
    const batch = await acme.call('batches.create', { workflow: { yaml: question }, rows: [{ input: 'A fence.' }] });
    const bulk = await acme.call('bulk.create', { action: 'cancel', filter: { tag: 'unused' } });

    await expect.poll(() => watched.events).toContainEqual({ type: 'batch', id: batch.id });
    await expect.poll(() => watched.events).toContainEqual({ type: 'bulk', id: bulk.id });
    await watched.stop();
  });

  it('reach the clients of every server, and those of no other tenant', async () => {
    const second = await api.another();
    const apiKey = (await api.keys.create({ tenant: 'acme', scopes: ['read'] })).secret;
    const elsewhere = await watch(new Millrace({ url: second.url, apiKey }));
    const foreign = await watch(other);
    const run = await acme.runs.start({ yaml: question }, { input: 'A fence.' });
    const theirs = await other.runs.start({ yaml: question }, { input: 'Their fence.', runId: 'theirs' });

    await expect.poll(() => statusesOf(run.id, elsewhere)).toContain('waiting');
    await expect.poll(() => statusesOf(theirs.id, foreign)).toContain('waiting');
    await Promise.all([elsewhere.stop(), foreign.stop()]);
    expect(JSON.stringify(foreign.events)).not.toContain(run.id);
    expect(JSON.stringify(elsewhere.events)).not.toContain('theirs');
    expect(JSON.stringify([foreign.events, elsewhere.events])).not.toContain('~');
  });

  it('are at most four a second for one run, and include its last change', async () => {
    const watched = await watch(acme);
    const { tenantEvents } = api.runtime.runs;
    const run: RunId = 'acme~busy';
    const line = { run, workflow: 'w', plan: 'p', status: 'running', startedAt: 1, activations: 0 } as const;

    for (let activations = 1; activations <= 500; activations += 1) {
      tenantEvents.publish('acme', `run/${run}`, () => ({ type: 'run', run: { ...line, activations } }));
    }

    await expect.poll(() => about('busy', watched).at(-1)).toMatchObject({ run: { activations: 500 } });
    await watched.stop();
    expect(about('busy', watched).length).toBeLessThanOrEqual(2);
  });

  it('are not created while no client watches', async () => {
    const { tenantEvents } = api.runtime.runs;
    let made = 0;

    tenantEvents.publish('nobody', 'run/x', () => {
      made += 1;
      return { type: 'batch', batch: 'x' };
    });

    expect(made).toBe(0);
  });

  it('continue after the end of a server, beginning with a gap', async () => {
    const server = await api.another();
    const apiKey = (await api.keys.create({ tenant: 'acme', scopes: ['read'] })).secret;
    const { port } = new URL(server.url);
    const watched = await watch(new Millrace({ url: server.url, apiKey }));
    await server.close();
    await api.another(Number(port));

    await expect.poll(() => watched.events.filter(({ type }) => type === 'gap').length).toBe(2);
    await watched.stop();
  });

  it('end when the key is revoked', async () => {
    const { key, secret } = await api.keys.create({ tenant: 'acme', scopes: ['read'] });
    const events = new Millrace({ url: api.orchestrator.url, apiKey: secret }).events();
    await events.next();

    await api.keys.revoke('acme', key.id);

    const rest = async () => {
      for await (const _ of events);
    };
    await expect(rest()).rejects.toMatchObject({ code: 'KEY_INVALID' });
  });
});
