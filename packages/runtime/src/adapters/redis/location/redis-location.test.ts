import { describe, expect, it } from 'vitest';
import { isFailoverUrl, readFailoverUrl } from './redis-location.ts';

describe('readFailoverUrl', () => {
  it('reads sentinels, the name of their master, and the credentials of both', () => {
    const url = 'redis+sentinel://ann:p%40ss@h1:26380,h2,[::1]:26381/my%20master?db=2&sentinel_password=s%26t';

    expect(readFailoverUrl(url)).toEqual({
      type: 'sentinel',
      servers: [
        { host: 'h1', port: 26_380 },
        { host: 'h2', port: 26_379 },
        { host: '::1', port: 26_381 },
      ],
      master: 'my master',
      settings: { username: 'ann', password: 'p@ss', db: 2 },
      askingSettings: { password: 's&t' },
    });
  });

  it.each(['rediss+cluster://:secret@h1,h2:7000', 'redis+cluster://:secret@h1,h2:7000/0?tls=1'])(
    'reads the nodes of a cluster that is encrypted: %s',
    (url) => {
      const settings = { password: 'secret', tls: {} };

      expect(readFailoverUrl(url)).toEqual({
        type: 'cluster',
        servers: [
          { host: 'h1', port: 6379 },
          { host: 'h2', port: 7000 },
        ],
        settings,
        askingSettings: settings,
      });
    },
  );

  it.each([
    'redis+sentinel://ann:secret@h1:26379',
    'redis+sentinel://ann:secret@/mymaster',
    'redis+sentinel://ann:secret@h1:port/mymaster',
    'redis+sentinel://ann:secret@h1,,h2/mymaster',
    'redis+cluster://ann:secret@h1/3',
    'redis+cluster:ann:secret@h1',
  ])('refuses %s, without the password', (url) => {
    expect(() => readFailoverUrl(url)).toThrow(
      expect.objectContaining({ code: 'REDIS_URL', message: expect.not.stringContaining('secret') }),
    );
  });

  it('leaves other URLs to the client', () => {
    expect(['redis://h', 'rediss://h', 'unix:///s', '/s', 'h'].map(isFailoverUrl)).not.toContain(true);
  });
});
