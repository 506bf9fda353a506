import { expect, it } from 'vitest';
import { cpuMs } from '../../../../test/support/cpu-ms.ts';
import { openServiceLog, withoutCredentials } from './log.ts';
import { processTerminal } from './terminal/terminal.ts';

const key = `mk_acme_0123456789ab_${'0a'.repeat(32)}`;
const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl';

it.each([
  { req: { headers: { authorization: `Bearer ${key}`, host: 'a' } } },
  { busboyOptions: { headers: { Authorization: 'Custom s3cr3t words', 'X-Api-Key': key, cookie: 'sid=s3cr3t' } } },
  { rawHeaders: ['Host', 'a', 'Authorization', 'Digest s3cr3t'] },
  { headers: { 'set-cookie': ['sid=s3cr3t', 'b=s3cr3t'] } },
  { body: JSON.stringify({ authorization: 'Odd s3cr3t', other: 1 }) },
  { url: `/v1/runs?limit=1&api_key=s3cr3t&cursor=x`, again: '/x?access_token=s3cr3t#top' },
  { msg: `connect to redis://default:s3cr3t@redis:6379 and rediss://:s3cr3t@host/0` },
  { err: { message: `401 for Bearer ${token}`, stack: `Error: ${token}\n    at x` } },
  { text: `my key is ${key}` },
  { url: `/v1/runs/x%20${key}`, again: `/v1/runs/x%20${token}`, once: `/v1/runs/Bearer%20s3cr3ts3cr3ts3cr3t00` },
  { password: 's3cr3t', clientSecret: 's3cr3t "quoted"', refresh_token: 's3cr3t\\' },
])('hides the credentials in %j', (facts) => {
  const line = JSON.stringify({ level: 10, ...facts, end: 'end' });
  const hidden = withoutCredentials(line);

  expect(hidden).not.toMatch(/s3cr3t|0a0a0a|c2lnbmF0dXJl/);
  expect(JSON.parse(hidden)).toMatchObject({ level: 10, end: 'end' });
});

it('keeps other lines, and takes linear time for every line', async () => {
  const line = JSON.stringify({
    url: '/v1/runs?limit=1&cursor=x',
    msg: 'a token of the wake',
    tokens: 5,
    mail: 'ann@example.com',
  });
  expect(withoutCredentials(line)).toBe(line);
  for (const piece of [
    '"authorization":"',
    '\\"',
    '//',
    'eyJaaaaaaaa.',
    'eyJ',
    '%20eyJ',
    'mk_',
    'mk_a',
    'Bearer ',
    'api_key',
    '[',
    'a-',
  ]) {
    const long = piece.repeat(20_000);
    expect(await cpuMs(() => withoutCredentials(long)), piece).toBeLessThan(500);
  }
});

it('writes sentences on a terminal', async () => {
  const said: string[] = [];
  const liveArea = { isOpen: false, columns: 80, write: () => undefined, endLine: () => undefined };
  const terminal = { ...processTerminal(), liveArea, say: (text: string) => void said.push(text) };
  const log = await openServiceLog({ terminal, config: async () => ({ environment: {} }) }, { level: 'info' });

  log.warn({ node: 'Writer', attempt: 1 }, 'a model call failed and is retried');
  log.info('the worker is ready');

  expect(said).toEqual(['! Writer: a model call failed and is retried (attempt 1)', '· the worker is ready']);
});
