import type { JournalEntry } from '@millrace/core';
import { expect, it } from 'vitest';
import { directoryBeforeAll } from '../../support/fixtures.ts';
import { ask } from '../../support/http/http.ts';
import { startMillrace, startServer } from '../../support/processes/millrace.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { waitUntil } from '../../support/waiting.ts';

const agents = ['A', 'B', 'C'];
const chain = `graph:
  id: chain
  nodes:
${agents.map((id) => `    - { id: ${id}, type: agent, config: { provider: scripted, name: m, params: { default: { text: said, delay_ms: 400 } } } }`).join('\n')}
  edges: [{ from: A, to: B }, { from: B, to: C }]
`;

const cwd = directoryBeforeAll();
const { env } = newInstallation();

const started = (...args: string[]) => startServer(args, { cwd, env });

it('finishes executing work when it is stopped, and leaves the rest to other workers', async () => {
  const api = await started('serve', '--port', '0');
  const one = await started('up', '--port', '0', '--concurrency', '4');
  const runs = await Promise.all(
    Array.from({ length: 8 }, () => ask(`${one.url}/v1/runs`, { workflow: { yaml: chain }, input: 'Go.' })),
  );
  const ids = runs.map(({ body }) => String(body['runId']));
  const eventsOf = async (id: string) => {
    const headers = { accept: 'application/json' };
    const { body } = await ask(`${api.url}/v1/runs/${id}/events?limit=200`, undefined, headers);
    return (body['data'] as JournalEntry[]).map(({ event }) => event); // as the route has it
  };
  const asked = async () => (await Promise.all(ids.map(eventsOf))).flat().filter(({ type }) => type === 'step.started');
  await waitUntil(async () => (await asked()).length >= 4);

  one.signal('SIGTERM');
  const { code } = await one.ended;

  expect(code).toBe(0);
  const left = (await Promise.all(ids.map(eventsOf))).flat();
  const count = (type: string) => left.filter((event) => event.type === type).length;
  // Every call that was begun was brought to its end, and paid for once.
  expect(count('step.started')).toBe(count('step.completed'));
  expect(count('step.completed')).toBe(count('activation.completed'));
  expect(count('run.finished')).toBeLessThan(ids.length);

  const two = startMillrace(['worker'], { cwd, env });
  for (const id of ids) {
    const ended = await ask(`${api.url}/v1/runs/${id}?wait=50s`);
    expect(ended.body).toMatchObject({ status: 'completed', usage: { calls: agents.length } });
  }
  const ended = await Promise.all([two.stop(), api.stop()]);
  expect(ended.map(({ code }) => code)).toEqual([0, 0]);
}, 120_000);
