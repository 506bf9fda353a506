import { skipToken, useQuery } from '@tanstack/react-query';
import { millrace } from '../../api/millrace.ts';

/** Input and settings that a new run takes over from another one. */
export interface OriginRun {
  readonly input: string;
  readonly vars: Readonly<Record<string, unknown>>;
  readonly tags: readonly string[];
  /** Limits of its budget; microUsd are millionths of a US dollar. */
  readonly budget: { readonly microUsd?: number | undefined; readonly tokens?: number | undefined };
  /** Reference of its workflow in the version of the run, if it is published in that version. */
  readonly workflow?: string | undefined;
  /** The text of its workflow; absent for a run that was started without it. */
  readonly yaml?: string | undefined;
}

/** Loads the task and the settings of the run that a new run copies; undefined without such a run. */
export function useOrigin(from: string | undefined) {
  return useQuery({
    queryKey: ['run', from, 'origin'],
    queryFn: from === undefined ? skipToken : () => originOf(from),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

async function originOf(from: string): Promise<OriginRun> {
  const handle = millrace.runs.get(from);
  const [run, { name, hash, yaml, vars, current }, input] = await Promise.all([
    handle.describe('head'),
    handle.workflow(),
    taskOf(from),
  ]);
  const isPublished = current !== null && hash !== null && current.hash === hash;
  return {
    input,
    vars,
    tags: run.tags,
    budget: run.budget?.limit ?? {},
    ...(isPublished ? { workflow: `${name}@${hash}` } : {}),
    ...(yaml === null ? {} : { yaml }),
  };
}

/** Returns the whole text of the task of a run: the first message that its root graph was entered with. */
async function taskOf(run: string): Promise<string> {
  const { data } = await millrace.runs
    .get(run)
    .searchEvents({ type: ['graph.entered'], limit: 1 })
    .page();
  const event = data[0]?.event;
  const [task] = event?.type === 'graph.entered' ? event.task : [];
  return task === undefined ? '' : millrace.runs.get(run).text(task.id);
}
