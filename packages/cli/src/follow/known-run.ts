import type { Run } from '@millrace/client';
import type { Session } from '../client/session.ts';
import { CommandError, exitCodes } from '../exit/exit.ts';
import { refusalIn } from '../exit/refusal.ts';

/** Returns the state of a run. Throws CommandError if it does not exist. */
export const describe = ({ millrace }: Session, run: string): Promise<Run> =>
  millrace.runs.get(run).describe().catch(rethrowUnknownRun(run));

/** Returns a handler that rethrows errors, those about a run that does not exist as CommandError. */
export const rethrowUnknownRun =
  (run: string) =>
  (error: unknown): never => {
    throw isUnknown(error) ? unknownRun(run) : error;
  };

/** Tests if an error says that a run does not exist, or that its id is invalid. */
function isUnknown(error: unknown): boolean {
  const refusal = refusalIn(error);
  return refusal?.code === 'RUN_UNKNOWN' || refusal?.pointers.includes('/id') === true;
}

const unknownRun = (run: string): CommandError =>
  new CommandError(exitCodes.notFound, `There is no run ${run}. \`millrace runs\` lists them.`);
