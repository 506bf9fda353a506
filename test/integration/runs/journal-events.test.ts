import { RunEvent } from '@millrace/api';
import { createVocabulary } from '@millrace/catalog';
import type { JournalEntry } from '@millrace/core';
import { compile, Draft, evolve, State } from '@millrace/core';
import { eventDefinitions, storedEvent } from '@millrace/core/schemas';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createEntryReader } from '../../../packages/runtime/src/events/read-events.ts';
import type { Golden } from '../../golden/golden.ts';
import { goldens } from '../../golden/golden.ts';

/* An event is defined once: its stored form, and the form that readers get, are those of the definition. */

const Stored = z.discriminatedUnion('type', eventDefinitions.map(storedEvent) as unknown as [z.ZodObject]);

/** Reads a recorded journal as tenants read the journals of their runs; its messages are not recorded. */
async function published({ workflow, journal }: Golden) {
  const plan = compile(workflow, createVocabulary());
  const state = new State();
  for (const { at, event } of journal) {
    const draft = new Draft(state);
    evolve({ plan, draft, at }, event);
    state.apply(draft.writes());
  }
  const after = (id: string) => journal.findIndex((one) => one.id === id) + 1;
  const store = {
    journal: (_run: string, id: string, limit: number): Promise<readonly JournalEntry[]> =>
      Promise.resolve(journal.slice(after(id), after(id) + limit)),
    heads: (_run: string, ids: readonly string[]) => Promise.resolve(ids.map(() => undefined)),
  };
  const blobs = { has: () => Promise.resolve(false), read: () => neverRead() };
  return createEntryReader({ store, blobs }, 'run_golden', { plan, state })(journal);
}

// biome-ignore lint/correctness/useYield: nothing is stored
async function* neverRead(): AsyncGenerator<Uint8Array> {
  throw new Error('a recorded journal has no blobs');
}

describe.each([...goldens()])('the events of a %s', (_shape, golden) => {
  it('have the stored fields of their definitions, and no others', () => {
    for (const { event } of golden.journal) expect(Stored.parse(event)).toEqual(event);
  });

  it('are published with the fields of the schema of the API, and no others', async () => {
    const entries = await published(golden);

    expect(entries).toHaveLength(golden.journal.length);
    for (const entry of entries) expect(RunEvent.parse(entry)).toEqual(entry);
    expect(JSON.stringify(entries)).not.toContain('"token"');
  });
});

it('defines each type of events once', () => {
  const types = eventDefinitions.map(({ type }) => type);
  expect(new Set(types).size).toBe(types.length);
});
