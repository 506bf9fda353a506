import { expect, it } from 'vitest';
import { runDetect } from './detect-functions.ts';

const output = { command: 'finish', command_args: {}, thought: '' };
const context = { round: 1, source: 'Boss', commands: [], memory: {} };

it('fails a decision when its function throws', async () => {
  const judge = () => {
    throw new Error('no');
  };

  await expect(runDetect(new Map([['judge', judge]]), 'judge', { output, context })).rejects.toMatchObject({
    code: 'DETECT_FAILED',
  });
});

it('fails a decision when the worker does not have its function', async () => {
  await expect(runDetect(new Map(), 'judge', { output, context })).rejects.toMatchObject({ code: 'FUNCTION_MISSING' });
});
