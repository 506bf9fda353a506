import { zipSync } from 'fflate';
import { expect, it } from 'vitest';
import { readWorkbook } from './read-workbook.ts';

it('refuses to read when many wait already, and accepts again afterwards', async () => {
  const damaged = zipSync({ 'a.xml': Buffer.from('x'.repeat(100)) }).fill(255, 35, 38);
  const codeOf = () =>
    readWorkbook(damaged).then(
      () => 'read',
      ({ code }: { readonly code: string }) => code,
    );

  const codes = await Promise.all(Array.from({ length: 20 }, codeOf));

  expect(new Set(codes)).toEqual(new Set(['BATCH_INVALID', 'NOT_READY']));
  expect(codes.filter((code) => code === 'BATCH_INVALID').length).toBeLessThanOrEqual(10);
  expect(await codeOf()).toBe('BATCH_INVALID');
});
