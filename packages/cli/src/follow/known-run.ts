import type { Run } from '@millrace/client';
import type { Session } from '../client/session.ts';
import { CommandError, exitCodes } from '../exit/exit.ts';
import { refusalIn } from '../exit/refusal.ts';

/** Returns the state of a run. Throws CommandError when there is no such run. */
export const describe = ({ millrace }: Session, run: string): Promise<Run> =>
  millrace.runs.get(run).describe().catch(unlessUnknown(run));

/** Returns a handler that rethrows errors, those about a run that does not exist as CommandError. */
export const unlessUnknown =
  (run: string) =>
  (error: unknown): never => {
    throw isUnknown(error) ? unknownRun(run) : error;
  };

/** Returns whether a run is refused because there is none of its id, or can be none. */
function isUnknown(error: unknown): boolean {
  const refusal = refusalIn(error);
  return refusal?.code === 'RUN_UNKNOWN' || refusal?.pointers.includes('/id') === true;
}

const unknownRun = (run: string): CommandError =>
  new CommandError(exitCodes.notFound, `There is no run ${run}. \`millrace runs\` lists them.`);
