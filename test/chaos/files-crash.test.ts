import { watch } from 'node:fs/promises';
import { join } from 'node:path';
import { createVocabulary } from '@millrace/catalog';
import { textOf } from '@millrace/core';
import { openRuntime } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../support/fixtures.ts';
import { startWorkerProcess } from '../support/processes/worker-process.ts';
import { startRedis } from '../support/redis/redis.ts';
import { audit } from '../support/runs/audit.ts';
import { workflowIn } from '../support/runs/stage.ts';
import { untilEnded } from '../support/runs/watching.ts';

const vocabulary = createVocabulary();

const redis = openBeforeAll(startRedis);
const base = directoryBeforeAll();

/** The first program leaves a file. The second one spoils it, and then waits for ever, unless it has begun before. */
const workflow = (begun: string) =>
  workflowIn(
    `graph:
  id: crash
  start: [First]
  end: [Second]
  nodes:
    - {id: First, type: literal, config: {content: 'open("kept.txt", "w").write("kept")'}}
    - {id: Write, type: python, config: {}}
    - id: Then
      type: literal
      config:
        content: |
          import glob, os, time
          print(sorted(glob.glob("*.txt")), open("kept.txt").read())
          open("kept.txt", "w").write("spoilt")
          open("half.txt", "w").write("half")
          if not os.path.exists("${begun}"):
              open("${begun}", "w").close()
              time.sleep(600)
    - {id: Second, type: python, config: {timeout_seconds: 900}}
  edges: [{from: First, to: Write}, {from: Write, to: Then}, {from: Then, to: Second}]
`,
    vocabulary,
  );

/** Waits until a file appears in a directory. */
async function appears(directory: string, name: string): Promise<void> {
  for await (const { filename } of watch(directory)) if (filename === name) return;
}

it.each([
  ['another host', 'two'],
  ['the same host', 'one'],
])(
  'a program that was killed with its worker starts again on %s, with the files from before it',
  async (_where, next) => {
    const begun = join(base, `begun-${next}`);
    const host = (name: string) => ({ MILLRACE_DIR: join(base, name), MILLRACE_SANDBOX: 'none' });
    const runtime = await openRuntime({ redisUrl: redis.url }, vocabulary, () => undefined);
    const first = await startWorkerProcess(redis.url, host('one'));
    const begins = appears(base, `begun-${next}`);
    const run = await runtime.runs.start({ workflow: workflow(begun), input: 'go' });
    await begins;
    await first.kill();

    const second = await startWorkerProcess(redis.url, host(next));
    await untilEnded(runtime.runs, run);

    const description = await runtime.runs.describe(run);
    expect(description?.output === undefined ? '' : textOf(description.output)).toBe("['kept.txt'] kept\n");
    const artifacts = await runtime.runs.artifacts(run);
    expect(artifacts.map(({ path }) => path)).toEqual(['Second.py', 'Write.py', 'half.txt', 'kept.txt']);
    expect(await audit(runtime.store, run, vocabulary)).toEqual([]);
    await second.kill();
    await runtime.close();
  },
);
