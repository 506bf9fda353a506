import { createVocabulary } from '@millrace/catalog';
import { maxMessageChars, readWorkflow, textOf } from '@millrace/core';
import { connect, openRuntime } from '@millrace/runtime';
import { startWorker } from '@millrace/worker';
import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { openBeforeEach } from '../../support/fixtures.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { entriesOf } from '../../support/runs/watching.ts';

const vocabulary = createVocabulary();

const workflowFrom = (yaml: string) => {
  const { workflow, issues } = readWorkflow({ file: 'flow.yaml', text: yaml }, { vocabulary, mode: 'run' });
  if (workflow === undefined) throw new Error(JSON.stringify(issues));
  return workflow;
};

/** Forwards the task, and then says how it begins. */
const forwarding = workflowFrom(`
graph:
  id: forwarding
  nodes:
    - {id: Pass, type: passthrough, config: {}}
    - {id: Echo, type: agent, config: {provider: scripted, name: m, params: {default: '{last_user}{last_user}'}}}
  edges: [{from: Pass, to: Echo}]
`);

const repeating = (onError: string) =>
  workflowFrom(`
graph:
  id: repeating
  nodes:
    - id: Echo
      type: agent
      on_error: ${onError}
      config: {provider: scripted, name: m, params: {default: '{last_user}{last_user}'}}
`);

describe('long messages in Redis', () => {
  const installation = newInstallation();
  const runtime = openBeforeEach(() => openRuntime(installation.where, vocabulary, () => undefined));
  beforeEach(async () => {
    startWorker({ runtime, vocabulary, concurrency: 4, name: 'w', log: pino({ level: 'silent' }) });
  });

  async function ended(run: string) {
    for await (const { event } of entriesOf(runtime.runs, run)) {
      if (event.type === 'run.finished') return event;
    }
    throw new Error('the run did not end');
  }

  it('are stored outside of the run, and read in the same way', async () => {
    const text = 'line\n'.repeat(20_000);
    const run = await runtime.runs.start({ workflow: forwarding, input: text });
    await ended(run);

    const another = await openRuntime(installation.where, vocabulary, () => {});
    const description = await another.runs.describe(run);
    await another.close();
    expect(description?.output === undefined ? '' : textOf(description.output)).toBe(text + text);
    const connection = connect(installation.url, 'test');
    const stored = await connection.hvals(`${installation.prefix}:run:${run}:messages`);
    const references = stored.filter((json) => json.startsWith('{"blob":'));
    connection.disconnect();
    // The task, the model's answer as a step, and the same answer as the output.
    expect(references).toHaveLength(3);
    expect(Math.max(...stored.map((json) => json.length))).toBeLessThan(1000);
  });

  it('have a limit, which a task can exceed only with an error', async () => {
    const starting = runtime.runs.start({ workflow: forwarding, input: 'x'.repeat(maxMessageChars) });

    await expect(starting).rejects.toMatchObject({ code: 'MESSAGE_TOO_LARGE' });
  });

  it('beyond the limit fail their node, as its error policy says', async () => {
    const input = 'x'.repeat(maxMessageChars / 2 + 1);
    const [failing, going] = await Promise.all(
      ['fail', 'text'].map((policy) => runtime.runs.start({ workflow: repeating(policy), input })),
    );

    expect(await ended(failing ?? '')).toMatchObject({ status: 'failed', error: { code: 'MESSAGE_TOO_LARGE' } });
    expect(await ended(going ?? '')).toMatchObject({ status: 'completed' });
    const description = await runtime.runs.describe(going ?? '');
    expect(description?.outputs['Echo']).toContain('a message may have');
  });
});
