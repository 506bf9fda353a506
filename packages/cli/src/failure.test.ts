import { RequestError } from '@millrace/core';
import { expect, it } from 'vitest';
import { reportFailure } from './failure.ts';
import { processTerminal } from './terminal.ts';

it.each([
  ['RUN_UNKNOWN', 3],
  ['TASK_UNKNOWN', 3],
  ['RUN_ENDED', 4],
  ['TASK_ANSWERED', 4],
  ['TASK_AMBIGUOUS', 2],
  ['INPUT_EMPTY', 2],
  ['REDIS_URL', 2],
  ['REDIS_MISSING', 5],
])('tells scripts of %s by exit code %i', async (code, exit) => {
  const said: string[] = [];
  const terminal = { ...processTerminal(), say: (text: string) => void said.push(text) };
  expect(await reportFailure(terminal, new RequestError(code, 'It is so.'))).toBe(exit);
  expect(said.join()).toContain(`It is so. [${code}]`);
});
