import { RunEvent } from '@millrace/api';
import { eventDefinitions, storedEvent } from '@millrace/core/schemas';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { goldens } from '../../golden/golden.ts';
import { published } from '../../golden/published.ts';

/* An event is defined once: its stored form, and the form that readers get, are those of the definition. */

// The list of schemas has one for each definition.
const Stored = z.discriminatedUnion('type', eventDefinitions.map(storedEvent) as z.ZodObject[] as [z.ZodObject]);

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
