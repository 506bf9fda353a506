import { createVocabulary } from '@millrace/catalog';
import { openRuntime } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { openBeforeAll } from '../support/fixtures.ts';
import { newSleeper } from '../support/processes/processes.ts';
import { startWorkerProcess } from '../support/processes/worker-process.ts';
import { startRedis } from '../support/redis/redis.ts';
import { workflowIn } from '../support/runs/stage.ts';

const redis = openBeforeAll(startRedis);

const vocabulary = createVocabulary();
const text = `graph:
  id: left-behind
  start: [Program]
  nodes: [{id: Program, type: python, config: {timeout_seconds: 900}}]
  edges: []
`;

it.each(['bubblewrap', 'limits', 'none'])(
  'the programs of a worker that is killed end within seconds, with the sessions that they have started, with the sandbox %s',
  async (sandbox) => {
    const [main, session] = [newSleeper(), newSleeper()];
    const script = `import os, subprocess
subprocess.Popen(["sleep", "${session.seconds}"], start_new_session=True)
os.execlp("sleep", "sleep", "${main.seconds}")`;
    const runtime = await openRuntime({ redisUrl: redis.url }, vocabulary, () => undefined);
    const worker = await startWorkerProcess(redis.url, { MILLRACE_SANDBOX: sandbox });
    const run = await runtime.runs.start({ workflow: workflowIn(text, vocabulary), input: script });
    await expect.poll(() => [main.pids().length, session.pids().length]).toEqual([1, 1]);

    await worker.kill();

    await expect.poll(() => [...main.pids(), ...session.pids()]).toEqual([]);
    await runtime.runs.cancel(run, 'enough seen');
    await runtime.close();
  },
);
