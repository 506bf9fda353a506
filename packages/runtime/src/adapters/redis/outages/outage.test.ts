import { expect, it } from 'vitest';
import { isMisconfigured, outageOf, unreachableBy, withOutage } from './outage.ts';

const reply = (message: string, more: object = {}): Error =>
  Object.assign(new Error(message), { name: 'ReplyError', ...more });

it.each([
  ["READONLY You can't write against a read only replica. script: 3b1f, on @user_script:12.", 'REDIS_READONLY'],
  ["ERR Error running script (call to f_3b1f): @user_script:12: -READONLY You can't write.", 'REDIS_READONLY'],
  ['UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)', 'REDIS_READONLY'],
  ["MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", 'REDIS_READONLY'],
  ['LOADING Redis is loading the dataset in memory', 'REDIS_LOADING'],
  ['BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.', 'REDIS_BUSY'],
  ['CLUSTERDOWN Hash slot not served', 'REDIS_CLUSTER_DOWN'],
  ['NOREPLICAS Not enough good replicas to write.', 'REDIS_NO_REPLICAS'],
  ["MISCONF Errors writing to the AOF file: No space left on device'", 'REDIS_DISK'],
  ['NOAUTH Authentication required.', 'REDIS_AUTH'],
  ['WRONGPASS invalid username-password pair or user is disabled.', 'REDIS_AUTH'],
  ['MOVED 9274 127.0.0.1:7001', 'REDIS_MOVED'],
  ['ASK 9274 127.0.0.1:7001', 'REDIS_SLOT_MOVING'],
  ['TRYAGAIN Multiple keys request during rehashing of slot', 'REDIS_SLOT_MOVING'],
  [
    'ERR Script attempted to access a non local key in a cluster node script: 5dc5, on @user_script:36.',
    'REDIS_SLOT_MOVING',
  ],
  [
    'ERR Error running script (call to f_5d): @user_script:36: Lua script attempted to access a non local key in a cluster node',
    'REDIS_SLOT_MOVING',
  ],
  ["OOM command not allowed when used memory > 'maxmemory'.", 'REDIS_FULL'],
])('classifies "%s" as an outage', (message, code) => {
  expect(outageOf(reply(message))?.code).toBe(code);
});

it('finds the reason for which a transaction was aborted', () => {
  const previousErrors = [reply("READONLY You can't write against a read only replica.")];

  expect(outageOf(reply('EXECABORT Transaction discarded.', { previousErrors }))?.code).toBe('REDIS_READONLY');
});

it('tells what to correct where no time helps', () => {
  const refusals = [
    new Error('Unknown RESP type 72 "H". Please report this.'),
    reply('NOAUTH Authentication required.'),
    reply('LOADING Redis is loading the dataset in memory'),
  ].map((error) => String(withOutage(error)));

  expect(refusals.map((text) => text.replace(/^.*[.] (?=\w+ )/, ''))).toEqual([
    'Correct REDIS_URL.',
    'Correct them in REDIS_URL.',
    'Try again later.',
  ]);
});

it('classifies no other error as an outage', () => {
  const others = [
    reply('ERR unknown command'),
    reply('BUSYGROUP Consumer Group name already exists'),
    new Error('READONLY said a model'),
    Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
    'READONLY',
  ];

  expect(others.map(outageOf)).toEqual(others.map(() => undefined));
  expect(others.map(withOutage)).toEqual(others);
});

const withCode = (message: string, code: string): Error => Object.assign(new Error(message), { code });

it('names the last cause for which no connection can be made', () => {
  const refused = withCode('connect ECONNREFUSED 127.0.0.1:6379', 'ECONNREFUSED');
  const untrusted = withCode('self-signed certificate in certificate chain', 'SELF_SIGNED_CERT_IN_CHAIN');
  const [wrong, both] = [reply('WRONGPASS invalid'), new AggregateError([refused, refused], '')];
  const sentinel = new Error('h1:26379: NOAUTH', { cause: reply('NOAUTH Authentication required.') });

  expect([undefined, refused, both, untrusted, wrong, sentinel].map((cause) => unreachableBy(cause))).toMatchObject([
    { code: 'REDIS_UNREACHABLE', message: 'Redis does not answer.' },
    { code: 'REDIS_UNREACHABLE', message: 'Redis does not answer: connect ECONNREFUSED 127.0.0.1:6379.' },
    { code: 'REDIS_UNREACHABLE', message: 'Redis does not answer: connect ECONNREFUSED 127.0.0.1:6379.' },
    { code: 'REDIS_TLS', message: expect.stringContaining('self-signed certificate') },
    { code: 'REDIS_AUTH' },
    { code: 'REDIS_AUTH' },
  ]);
  const noRedis = new Error('Unknown RESP type 72 "H". Please report this.');
  expect([refused, new Error('h1:6379: tls', { cause: untrusted }), wrong, noRedis].map(isMisconfigured)).toEqual([
    false,
    true,
    true,
    true,
  ]);
});
