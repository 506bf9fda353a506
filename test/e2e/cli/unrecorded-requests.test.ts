import { join } from 'node:path';
import { Millrace } from '@millrace/client';
import { connect } from '@millrace/runtime';
import { describe, expect, it } from 'vitest';
import { createKeys } from '../../../packages/runtime/src/adapters/redis/location/keys.ts';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';
import { commandsOf } from '../../support/http/commands.ts';

/** A model that is told a prompt which appears nowhere else. */
const writing = `graph:
  id: writing
  nodes:
    - id: Writer
      type: agent
      config: { provider: scripted, name: parrot, role: Write like a pirate., params: { default: Arr. } }
`;

const api = openBeforeAll(serveApi);
const cwd = directoryBeforeAll({ 'writing.yaml': writing });
const operator = openBeforeAll(() => api.tenant('default', 'admin'));
const { remote, local, both } = commandsOf(api, operator, cwd);

/** Returns the texts of the messages that a run has stored. */
async function messagesOf(run: string): Promise<string> {
  const connection = connect(api.redis.where.redisUrl, 'test');
  const texts = await connection.hvals(createKeys(api.redis.where.prefix).run(run).messages);
  connection.disconnect();
  return texts.join('\n');
}

describe('a run that does not record what models are asked', () => {
  it('has its calls with their replies and without their requests, over HTTP and in the client', async () => {
    const id = await operator.start(writing, { recordRequests: false });
    const recorded = await operator.start(writing);
    const run = new Millrace({ url: api.orchestrator.url, apiKey: operator.key }).runs.get(id);

    const call = { name: 'chat parrot', isRecorded: false, usage: expect.anything() };
    expect(await run.calls('a1')).toMatchObject([call]);
    expect(await run.call('a1', 0)).toMatchObject({ ...call, reply: { text: 'Arr.' } });
    expect((await operator.ask(`/v1/runs/${id}/activations/a1/calls/0`)).body).not.toHaveProperty('request');
    expect(await messagesOf(recorded)).toContain('pirate');
    expect(await messagesOf(id)).toContain('Arr.');
    expect(await messagesOf(id)).not.toContain('pirate');
  });

  it('is started by the command with an option, and shown with what is missing', async () => {
    for (const command of [remote, local]) {
      const { stdout } = await command(
        'run',
        join(cwd, 'writing.yaml'),
        '--input',
        'go',
        '--json',
        '--no-record-requests',
      );
      const { runId } = JSON.parse(stdout);

      for (const shown of [await both('show', runId, 'a1'), await both('show', runId, 'a1', '--call', '0')]) {
        expect(shown.stdout).toContain('chat parrot');
        expect(shown.stdout).toContain('The request was not recorded.');
        expect(shown.stdout).toContain('Arr.');
        expect(shown.stdout).not.toContain('pirate');
      }
    }
  });
});
