import type { ActivationId, JournalEntry, RunId } from '@millrace/core';
import type { RunDescription } from '@millrace/runtime';
import { waitUntil } from '../waiting.ts';
import { journalOf } from './audit.ts';
import type { Stage } from './stage.ts';
import { endedRun, entriesOf } from './watching.ts';

export const twoInARow = `
graph:
  id: row
  nodes:
    - { id: First, type: wait_for, config: { event: go } }
    - { id: Second, type: wait_for, config: { event: go } }
  edges: [{ from: First, to: Second }]
`;

export const beforePerson = `
graph:
  id: before
  nodes:
    - { id: Wait, type: wait_for, config: { event: go } }
    - { id: Ask, type: human, config: {} }
  edges: [{ from: Wait, to: Ask }]
`;

export const timed = (config: string) => `
graph:
  id: timed
  nodes:
    - { id: Wait, type: wait_for, config: { event: go, ${config} } }
    - { id: InTime, type: template, config: { text: 'in time: {{ text }}' } }
    - { id: TooLate, type: template, config: { text: 'too late: {{ text }}' } }
    - { id: End, type: passthrough, config: {} }
  edges:
    - { from: Wait, to: InTime, condition: { type: branch, config: { is: event } } }
    - { from: Wait, to: TooLate, condition: { type: branch, config: { is: timeout } } }
    - { from: InTime, to: End }
    - { from: TooLate, to: End }
`;

const cared = new WeakSet<Stage>();

/** Waits until a part of a run's journal is archived, which may end after the run, and returns the journal. */
export const archivedJournalOf = ({ runtime }: Stage, run: RunId): Promise<readonly JournalEntry[]> =>
  waitUntil(async () => {
    const journal = await journalOf(runtime.store, run);
    return journal.some(({ event }) => event.type === 'journal.archived') ? journal : undefined;
  });

/** Starts the caretaker of a stage, which submits alarms. */
export function caretaking(stage: Stage): void {
  if (cared.has(stage)) return;
  cared.add(stage);
  stage.runtime.startCaretaker();
}

/** Waits until nodes of a run have begun this many waits for events. */
export const waits = (stage: Stage, run: RunId, times = 1) => suspended(stage, run, { kind: 'event', times });
export const asks = (stage: Stage, run: RunId) => suspended(stage, run, { kind: 'human', times: 1 });

async function suspended(
  stage: Stage,
  run: RunId,
  { kind, times }: { readonly kind: string; readonly times: number },
): Promise<ActivationId> {
  let seen = 0;
  for await (const { event } of entriesOf(stage.runtime.runs, run))
    if (event.type === 'activation.suspended' && event.wait.kind === kind && ++seen === times) return event.activation;
  throw new Error(`run ${run} has ended without a wait`);
}

export const say = (stage: Stage, run: RunId) =>
  stage.runtime.runs.answer(run, undefined, {
    message: { role: 'user', content: 'yes', source: 'person', keep: false },
  });

export const ended = (stage: Stage, run: RunId): Promise<RunDescription> => endedRun(stage.runtime.runs, run);

export async function seen(stage: Stage, run: RunId): Promise<{ readonly journal: readonly JournalEntry[] }> {
  await ended(stage, run);
  return { journal: await journalOf(stage.runtime.store, run) };
}
