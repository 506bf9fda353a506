import { operations } from '@millrace/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Outcome, Place } from './operation-places.ts';
import { outcomeOf, places } from './operation-places.ts';
import type { Row } from './operation-row.ts';
import { rows } from './operation-rows.ts';

/*
 * An operation is defined once, and has the same result however it is called: over HTTP and in this process, each on Redis and in
 * memory, and each through the transport of its client. All calls are made first, in each place by itself.
 */

const names = Object.keys(places) as (keyof typeof places)[]; // those of the table
const inMemory: readonly (keyof typeof places)[] = ['over HTTP, in memory', 'in this process, in memory'];
const opened: Place[] = [];
const outcomes = new Map<keyof typeof places, readonly Outcome[]>();

beforeAll(async () => {
  for (const name of names) {
    const place = await places[name]();
    opened.push(place);
    outcomes.set(name, await callAll(place));
  }
}, 120_000);

afterAll(async () => {
  for (const place of opened) await place.close();
});

async function callAll(place: Place): Promise<readonly Outcome[]> {
  const values = new Map<string, Record<string, unknown>>();
  const made: Outcome[] = [];
  for (const { name, input } of rows) {
    const operation = operations.find((one) => one.name === name);
    if (operation === undefined) throw new Error(`there is no operation ${name}`);
    const given = typeof input === 'function' ? input((of) => values.get(of) ?? {}) : input;
    const outcome = await outcomeOf(place.client, operation, given);
    if ('value' in outcome) values.set(name, outcome.value as Record<string, unknown>); // all responses are objects
    made.push(outcome);
  }
  return made;
}

const madeIn = (place: keyof typeof places, row: number): Outcome | undefined => outcomes.get(place)?.[row];

/** An outcome without what is different whenever it is made. */
const masked = (outcome: Outcome | undefined): unknown =>
  JSON.parse(JSON.stringify(outcome ?? null), (key, value: unknown) => {
    if (/(At|Until|Ms|at|now|since|until)$/.test(key) && typeof value === 'number') return 'a time';
    // Callers have the names of their keys.
    if (key === 'by') return typeof value;
    if (key === 'id' || key === 'key' || key === 'secret' || key === 'trace' || key === 'token') return typeof value;
    return typeof value === 'string' ? value.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'a time') : value;
  });

const titled = rows.map((row, at) => ({ row, at, title: `${at + 1} ${row.name} ${JSON.stringify(row.input) ?? ''}` }));

describe.each(names)('an operation that is called %s', (place) => {
  it.each(titled)('$title', ({ row, at }) => {
    const outcome = madeIn(place, at);
    if (row.differs === 'redis' && inMemory.includes(place)) expect(outcome).toMatchObject(absent);
    else expect(outcome).toMatchObject(expectedOf(row));
  });
});

const absent = { refused: { code: expect.stringMatching(/^REDIS_MISSING$|_UNKNOWN$/) } };

const expectedOf = ({ expected }: Row): object =>
  typeof expected === 'string' ? { refused: { code: expected } } : { value: expected };

describe('operations', () => {
  it.each(titled.filter(({ row }) => row.differs === undefined))(
    'return the same through every transport: $title',
    ({ at }) => {
      const [first, ...others] = names.map((name) => masked(madeIn(name, at)));
      for (const other of others) expect(other).toEqual(first);
    },
  );

  it('have a row each', () => {
    const called = new Set(rows.map(({ name }) => name));

    expect(operations.map(({ name }) => name).filter((name) => !called.has(name))).toEqual([]);
  });
});
