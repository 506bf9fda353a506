import { useQuery } from '@tanstack/react-query';
import { millrace } from '../api/millrace.ts';
import { Skeleton } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { TextDiff } from '../kit/text/text-diff.tsx';
import { rowsOf } from '../run/timeline/rows-of.ts';
import type { TimelineRow } from '../run/timeline/timeline-row.ts';
import type { AskedTask } from './use-tasks.ts';

interface PreviousInputProps {
  readonly task: AskedTask;
  /** Node whose words are compared. */
  readonly from: string;
  readonly text: string;
}

/** What a node says now, compared with what it said when the same question was asked the last time. */
export function PreviousInput({ task, from, text }: PreviousInputProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['previous input', task.id, from],
    queryFn: () => previousTextFrom(task, from),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error !== null) return <Problem error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={3} />;
  return data === null ? <p>It is asked for the first time.</p> : <TextDiff before={data} after={text} />;
}

/** Returns the last message of a node in the previous activation of the node that asks; null if there is none. */
async function previousTextFrom({ id, runId }: AskedTask, from: string): Promise<string | null> {
  const previous = await previousActivation(runId, Number(id.slice(id.lastIndexOf('.a') + 2)));
  if (previous === undefined) return null;
  const { input } = await millrace.runs.get(runId).activation(previous);
  return input.findLast(({ source }) => source === from)?.text ?? null;
}

/** Numbers of activations in the first part of a run that is searched, and in the longest one. */
const firstPart = 50;
const longestPart = 10_000;

/**
 * Returns the activation of the same node before one; undefined if it is the first. The run is searched backwards in parts
 * that grow, so that the cost depends on how long ago that was.
 */
async function previousActivation(runId: string, asking: number): Promise<string | undefined> {
  let end = asking;
  let own: TimelineRow | undefined;
  for (let size = firstPart; end > 0; size = Math.min(size * 4, longestPart)) {
    const start = Math.max(0, end - size);
    const rows = rowsOf(await millrace.runs.get(runId).timeline({ after: `a${start}`, limit: end - start }));
    own ??= rows.find((row) => row.id === `a${asking}`);
    const found = rows.findLast(
      (row) => row !== own && row.node === own?.node && row.graph === own.graph && row.unit === own.unit,
    );
    if (found !== undefined) return found.id;
    end = start;
  }
  return undefined;
}
