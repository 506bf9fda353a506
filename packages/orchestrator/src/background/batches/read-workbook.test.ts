import { zipSync } from 'fflate';
import { expect, it } from 'vitest';
import { readWorkbook } from './read-workbook.ts';

const damaged = zipSync({ 'a.xml': Buffer.from('x'.repeat(100)) }).fill(255, 35, 38);
const codeOf = (tenant: string) =>
  readWorkbook(damaged, tenant).then(
    () => 'read',
    ({ code }: { readonly code: string }) => code,
  );

it('refuses to read when many files of a tenant wait already, and accepts again afterwards', async () => {
  const codes = await Promise.all(Array.from({ length: 20 }, () => codeOf('evil')));

  expect(new Set(codes)).toEqual(new Set(['BATCH_INVALID', 'NOT_READY']));
  expect(codes.filter((code) => code === 'BATCH_INVALID').length).toBeLessThanOrEqual(10);
  expect(await codeOf('evil')).toBe('BATCH_INVALID');
});

it('reads an Excel file of a tenant while another one sends many, before all of theirs', async () => {
  const order: string[] = [];
  const read = async (tenant: string) => {
    const code = await codeOf(tenant);
    if (code !== 'NOT_READY') order.push(tenant);
    return code;
  };
  const many = Array.from({ length: 20 }, () => read('evil'));

  expect(await read('acme')).toBe('BATCH_INVALID');

  await Promise.all(many);
  expect(order.indexOf('acme')).toBeLessThanOrEqual(2);
});
