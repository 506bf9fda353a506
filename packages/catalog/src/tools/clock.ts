import type { ToolDefinition } from '@millrace/core';
import { defineTool } from '@millrace/core';
import { z } from 'zod';

/** Tools for the time. */
export const clockTools: readonly ToolDefinition[] = [
  defineTool<{ seconds: number }>({
    name: 'wait',
    module: 'utils',
    effect: 'read',
    description: 'Wait for a number of seconds before anything else is done.',
    parameters: z.object({ seconds: z.number().min(0).max(86_400).describe('How long to wait.') }),
    async execute({ seconds }, { sleep, signal }) {
      await sleep(seconds * 1000, signal);
      return `Waited ${seconds} s.`;
    },
  }),
  defineTool({
    name: 'get_current_time',
    module: 'utils',
    effect: 'read',
    description: 'Get the current date and time, as YYYY-MM-DD HH:MM:SS in the time zone of the worker.',
    parameters: z.object({}),
    execute: (_args, { now }) => localTime(new Date(now())),
  }),
];

function localTime(date: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`;
}
