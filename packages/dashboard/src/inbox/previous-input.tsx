import { useQuery } from '@tanstack/react-query';
import { millrace } from '../api/millrace.ts';
import { Skeleton } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { TextDiff } from '../kit/text/text-diff.tsx';
import type { PartBefore } from '../run/timeline/load-rows-before.ts';
import { firstPartBefore, loadRows, partBefore } from '../run/timeline/load-rows-before.ts';
import type { TimelineRow } from '../run/timeline/timeline-row.ts';
import type { AskedTask } from './use-tasks.ts';

interface PreviousInputProps {
  readonly task: AskedTask;
  /** Node whose words are compared. */
  readonly from: string;
  readonly text: string;
}

/** Text of a node, compared with its text at the previous question. */
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

/** Returns the last input of the same node in its previous activation; null if there is none. */
async function previousTextFrom({ id, runId }: AskedTask, from: string): Promise<string | null> {
  const previous = await previousActivation(runId, Number(id.slice(id.lastIndexOf('.a') + 2)));
  if (previous === undefined) return null;
  const { input } = await millrace.runs.get(runId).activation(previous);
  return input.findLast(({ source }) => source === from)?.text ?? null;
}

/** Returns the previous activation of the same node; undefined for the first. Searches the run backwards. */
async function previousActivation(runId: string, asking: number): Promise<string | undefined> {
  let own: TimelineRow | undefined;
  for (let part: PartBefore | undefined = firstPartBefore(`a${asking}`); part !== undefined; part = partBefore(part)) {
    const rows = await loadRows(millrace.runs.get(runId), part);
    own ??= rows.find((row) => row.id === `a${asking}`);
    const found = rows.findLast(
      (row) => row !== own && row.node === own?.node && row.graph === own.graph && row.unit === own.unit,
    );
    if (found !== undefined) return found.id;
  }
  return undefined;
}
