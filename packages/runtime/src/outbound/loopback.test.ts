import { describe, expect, it } from 'vitest';
import { isLoopback, isLoopbackHost } from './loopback.ts';

describe('isLoopback', () => {
  it.each(['127.0.0.1', '127.8.0.1', '::1', '::ffff:127.0.0.1', 'localhost'])('accepts %s as loopback', (host) => {
    expect(isLoopback(host)).toBe(true);
  });

  it.each(['0.0.0.0', '::', '192.168.0.10', '::ffff:192.168.0.10', 'example.com', '', '127.0.0.1.example.com'])(
    'refuses %j',
    (host) => {
      expect(isLoopback(host)).toBe(false);
    },
  );
});

describe('isLoopbackHost', () => {
  it.each(['127.0.0.1:8000', 'localhost', 'localhost:8000', '[::1]:8000'])('accepts %s', (host) => {
    expect(isLoopbackHost(host)).toBe(true);
  });

  it.each([
    'rebound.example.com:8000',
    '127.0.0.1.example.com',
    'localhost@example.com',
    'example.com#localhost',
    'local host',
    '',
  ])('refuses %j', (host) => {
    expect(isLoopbackHost(host)).toBe(false);
  });
});
