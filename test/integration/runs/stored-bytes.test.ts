import { randomBytes } from 'node:crypto';
import type { RunId } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { openBeforeEach } from '../../support/fixtures.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { audit } from '../../support/runs/audit.ts';
import { openStage, workflowIn } from '../../support/runs/stage.ts';
import { endedRun } from '../../support/runs/watching.ts';

const size = 30_000;

/** An agent that writes a file, whose content is a letter that is repeated. */
const writing = (letter: string): string => {
  const call = { name: 'save_file', arguments: { path: 'file.txt', content: letter.repeat(size) } };
  const script = { rules: [{ when: { last_role: 'tool' }, reply: 'saved' }, { reply: { tool_calls: [call] } }] };
  const tooling = [{ type: 'function', config: { tools: [{ name: 'save_file' }] } }];
  const config = { provider: 'scripted', name: 's', params: script, tooling };
  return `
graph:
  id: writing
  start: [Say]
  end: [Show]
  nodes:
    - {id: Say, type: literal, config: {content: go}}
    - {id: Write, type: agent, config: ${JSON.stringify(config)}}
    - {id: Show, type: literal, config: {content: done}}
  edges: [{from: Say, to: Write}, {from: Write, to: Show}]
`;
};

const passing = 'graph:\n  id: passing\n  nodes: [{id: P, type: passthrough, config: {}}]\n';

describe.each(['memory', 'Redis'])('the stored bytes of a tenant with runs in %s', (place) => {
  const where = () => (place === 'memory' ? { local: true as const } : newInstallation().where);
  const stage = openBeforeEach(() => openStage({ where: { ...where(), limits: { storedBytes: 3.5 * size } } }));

  /** Returns for how many files bytes are counted; programs count a little, too. */
  const files = async () => Math.floor((await total()) / size);
  const total = () => stage.runtime.store.stored.total('default');
  const start = (text: string, input = 'go'): Promise<RunId> =>
    stage.runtime.runs.start({ workflow: workflowIn(text, stage.vocabulary), input });
  const ended = (run: RunId, since?: string) => endedRun(stage.runtime.runs, run, since);

  it('fails the node whose files have no room, and continues once there is room', async () => {
    const { runs } = stage.runtime;
    const before = await Promise.all(['a', 'b', 'c'].map((letter) => start(writing(letter))));
    for (const run of before) expect((await ended(run))?.error).toBeUndefined();
    expect(await files()).toBe(3);

    const run = await start(writing('d'));
    const failed = await ended(run);
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'STORAGE_FULL', node: 'Write' } });
    expect(await files()).toBe(3);
    await runs.remove(before[0] ?? '');
    expect(await files()).toBe(2);
    await runs.control(run, 'retry');

    expect(await ended(run, failed?.seen)).toMatchObject({ status: 'completed' });
    expect(await files()).toBe(3);
    expect(await audit(stage.runtime.store, run, stage.vocabulary)).toEqual([]);
  });

  it('have room for exactly as many runs at the same time as they may', async () => {
    const runs = await Promise.all([...'abcdefgh'].map((letter) => start(writing(letter))));
    const statuses = await Promise.all(runs.map(async (run) => (await ended(run))?.status));

    expect(statuses.filter((status) => status === 'completed')).toHaveLength(3);
    expect(await files()).toBe(3);
  });

  it('contain long messages: a start without room is refused, and nothing of it is stored', async () => {
    const input = 'x'.repeat(2.5 * size);
    const run = await start(passing, input);
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    // The message is passed on, and stored once.
    expect(await total()).toBeGreaterThan(2.5 * size);
    expect(await total()).toBeLessThan(2.6 * size);

    await expect(start(passing, `y${input}`)).rejects.toMatchObject({ code: 'STORAGE_FULL' });

    expect((await stage.runtime.runs.list({ limit: 10 })).runs).toHaveLength(1);
    await stage.runtime.runs.remove(run);
    expect(await stage.runtime.store.stored.tenants()).toEqual([]);
  });

  it('fail the node whose reply has no room, and which asks again once there is room', async () => {
    const { runs } = stage.runtime;
    const before = await start(passing, 'x'.repeat(2.5 * size));
    await ended(before);
    const config = JSON.stringify({ provider: 'scripted', name: 's', params: { default: 'y'.repeat(2.2 * size) } });
    const agent = (more = '') => `graph:\n  id: long\n  nodes: [{id: A, type: agent, config: ${config}${more}}]\n`;

    const run = await start(agent());
    const failed = await ended(run);
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'STORAGE_FULL', node: 'A' } });
    expect(await ended(await start(agent(', on_error: continue')))).toMatchObject({ status: 'completed' });
    expect(await files()).toBe(2);
    await runs.remove(before);
    await runs.control(run, 'retry');

    // The reply and the output have one text, and are stored apart.
    expect(await ended(run, failed?.seen)).toMatchObject({ status: 'failed', error: { code: 'STORAGE_FULL' } });
    expect(await files()).toBe(2);
  });

  it('contain what a fork takes over', async () => {
    const { runs } = stage.runtime;
    const run = await start(writing('a'));
    await ended(run);
    const fork = await runs.fork(run, { at: 'a3' });
    await ended(fork);
    expect(await files()).toBe(2);

    await runs.remove(run);

    expect(await files()).toBe(1);
    expect(await runs.artifacts(fork)).toContainEqual(expect.objectContaining({ path: 'file.txt', size }));
  });

  it('contain the copies of journals that replays repeat, of which none is stored without room', async () => {
    const { runs } = stage.runtime;
    // Cannot be compressed to less than 1.5 times the size of a file.
    const run = await start(passing, randomBytes(1.5 * size).toString('base64'));
    await ended(run);
    for (const replay of [await runs.replay(run), await runs.replay(run)])
      expect(await ended(replay)).toMatchObject({ status: 'completed' });
    const before = await total();
    expect(before).toBeGreaterThan(3 * size);

    await expect(runs.replay(run)).rejects.toMatchObject({ code: 'STORAGE_FULL' });

    expect(await total()).toBe(before);
    expect((await runs.list({ limit: 10 })).runs).toHaveLength(3);
  });

  it('contain short messages, which leave no room for further runs', async () => {
    const { runs } = stage.runtime;
    const ids = [...'abcdef'];
    const nodes = ids.map((id) => `{id: ${id}, type: literal, config: {content: ${id.repeat(size)}}}`).join(', ');
    const edges = ids.slice(1).map((to, at) => `{from: ${ids[at]}, to: ${to}}`);
    const run = await start(`graph:\n  id: short\n  nodes: [${nodes}]\n  edges: [${edges.join(', ')}]\n`);
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    await expect.poll(total).toBeGreaterThan(3.5 * size);

    // A process looks again after some seconds.
    await expect.poll(() => start(passing).then(() => 'started', String), { timeout: 20_000 }).toContain('has no room');
    await expect(runs.replay(run)).rejects.toMatchObject({ code: 'STORAGE_FULL' });
    await runs.remove(run);

    expect(await ended(await start(passing))).toMatchObject({ status: 'completed' });
    expect(await total()).toBe(0);
  });
});
