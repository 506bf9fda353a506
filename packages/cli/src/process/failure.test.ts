import { readdirSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { statusOf } from '@millrace/api/codes';
import { ApiProblem, UnexpectedResponseError } from '@millrace/client';
import { RequestError } from '@millrace/core';
import { expect, it } from 'vitest';
import { processTerminal } from '../output/terminal/terminal.ts';
import { reportFailure } from './failure.ts';

it.each([
  ['RUN_UNKNOWN', 3],
  ['TASK_UNKNOWN', 3],
  ['RUN_ENDED', 4],
  ['TASK_ANSWERED', 4],
  ['TASK_AMBIGUOUS', 2],
  ['INPUT_EMPTY', 2],
  ['REDIS_URL', 2],
  ['REDIS_MISSING', 5],
])('reports %s by exit code %i', async (code, exit) => {
  const said = await reported(code);
  expect(said).toEqual({ exit, text: expect.stringContaining(`It is so. [${code}]`) });
});

it.each([
  [503, 'NOT_READY', 5],
  [502, 'UNKNOWN', 5],
  [429, 'RATE_LIMITED', 5],
  [500, 'INTERNAL', 70],
  [401, 'TOKEN_INVALID', 4],
  [404, 'WEBHOOK_UNKNOWN', 3],
  [413, 'BODY_TOO_LARGE', 2],
  [422, 'ADDRESS_REFUSED', 2],
  [409, 'constructor', 4],
])('reports the status %i (%s) by exit code %i', async (status, code, exit) => {
  expect(await report(new ApiProblem({ status, code, detail: 'It is so.' }))).toEqual({
    exit,
    text: `It is so. [${code}]`,
  });
});

it.each(['SECRET_UNAVAILABLE', 'RUN_UNFINISHED', 'FILE_MISSING', 'WORKFLOW_ARCHIVED', 'FORMAT_NEWER'])(
  'ends with the same code when %s is refused locally and by a server',
  async (code) => {
    const remote = await report(new ApiProblem({ status: statusOf(code), code, detail: 'It is so.' }));
    expect(await reported(code)).toEqual(remote);
  },
);

it('names the address of a server that is no API', async () => {
  const foreign = new UnexpectedResponseError(new Response('hi'));
  expect(await report(foreign)).toEqual({ exit: 5, text: expect.stringMatching(/no Millrace API.*MILLRACE_URL/) });
});

/** Pages that name an exit code before their cause; the one of CANCELLED is about the end of a run, not about a refusal. */
const pages = readdirSync(new URL('../../../../docs/errors/', import.meta.url)).flatMap((file) => {
  const text = readFileSync(new URL(`../../../../docs/errors/${file}`, import.meta.url), 'utf8');
  const [, exit] = /Exit code (\d+)/.exec(text.split('## Cause')[0] ?? '') ?? [];
  return exit === undefined || file === 'CANCELLED.md' ? [] : [{ code: file.replace('.md', ''), exit: Number(exit) }];
});

it('finds exit codes in the error pages', () => expect(pages.length).toBeGreaterThan(40));

it.each(pages)('ends with exit code $exit, as the page of $code says', async ({ code, exit }) => {
  expect(await reported(code)).toMatchObject({ exit });
});

it('reports the path that cannot be written, and how to set another one', async () => {
  const file = fileURLToPath(import.meta.url);
  const error: unknown = await mkdir(join(file, 'below')).catch((reason: unknown) => reason);

  expect(await report(error)).toEqual({
    exit: 2,
    text: expect.stringMatching(
      /failure\.test\.ts.*ENOTDIR.*Choose another one; MILLRACE_DIR names that of local data/,
    ),
  });
});

it('reports a full disk, although the error names no path', async () => {
  const error = Object.assign(new Error('ENOSPC: no space left on device, write'), {
    code: 'ENOSPC',
    syscall: 'write',
  });

  expect(await report(error)).toEqual({ exit: 2, text: expect.stringMatching(/^A disk is full: .*MILLRACE_DIR/) });
});

it('reports the problem of a request once', async () => {
  const errors = [{ pointer: '/input', detail: 'is missing' }];
  const refused = Object.assign(new Error('The body is invalid: /input: is missing.'), { errors });

  const { text } = await report(Object.assign(refused, { name: 'ApiProblem', code: 'REQUEST_INVALID' }));

  expect(text.match(/is missing/g)).toHaveLength(1);
});

const reported = (code: string) => report(new RequestError(code, 'It is so.'));

async function report(error: unknown): Promise<{ readonly exit: number; readonly text: string }> {
  const said: string[] = [];
  const terminal = { ...processTerminal(), say: (text: string) => void said.push(text) };
  const exit = await reportFailure(terminal, error);
  return { exit, text: said.join() };
}
