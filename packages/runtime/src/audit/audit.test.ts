import { createVocabulary } from '@millrace/catalog';
import type { ActivationRecord, Event, State, Workflow } from '@millrace/core';
import { compile, readWorkflow } from '@millrace/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { createInlineQueue } from '../adapters/memory/inline-queue.ts';
import { createLocalRates } from '../adapters/memory/local-rates.ts';
import { createMemoryBlobs } from '../adapters/memory/memory-blobs.ts';
import { createMemoryStore } from '../adapters/memory/store/memory-store.ts';
import { stalledBy, wakesOfQuietRun } from '../maintenance/inspect-run.ts';
import { createRuns } from '../runs/runs.ts';
import type { AuditedRun } from './audit.ts';
import { auditRun } from './audit.ts';

const vocabulary = createVocabulary();
const report = () => undefined;
const run = 'run_1';
const text = `graph:
  id: g
  start: [A]
  nodes:
    - {id: A, type: literal, config: {content: a}}
    - {id: B, type: passthrough, config: {}}
  edges:
    - {from: A, to: B}
`;

function workflow(): Workflow {
  const read = readWorkflow({ file: 'g.yaml', text }, { vocabulary, mode: 'run' });
  if (read.workflow === undefined) throw new Error(JSON.stringify(read.issues));
  return read.workflow;
}

/** A run of which the first node is due, or the second when the first one is settled. */
async function runWith(settled: boolean): Promise<AuditedRun> {
  const store = createMemoryStore();
  const runs = createRuns({
    store,
    rates: createLocalRates(store.now),
    blobs: createMemoryBlobs(),
    queue: createInlineQueue({ onError: report }),
    vocabulary,
    report,
  });
  await runs.start({ workflow: workflow(), input: 'task', run });
  const [wake] = await store.agenda();
  if (wake === undefined || !('activation' in wake)) throw new Error('nothing is due');
  const { activation, token } = wake;
  const result = { type: 'completed', outputs: [], routes: [{ edge: 0, output: 0 }] } as const;
  if (settled) await runs.submit(run, { type: 'settle', activation, token, result, bodies: [] });
  const loaded = await store.load(run);
  if (loaded === undefined) throw new Error('the run is gone');
  const journal = await store.journal(run, '0', 1000);
  return { run, plan: compile(workflow(), vocabulary), ...loaded, journal, agenda: await store.agenda() };
}

const codesOf = (audited: AuditedRun) => [...new Set(auditRun(audited).map(({ code }) => code))];

function stateWith(state: State, change: (copy: State) => void): State {
  const copy = state.copy();
  change(copy);
  return copy;
}

describe('the audit of a run', () => {
  let due: AuditedRun;
  let on: AuditedRun;
  beforeEach(async () => {
    [due, on] = await Promise.all([runWith(false), runWith(true)]);
  });

  it('reports nothing for a consistent run', () => {
    expect([...auditRun(due), ...auditRun(on)]).toEqual([]);
  });

  it('reports a record that differs from the journal', () => {
    const state = stateWith(on.state, ({ records }) => void records.set('node/s0/A', { runs: 7 }));

    expect(auditRun({ ...on, state })).toMatchObject([{ code: 'FOLD_DIFFERS', run, subject: 'node/s0/A' }]);
  });

  it('reports an event that is missing or duplicated', () => {
    const [first, second, ...rest] = on.journal;

    expect(codesOf({ ...on, journal: on.journal.slice(0, -1) })).toContain('FOLD_DIFFERS');
    expect(codesOf({ ...due, version: due.version + 1 })).toContain('JOURNAL_BROKEN');
    if (first === undefined || second === undefined) throw new Error('the journal is too short');
    expect(codesOf({ ...on, journal: [first, ...rest] })).toContain('JOURNAL_BROKEN');
  });

  it('reports an activation that is settled twice', () => {
    const twice: Event = { type: 'activation.failed', activation: 'a1', error: { code: 'X', message: '' } };
    const later = { id: `${on.version + 1}-0`, at: 0, event: twice };

    expect(codesOf({ ...on, journal: [...on.journal, later] })).toContain('SETTLED_TWICE');
  });

  it('reports live activations missing from the agenda, and needless entries of the agenda', () => {
    expect(codesOf({ ...due, agenda: [] })).toEqual(['AGENDA_DIFFERS']);
    expect(codesOf({ ...on, agenda: [...on.agenda, { run, activation: 'a1', token: 'old' }] })).toEqual([
      'AGENDA_DIFFERS',
    ]);
  });

  it('reports a running run without live activations', () => {
    const state = stateWith(due.state, ({ records }) => void records.delete('activation/a1'));

    expect(codesOf({ ...due, state, agenda: [] })).toEqual(['FOLD_DIFFERS', 'COUNT_DIFFERS', 'LOST']);
  });

  it('accepts that an activation which waits for a person is not on the agenda', () => {
    const record = due.state.get('activation/a1');
    const waiting: ActivationRecord = {
      ...(record as ActivationRecord),
      wait: { kind: 'human', prompt: '', input: '' },
    };
    const state = stateWith(due.state, ({ records }) => void records.set('activation/a1', waiting));

    expect(codesOf({ ...due, state, agenda: [] })).not.toContain('AGENDA_DIFFERS');
  });
});

describe('a run without progress', () => {
  const later = (audited: AuditedRun, seconds: number) => (audited.journal.at(-1)?.at ?? 0) + seconds * 1000;
  const withRecord = (audited: AuditedRun, change: Partial<ActivationRecord>): AuditedRun => {
    const [activation] = wakesOfQuietRun(audited, later(audited, 61)).map((wake) => wake.activation);
    if (activation === undefined) throw new Error('nothing is due');
    const state = stateWith(audited.state, (copy) => {
      const record = copy.get(`activation/${activation}`);
      copy.records.set(`activation/${activation}`, { ...record, ...change });
    });
    return { ...audited, state };
  };

  it('is checked for queued or executing work after a minute, and not before', async () => {
    const due = await runWith(false);

    expect(wakesOfQuietRun(due, later(due, 59))).toEqual([]);
    expect(wakesOfQuietRun(due, later(due, 60))).toMatchObject([{ run, activation: 'a1' }]);
  });

  it('can wait without limit for a person, for its budget and for a lock', async () => {
    const due = await runWith(false);
    const wait = { kind: 'human', prompt: '', input: '' } as const;
    const waiting = [{ wait }, { short: { tokens: 1, microUsd: 0 } }, { held: true } as const];

    const found = waiting.map((change) => wakesOfQuietRun(withRecord(due, change), later(due, 3600)));

    expect(found).toEqual([[], [], []]);
  });

  it('can wait for the time to which an activation was postponed', async () => {
    const due = await runWith(false);
    const until = later(due, 3600);
    const event: Event = { type: 'activation.postponed', activation: 'a1', until, token: 't' };
    const postponed = { ...due, journal: [...due.journal, { id: '2-0', at: later(due, 1), event }] };

    expect(wakesOfQuietRun(postponed, until)).toEqual([]);
    expect(wakesOfQuietRun(postponed, until + 60_000)).toHaveLength(1);
  });

  it('is stalled by each activation that is neither queued nor executing', async () => {
    const due = await runWith(false);
    const now = later(due, 95);

    expect(stalledBy(due, wakesOfQuietRun(due, now), now)).toEqual([
      {
        code: 'STALLED',
        run,
        subject: 'a1',
        message:
          'Nothing has happened in the run for 95 s, and the activation of node "A" is neither queued nor executing.',
      },
    ]);
  });
});
