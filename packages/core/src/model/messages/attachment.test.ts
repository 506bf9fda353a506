import { expect, it } from 'vitest';
import { attachedPath } from './attachment.ts';

const pathOf = (name: string) => attachedPath({ id: 'a1', name, mimeType: 'text/plain', digest: 'd', size: 1 }) ?? '';

it.each([
  ['letters', `${'a'.repeat(300)}.txt`],
  ['characters of three bytes', `${'日'.repeat(100)}.txt`],
  ['characters of four bytes', `${'😀'.repeat(100)}.txt`],
])('gives a long name of %s a path that file systems take', (_, name) => {
  const path = pathOf(name);
  const last = path.split('/').at(-1) ?? '';

  expect(Buffer.byteLength(last)).toBeLessThanOrEqual(200);
  expect(Buffer.byteLength(last)).toBeGreaterThan(190);
  expect([path.startsWith('attachments/a1/'), last.endsWith('.txt'), last.includes('\uFFFD')]).toEqual([
    true,
    true,
    false,
  ]);
  expect(Buffer.from(last).toString()).toBe(last);
});

it.each([
  ['../../etc/passwd', 'passwd'],
  ['..', '_'],
  ['a\u0000b', 'a_b'],
])('keeps the name %j in its folder', (name, last) => {
  expect(pathOf(name)).toBe(`attachments/a1/${last}`);
});
