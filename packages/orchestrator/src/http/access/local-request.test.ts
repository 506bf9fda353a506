import { describe, expect, it } from 'vitest';
import type { RequestSource } from './local-request.ts';
import { assertLocalRequest } from './local-request.ts';

const here = { ip: '127.0.0.1', host: '127.0.0.1:4700', protocol: 'http', method: 'POST', headers: {} } as const;
const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
const codeOf = (changes: Partial<RequestSource>): unknown => {
  try {
    assertLocalRequest({ ...here, ...changes });
    return 'passes';
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

describe('a request without a key', () => {
  it.each<Partial<RequestSource>>([
    {},
    { host: '' },
    { host: 'localhost:4700', ip: '::1' },
    { host: '[::1]:4700', ip: '::ffff:127.0.0.1' },
    { headers: { origin: 'http://127.0.0.1:4700' } },
    { host: 'localhost:80', headers: { origin: 'http://localhost' } },
    { headers: { 'sec-fetch-site': 'same-origin' } },
    { headers: { 'sec-fetch-site': 'none' } },
    { method: 'GET', headers: link },
  ])('is accepted with %j', (changes) => {
    expect(codeOf(changes)).toBe('passes');
  });

  it.each<Partial<RequestSource>>([
    { host: 'rebound.example.com:4700' },
    { host: 'rebound.example.com:4700', headers: { origin: 'http://rebound.example.com:4700' } },
  ])('is refused under the name of another machine: %j', (changes) => {
    expect(codeOf(changes)).toBe('HOST_NOT_LOOPBACK');
  });

  it.each<Partial<RequestSource>>([
    { headers: { origin: 'https://example.com' } },
    { headers: { origin: 'http://127.0.0.1:3000' } },
    { headers: { origin: 'http://localhost:4700' } },
    { headers: { origin: 'https://127.0.0.1:4700' } },
    { headers: { origin: 'null' } },
    { headers: { origin: '' } },
    { headers: { 'sec-fetch-site': 'same-site' } },
    { headers: { 'sec-fetch-site': 'cross-site' } },
    { headers: { origin: 'http://127.0.0.1:4700', 'sec-fetch-site': 'cross-site' } },
    { headers: link },
    { method: 'GET', headers: { ...link, 'sec-fetch-dest': 'iframe' } },
    { method: 'GET', headers: { ...link, 'sec-fetch-mode': 'no-cors' } },
    { method: 'DELETE', headers: link },
  ])('is refused from a page of another origin: %j', (changes) => {
    expect(codeOf(changes)).toBe('ORIGIN_REFUSED');
  });

  it.each<Partial<RequestSource>>([
    { headers: { forwarded: 'for=127.0.0.1' } },
    { headers: { 'x-forwarded-for': '127.0.0.1' } },
    { headers: { 'x-forwarded-proto': 'https' } },
    { headers: { 'x-real-ip': '127.0.0.1' } },
    { ip: '203.0.113.9' },
    { ip: '203.0.113.9', ips: ['127.0.0.1', '203.0.113.9'], headers: { 'x-forwarded-for': '203.0.113.9' } },
    { ips: ['127.0.0.1'], headers: { 'x-forwarded-proto': 'https' } },
    { ips: ['127.0.0.1', '127.0.0.1'], headers: { 'x-forwarded-for': '127.0.0.1', forwarded: 'for=203.0.113.9' } },
  ])('requires a key when a proxy may have forwarded it from another machine: %j', (changes) => {
    expect(codeOf(changes)).toBe('KEY_MISSING');
  });

  it('is accepted when a trusted proxy reports a client on this machine', () => {
    expect(codeOf({ ips: ['127.0.0.1', '127.0.0.1'], headers: { 'x-forwarded-for': '127.0.0.1' } })).toBe('passes');
  });
});
