import { describe, expect, it } from 'vitest';
import { assertLocalRequest, isLoopback } from './loopback.ts';

describe('isLoopback', () => {
  it.each(['127.0.0.1', '127.8.0.1', '::1', 'localhost'])('knows that nobody else reaches %s', (host) => {
    expect(isLoopback(host)).toBe(true);
  });

  it.each(['0.0.0.0', '::', '192.168.0.10', 'example.com', '', '127.0.0.1.example.com'])('doubts %j', (host) => {
    expect(isLoopback(host)).toBe(false);
  });
});

describe('assertLocalRequest', () => {
  it.each([
    { host: '127.0.0.1:8000' },
    { host: 'localhost:8000', origin: 'http://localhost:3000' },
    { host: '[::1]:8000' },
    {},
  ])('lets %j in', (request) => {
    expect(() => assertLocalRequest(request)).not.toThrow();
  });

  it.each([
    { host: 'rebound.example.com:8000' },
    { host: '127.0.0.1:8000', origin: 'https://example.com' },
    { host: '127.0.0.1:8000', origin: 'null' },
  ])('refuses %j', (request) => {
    expect(() => assertLocalRequest(request)).toThrow(expect.objectContaining({ code: 'HOST_NOT_LOOPBACK' }));
  });
});
