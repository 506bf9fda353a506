import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Webhook } from 'standardwebhooks';
import { beforeAll, describe, expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { millrace, startMillrace } from '../../support/processes/millrace.ts';
import { startRedis } from '../../support/redis/redis.ts';
import { waitUntil } from '../../support/waiting.ts';

const examples = fileURLToPath(new URL('../../../examples/', import.meta.url));

it('reads the skill of the example', async () => {
  const args = ['run', 'skills.yaml', '--local', '--script', 'skills.script.yaml', '--input', 'Ann'];

  expect(await millrace(args, { cwd: join(examples, 'skills') })).toMatchObject({
    code: 0,
    stdout: 'Good evening, Ann. Would you like some tea?\n',
  });
});

describe('the letters of the example', () => {
  const cwd = join(examples, 'letters');

  const folder = directoryBeforeAll();
  const redis = openBeforeAll(startRedis);
  const env = () => ({ REDIS_URL: redis.url, MILLRACE_DIR: folder });
  const up = openBeforeAll(() => startMillrace(['up', '--port', '0', '--no-ui'], { cwd, env: env() }));
  const call = async (...args: readonly string[]) => {
    const ended = await millrace(args, { cwd, env: env() });
    expect(ended, args.join(' ')).toMatchObject({ code: 0 });
    return ended.stdout;
  };
  beforeAll(() => up.says(/Working on runs/));

  it('are written for each row of a table', async () => {
    const { id } = JSON.parse(await call('batch', 'start', 'letters.yaml', 'guests.csv', '--json'));
    const rows = await waitUntil(async () => {
      const all: { status: string; runId: string }[] = JSON.parse(await call('batch', 'rows', id, '--json'));
      return all.every(({ status }) => status === 'completed') ? all : undefined;
    });

    const texts = await Promise.all(rows.map(({ runId }) => call('watch', runId)));
    expect(texts).toEqual(['Dear Ann, we meet in the garden.\n', 'Dear Bob, we meet in the barn.\n']);
  });

  it('are written by a schedule, replayed and forked', async () => {
    await call('schedule', 'create', 'daily', 'letters.yaml', '--cron', '0 8 * * *', '--input', 'Ann');
    const { runId } = JSON.parse(await call('schedule', 'trigger', 'daily', '--json'));

    expect(await call('watch', runId)).toBe('Dear Ann, we meet in the garden.\n');
    expect(await call('replay', runId)).toBe('Dear Ann, we meet in the garden.\n');
    expect(await call('fork', runId, '--at', 'a1', '--output', 'Dear friend')).toBe(
      'Dear friend, we meet in the garden.\n',
    );
  });
});

it('receives webhooks once, and only genuine ones', async () => {
  const secret = `whsec_${Buffer.from('a secret of thirty-two characters').toString('base64')}`;
  const receiver = spawn(process.execPath, [join(examples, 'webhook-receiver.mjs')], {
    env: { ...process.env, PORT: '0', WEBHOOK_SECRET: secret },
  });
  const lines = createInterface({ input: receiver.stdout })[Symbol.asyncIterator]();
  const [, port] = /port (\d+)/.exec((await lines.next()).value ?? '') ?? [];
  const body = JSON.stringify({ type: 'dev.millrace.run.completed', data: { runId: 'run_1', status: 'completed' } });
  const send = async (id: string, { at = new Date(), text = body } = {}) => {
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, at, body),
    };
    return (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body: text })).status;
  };

  expect([await send('one'), await send('one'), await send('two')]).toEqual([204, 204, 204]);
  expect(await send('three', { text: body.replace('run_1', 'run_2') })).toBe(401);
  expect(await send('four', { at: new Date(Date.now() - 3_600_000) })).toBe(401);
  receiver.kill();
  const heard: string[] = [];
  for await (const line of lines) heard.push(line);
  await (receiver.exitCode ?? receiver.signalCode ?? once(receiver, 'exit'));
  expect(heard).toEqual(Array(2).fill('dev.millrace.run.completed run_1 completed'));
});
