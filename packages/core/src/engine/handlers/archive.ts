import type { ArchivedSegment } from '../records/event.ts';
import type { DecisionContext, Refusal } from '../state/decision-context.ts';
import { refuse } from '../state/decision-context.ts';

/** Reports that the journal after the version `from` is stored as a blob. */
interface ArchiveCommand extends ArchivedSegment {
  readonly type: 'archive';
  readonly from: number;
}

/** Records where a part of the journal is stored; it must be the next part. */
export function archive(
  { draft, emit }: DecisionContext,
  { type: _type, from, ...segment }: ArchiveCommand,
): Refusal | undefined {
  const last = draft.list('archive/journal').at(-1)?.to ?? 0;
  if (from !== last) return refuse('ARCHIVE_MOVED', `The journal is archived up to version ${last}, not ${from}.`);
  emit({ type: 'journal.archived', ...segment });
  return undefined;
}
