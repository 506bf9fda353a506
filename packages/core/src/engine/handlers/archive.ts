import type { Command } from '../commands/command.ts';
import type { Refusal } from '../commands/refusal.ts';
import { refuse } from '../commands/refusal.ts';
import type { DecisionContext } from '../state/decision-context.ts';

/** Notes where a part of the journal is kept; it has to be the next one. */
export function archive(
  { draft, emit }: DecisionContext,
  { from, to, digest, messages }: Extract<Command, { type: 'archive' }>,
): Refusal | undefined {
  const last = draft.list('archive/journal').at(-1)?.to ?? 0;
  if (from !== last) return refuse('ARCHIVE_MOVED', `The journal is archived up to version ${last}, not ${from}.`);
  emit({ type: 'journal.archived', to, digest, messages });
  return undefined;
}
