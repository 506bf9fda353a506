import { expect, it } from 'vitest';
import { loadOptional } from './optional-package.ts';

const board = { neededBy: 'The page /queues', install: ['@boards/api@9', 'bullmq@6'] };
const missing = (code: string, name: string) => Object.assign(new Error(`Cannot find module '${name}'`), { code });

it.each([
  ['ERR_MODULE_NOT_FOUND', '@boards/api'],
  ['MODULE_NOT_FOUND', 'bullmq'],
])('names the command that installs a package that is missing (%s)', async (code, name) => {
  const load = () => Promise.reject(missing(code, name));

  await expect(loadOptional(board, load)).rejects.toMatchObject({
    code: 'PACKAGE_MISSING',
    message: expect.stringContaining('npm install @boards/api@9 bullmq@6'),
  });
});

it('passes on that an installed package lacks another one', async () => {
  const error = missing('MODULE_NOT_FOUND', 'left-pad');

  await expect(loadOptional(board, () => Promise.reject(error))).rejects.toBe(error);
});
