import type { Run, RunLine, RunsResource } from '@millrace/client';
import type { Session } from '../client/session.ts';
import { isLocal } from '../client/session.ts';
import { CommandError, exitCodes, refusalIn } from '../exit/exit.ts';

/** Runs among which a prefix is looked up: the newest ones of a tenant. */
const searchedRuns = 5_000;
const largestPage = 200;
/** Runs that are named when a prefix is ambiguous. */
const namedRuns = 5;

/** Ids that Millrace has made are never looked up as a prefix. */
const wholeId = /^([^~]+~)?run_[0-9a-f]{32}$/;

/**
 * Returns the id of the run that a person names by its id or by a prefix of it that no other run has. Returns an unknown
 * name as it is. Throws a CommandError when the name is empty, and a refusal with `RUN_AMBIGUOUS` when several runs have the prefix.
 */
export async function resolveRun(session: Session, named: string): Promise<string> {
  // Every run begins with nothing: a script whose variable is not set would act on a run that it does not mean.
  if (named === '')
    throw new CommandError(exitCodes.invalid, 'The id of the run is empty. `millrace runs` lists the ids.');
  if (wholeId.test(named) || (await exists(session, named))) return named;
  const matches: string[] = [];
  let searched = 0;
  for await (const { runId } of (await runsOf(session, named)).list({ limit: largestPage })) {
    if (runId.startsWith(named)) matches.push(runId);
    searched += 1;
    if (matches.length > namedRuns || searched >= searchedRuns) break;
  }
  if (matches.length > 1) throw await ambiguous(named, matches);
  return matches[0] ?? named;
}

async function exists({ millrace }: Session, run: string): Promise<boolean> {
  try {
    await millrace.runs.get(run).describe();
    return true;
  } catch (error) {
    const refusal = refusalIn(error);
    if (refusal?.code === 'RUN_UNKNOWN' || refusal?.pointers.includes('/id') === true) return false;
    throw error;
  }
}

/** Returns the runs of the tenant that an id on the machine itself begins with. */
async function runsOf(session: Session, named: string): Promise<Pick<RunsResource, 'list'>> {
  const [tenant, rest] = named.split('~', 2);
  if (rest === undefined || tenant === undefined || !isLocal(session)) return session.millrace.runs;
  return (await session.ofTenant(tenant)).runs;
}

async function ambiguous(named: string, matches: readonly RunLine['runId'][]): Promise<Error> {
  const { ApiProblem } = await import('@millrace/client');
  const list = matches.slice(0, namedRuns).map((run) => `  ${run}`);
  const more = matches.length > namedRuns ? ['  …'] : [];
  const detail = [`Several runs begin with ${named}; add characters of the one you mean:`, ...list, ...more].join('\n');
  return new ApiProblem({ status: 409, code: 'RUN_AMBIGUOUS', detail });
}

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
  new CommandError(exitCodes.notFound, `There is no run ${run}. \`millrace runs\` lists them.`, {
    code: 'RUN_UNKNOWN',
  });
