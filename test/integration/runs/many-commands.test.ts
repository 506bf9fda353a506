import { setImmediate as turn } from 'node:timers/promises';
import { createVocabulary } from '@millrace/catalog';
import { openRuntime } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { workflowIn } from '../../support/runs/stage.ts';

const installation = newInstallation();
const vocabulary = createVocabulary();
const { url: redisUrl, prefix } = installation;
const runtime = openBeforeAll(() => openRuntime({ redisUrl, prefix }, vocabulary, () => undefined));

it('begins the commits of very many runs in several turns', async () => {
  const workflow = workflowIn('graph: { id: g, nodes: [{ id: Ask, type: human, config: {} }], edges: [] }', vocabulary);
  const count = 400;
  const runs = await Promise.all(Array.from({ length: count }, () => runtime.runs.start({ workflow, input: 'go' })));
  let now = 0;
  let isOver = false;
  const counting = (async () => {
    for (; !isOver; now += 1) await turn();
  })();

  const sent = runs.map(async (run) => {
    const { sent, verdict } = await runtime.runs.dispatch(run, { type: 'cancel', reason: 'all' });
    await sent;
    const at = now;
    await verdict;
    return at;
  });
  const turns = await Promise.all(sent);
  isOver = true;
  await counting;

  for (const present of new Set(turns)) expect(turns.filter((one) => one === present).length).toBeLessThan(count / 2);
});
