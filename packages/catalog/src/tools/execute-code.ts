import { defineTool } from '@millrace/core';
import { z } from 'zod';

/** Tool that runs Python of a model in the sandbox of `python` nodes. The file of the code is removed afterwards. */
export const executeCode = defineTool<{ code: string; time_out: number }>({
  name: 'execute_code',
  module: 'code_executor',
  description: 'Run Python code in the workspace and get what it prints.',
  parameters: z.object({
    code: z.string().describe('The code.'),
    time_out: z.int().min(1).max(3600).default(60).describe('Time limit in seconds.'),
  }),
  workspace: true,
  program: ({ code, time_out }) => ({
    interpreter: 'python3',
    args: [],
    env: {},
    timeoutSeconds: time_out,
    encoding: 'utf-8',
    script: code,
    isTemporary: true,
  }),
  answer({ end, stdout, stderr }) {
    if (end.type === 'missing') throw new Error('the machine of the worker has no python3');
    const printed = `${stdout}${stderr}`;
    if (end.type !== 'exited') return `${printed}\nError: Execution timed out`;
    return end.code === 0 ? printed : `${printed}\nError: The program ended with the code ${end.code}`;
  },
});
