import type { Command } from 'commander';
import { collect } from './collect-argument.ts';

/** Adds the option for files that are attached to a task or an answer. */
export const addAttachOption = (command: Command, to: 'task' | 'answer'): Command =>
  command.option(
    '--attach <file>',
    `attach a file, or the id of an uploaded one, to the ${to}; may be repeated`,
    collect,
  );
