import { useQuery } from '@tanstack/react-query';
import { millrace } from '../api/millrace.ts';
import { Skeleton } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { TextDiff } from '../kit/text/text-diff.tsx';
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
async function previousTextFrom({ id, runId, node }: AskedTask, from: string): Promise<string | null> {
  const asking = Number(id.slice(id.lastIndexOf('.a') + 2));
  const run = millrace.runs.get(runId);
  let previous: string | undefined;
  for await (const activation of run.activations({ node })) {
    if (Number(activation.id.slice(1)) >= asking) break;
    previous = activation.id;
  }
  if (previous === undefined) return null;
  const { input } = await run.activation(previous);
  return input.findLast(({ source }) => source === from)?.text ?? null;
}
