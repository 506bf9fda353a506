import { createVocabulary } from '@millrace/catalog';
import { openRuntime } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { losePower, written } from '../../support/faults/power.ts';
import { openBeforeEach } from '../../support/fixtures.ts';
import { startRedis } from '../../support/redis/redis.ts';
import { openStage, workflowIn } from '../../support/runs/stage.ts';
import { untilEnded } from '../../support/runs/watching.ts';

const redis = openBeforeEach(startRedis);

const agent = (id: string) =>
  `{id: ${id}, type: agent, config: {provider: scripted, name: m, params: {rules: [{replies: [one, two, three]}]}}}`;
const workflow = `graph:
  id: lossy
  nodes: [${agent('A')}, ${agent('B')}]
  edges: [{from: A, to: B, condition: {type: function, config: {name: gate}}}]
`;

it('executes an activation again when Redis has lost steps of its result', async () => {
  const { reached, open, pass } = gate();
  const extensions = { conditions: new Map([['gate', pass]]) };
  const where = { redisUrl: redis.url };
  const vocabulary = createVocabulary(extensions);
  const starter = await openRuntime(where, vocabulary, () => undefined);
  await starter.runs.start({ workflow: workflowIn(workflow, vocabulary), input: 'go', run: 'lossy' });
  const bytes = await written(redis);
  const stage = await openStage({ where, extensions });
  const { runs } = stage.runtime;
  stage.runtime.startCaretaker();
  const calls = async () => (await runs.describe('lossy'))?.usage.calls;
  await reached;

  // The model has answered, which is in the journal; whether the edge takes the answer is being decided.
  expect(await calls()).toBe(1);
  await losePower(redis, bytes);
  expect(await calls()).toBe(0);
  open();
  await untilEnded(runs, 'lossy');

  expect(await runs.describe('lossy')).toMatchObject({
    status: 'completed',
    outputs: { A: 'one', B: 'two' },
    usage: { calls: 2 },
  });
  await Promise.all([stage.close(), starter.close()]);
});

/** A condition that does not return before it is opened. */
function gate() {
  let reach = () => {};
  let open = () => {};
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    reached,
    open: () => open(),
    async pass() {
      reach();
      await opened;
      return true;
    },
  };
}
