import type { ActivationId, JournalEntry, Replay } from '@millrace/core';
import { Recording } from '@millrace/core';
import type { Blobs } from '../ports/blobs.ts';
import type { Ancestor } from './ancestor.ts';
import { copiedEntries } from './journal-copy.ts';

/**
 * Returns a run whose journal names the outputs that took the place of executions. A replay of a fork takes a given output
 * from the journal of the fork, and its own journal has no call that a further replay could read instead.
 */
export async function withGivenOutputs(blobs: Blobs, ancestor: Ancestor): Promise<Ancestor> {
  const replay = ancestor.state.get('origin')?.replay;
  if (replay === undefined) return ancestor;
  const given = await givenIn(blobs, ancestor, replay);
  if (given.size === 0) return ancestor;
  return { ...ancestor, journal: () => namingOutputs(ancestor, given) };
}

/** Returns the activations of a replay whose output was given in the run that it repeats. */
async function givenIn(blobs: Blobs, ancestor: Ancestor, replay: Replay): Promise<ReadonlySet<ActivationId>> {
  const [source, own] = [new Recording(), new Recording()];
  try {
    for await (const entry of copiedEntries(blobs, replay.journal)) source.add(entry);
  } catch {
    // The copy was removed together with the replay, of which only the archive is left.
    return new Set();
  }
  const given = new Set<ActivationId>();
  for await (const entry of ancestor.journal()) {
    own.add(entry);
    const { event } = entry;
    if (event.type !== 'activation.completed') continue;
    const place = own.pathOf(event.activation);
    const recorded = place === undefined ? undefined : source.at(place);
    if (recorded?.output !== undefined && isBefore(recorded.activation, replay.liveFrom)) given.add(event.activation);
  }
  return given;
}

/** Activations are numbered as they become ready. */
const isBefore = (activation: ActivationId, liveFrom: ActivationId | undefined): boolean =>
  liveFrom === undefined || Number(activation.slice(1)) < Number(liveFrom.slice(1));

/** Yields a journal with an event of a fork before each completion with a given output, as the journal of a fork has it. */
async function* namingOutputs(ancestor: Ancestor, given: ReadonlySet<ActivationId>): AsyncIterable<JournalEntry> {
  for await (const entry of ancestor.journal()) {
    const { event } = entry;
    const output = event.type === 'activation.completed' ? event.outputs.at(-1) : undefined;
    if (event.type === 'activation.completed' && output !== undefined && given.has(event.activation)) {
      const { activation } = event;
      yield {
        ...entry,
        event: { type: 'run.forked', of: ancestor.run, activation, until: entry.at, token: '', output },
      };
    }
    yield entry;
  }
}
