import type { RunLimits, Write } from '@millrace/core';
import { NodeError } from '@millrace/core';
import type { StoredDecision } from '../ports/store/port.ts';

/** Maximum number of values in one call of Redis: before version 7, its protocol limits it (1024 * 1024). */
const maxValues = 1_000_000;
/** Approximate number of characters of a value that is not a message; entries of lists are references. */
const valueCharacters = 64;
/** Maximum number of characters of a body: a longer one is a blob. */
const bodyCharacters = 64 * 1024;

/** Throws NodeError when a decision is too large for one write; contents in blobs do not count. */
export function assertCommitFits(decision: StoredDecision, { commitCharacters }: RunLimits): void {
  const values = valuesIn(decision);
  if (values > maxValues) throw tooLarge(`${values.toLocaleString('en')} values`, maxValues);
  let characters = values * valueCharacters;
  // The usual case: the bodies need not be measured.
  if (characters + decision.bodies.length * bodyCharacters <= commitCharacters) return;
  for (const { body } of decision.bodies) characters += JSON.stringify(body).length;
  if (characters > commitCharacters) throw tooLarge(`${characters.toLocaleString('en')} characters`, commitCharacters);
}

const tooLarge = (much: string, most: number): NodeError =>
  new NodeError(
    'COMMIT_TOO_LARGE',
    `One step of the run would write ${much}; at most ${most.toLocaleString('en')} can be written at once. Pass on fewer or shorter messages, large ones as files, or raise MILLRACE_MAX_COMMIT_MB.`,
  );

function valuesIn({ events, writes, bodies, wakes, later, settled }: StoredDecision): number {
  const besides = events.length + 2 * (bodies.length + wakes.length + later.length) + settled.length;
  return writes.reduce((sum, write) => sum + valuesOf(write), besides);
}

const valuesOf = (write: Write): number => (write.type === 'append' ? write.entries.length : 2);
