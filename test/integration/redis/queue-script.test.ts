import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectWatched } from '../../../packages/runtime/src/adapters/redis/connection/connection.ts';
import { newInstallation } from '../../support/redis/installation.ts';

const installation = newInstallation();
let connection: ReturnType<typeof connectWatched>['connection'];
beforeAll(() => {
  connection = connectWatched(installation.url, 'test').connection;
  // What a script sees: its keys, and after an empty text its arguments.
  const lua = `
    local seen = {}
    for _, key in ipairs(KEYS) do seen[#seen + 1] = key end
    seen[#seen + 1] = ''
    for _, argument in ipairs(ARGV) do seen[#seen + 1] = argument end
    return seen`;
  connection.defineCommand('seen', { numberOfKeys: 3, lua });
});
afterAll(() => connection.disconnect());

const seen = (...values: readonly unknown[]): Promise<readonly string[]> =>
  Reflect.get(connection, 'seen').call(connection, values);

const queue = '{a}:v4:activations:';

/** Keys of calls that follow each other on one connection, as some of them decide how others are sent. */
const calls: Readonly<Record<string, readonly [string, string, string]>> = {
  'the keys of a queue': [`${queue}wait`, `${queue}meta`, `${queue}metrics:completed`],
  'a job': [`${queue}wait`, `${queue}a1.5f00`, `${queue}meta`],
  'another job': [`${queue}wait`, `${queue}a2.5f01`, `${queue}meta`],
  'two jobs': [`${queue}a3.5f02`, `${queue}a4.5f03`, `${queue}events`],
  'a job that is named as a key': [`${queue}wait`, `${queue}meta`, `${queue}meta`],
  'a job with an odd name': [`${queue}wait`, `${queue}a'b\\n"ü`, `${queue}meta`],
  'another queue': ['{a}:v4:webhooks:wait', '{a}:v4:webhooks:1', '{a}:v4:webhooks:meta'],
  'keys of two queues': [`${queue}wait`, '{a}:v4:webhooks:1', `${queue}meta`],
  'a key that is missing': [`${queue}wait`, '', `${queue}meta`],
};

it.each(Object.entries(calls))('passes its keys and arguments to a script: %s', async (_name, keys) => {
  for (const args of [[], ['x', '', 'größer']]) expect(await seen(...keys, ...args)).toEqual([...keys, '', ...args]);
});

it('passes them for more queues than it remembers', async () => {
  for (let at = 0; at < 80; at++) {
    const prefix = `{a}:v4:activations-${randomUUID()}:`;
    const keys = [`${prefix}wait`, `${prefix}a1.5f00`, `${prefix}meta`];

    expect(await seen(...keys, 'x')).toEqual([...keys, '', 'x']);
  }
});
