import { resolve } from 'node:path';
import type { RunSource } from '@millrace/runtime';
import { CommandError, exitCodes } from '../exit/exit.ts';

/** The run that another one is made of, as it was named: by its id, or by the file that it was archived to. */
export function runSource(run: string | undefined, file: string | undefined): RunSource {
  if (run !== undefined && file === undefined) return run;
  if (file !== undefined && run === undefined) return { file: resolve(file) };
  throw new CommandError(exitCodes.invalid, 'Give the id of a run, or --file with the path of an archived one.');
}

/** The same in words. */
export const sourceName = (source: RunSource): string => (typeof source === 'string' ? source : source.file);
