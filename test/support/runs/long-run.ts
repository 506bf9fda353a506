import type {
  ActivationId,
  Command,
  JournalEntry,
  Plan,
  RunId,
  Settlement,
  State,
  StateView,
  Vocabulary,
  Write,
} from '@millrace/core';
import { checkpointOf, compile, decide, textMessage } from '@millrace/core';
import { beginRunProjection, project, snapshotOf } from '@millrace/core/projection';
import type { LoadedRun, Runtime } from '@millrace/runtime';
import type { Redis } from 'ioredis';
import { contentsOf } from '../../../packages/runtime/src/commit/archive-part.ts';
import { putSegment } from '../../../packages/runtime/src/journal/archive/segment.ts';
import { workflowIn } from './stage.ts';

/*
 * A run of any length within seconds: its commands are decided in memory, and the commits up to the last ones go into parts
 * of its journal as the archivist writes them. The last ones are committed to the store as usual.
 */

/** A loop of two nodes that speak, beside a person who is asked all the while. */
const document = `graph:
  id: long
  max_iterations: unlimited
  start: [Speaker, Ask]
  nodes:
    - {id: Speaker, type: literal, config: {content: what is said}}
    - {id: Echo, type: literal, config: {content: what is said again}}
    - {id: Ask, type: human, config: {description: What?}}
  edges:
    - {from: Speaker, to: Echo, clear_context: true}
    - {from: Echo, to: Speaker, clear_context: true}
`;

/** An installation on Redis without a worker. */
export interface LongRunSite {
  readonly runtime: Runtime;
  readonly connection: Redis;
  readonly prefix: string;
  readonly vocabulary: Vocabulary;
}

/** Number of the last activations whose commits stay in the store. */
const keptActivations = 200;

/** Writes a run with so many activations, the second of which waits for a person; returns its id. */
export async function writeLongRun(site: LongRunSite, activations: number): Promise<RunId> {
  const { runs, store } = site.runtime;
  const workflow = workflowIn(document, site.vocabulary);
  const run = await runs.start({ workflow, input: 'go' });
  const { state } = await loaded(site, run);
  const wait = { kind: 'human', prompt: 'What?', input: '' } as const;
  await runs.submit(run, settling(state, 'a2', { type: 'suspended', wait }));
  if (activations > 2 * keptActivations)
    await writeArchive(site, { run, plan: compile(workflow, site.vocabulary), until: activations - keptActivations });
  await continueRun(site, run, activations);
  if ((await store.load(run))?.state.get('run')?.activations !== activations) throw new Error('the run is too short');
  return run;
}

/** Continues a run until it has so many activations. */
export async function continueRun({ runtime: { runs } }: LongRunSite, run: RunId, activations: number): Promise<void> {
  for (;;) {
    const now = await runs.refresh(run);
    if (now === undefined || activationsIn(now.state) >= activations) return;
    const verdict = await runs.submit(run, speaking(now.state));
    if (verdict.type === 'refused') throw new Error(verdict.message);
  }
}

/** Answers the question that was asked all the while, and completes its activation; returns its id. */
export async function answerAsk({ runtime: { runs } }: LongRunSite, run: RunId): Promise<ActivationId> {
  await runs.answer(run, { activation: 'a2' }, { message: textMessage('user', 'That.', 'person') });
  const now = await runs.refresh(run);
  if (now === undefined) throw new Error(`there is no run ${run}`);
  const message = { role: 'assistant', source: 'Ask', body: 0 } as const;
  const verdict = await runs.submit(
    run,
    settling(now.state, 'a2', { type: 'completed', outputs: [message], routes: [] }),
  );
  if (verdict.type === 'refused') throw new Error(verdict.message);
  return 'a2';
}

/** Fails the activation that speaks, and with it the run; returns its id. */
export async function failSpeaker({ runtime: { runs } }: LongRunSite, run: RunId): Promise<ActivationId> {
  const now = await runs.refresh(run);
  if (now === undefined) throw new Error(`there is no run ${run}`);
  const speaker = speakerIn(now.state);
  await runs.submit(run, settling(now.state, speaker, { type: 'failed', error: { code: 'SAID_NO', message: 'No.' } }));
  return speaker;
}

async function loaded({ runtime }: LongRunSite, run: RunId): Promise<LoadedRun> {
  const found = await runtime.store.load(run);
  if (found === undefined) throw new Error(`there is no run ${run}`);
  return found;
}

const activationsIn = (state: StateView): number => state.get('run')?.activations ?? 0;

/** Returns the activation that speaks: the one that does not wait. */
function speakerIn(state: StateView): ActivationId {
  for (const key of state.keys('activation/')) {
    const id = key.slice('activation/'.length) as ActivationId; // the key's form
    if (state.get(`activation/${id}`)?.wait === undefined) return id;
  }
  throw new Error('nobody speaks');
}

function settling(state: StateView, activation: ActivationId, result: Settlement): Command {
  const token = state.get(`activation/${activation}`)?.token ?? '';
  const bodies = result.type === 'completed' ? [{ role: 'assistant', content: `${activation} says so` } as const] : [];
  return { type: 'settle', activation, token, result, bodies };
}

/** Returns the command with which the speaker says something to the other node. */
function speaking(state: StateView): Command {
  const speaker = speakerIn(state);
  const edge = state.get(`activation/${speaker}`)?.node === 0 ? 0 : 1;
  const message = { role: 'assistant', source: edge === 0 ? 'Speaker' : 'Echo', body: 0 } as const;
  return settling(state, speaker, { type: 'completed', outputs: [message], routes: [{ edge, output: 0, message }] });
}

/** Events of an archived part. */
const partSize = 1000;

interface ArchivedRun {
  readonly run: RunId;
  readonly plan: Plan;
  /** Number of activations that are in the archived parts. */
  readonly until: number;
}

/** Continues a run in memory, stores its journal in parts, and commits what has become of it in one step. */
async function writeArchive(site: LongRunSite, { run, plan, until }: ArchivedRun): Promise<void> {
  const { store, blobs } = site.runtime;
  const { state, at, ...start } = await loaded(site, run);
  const before = state.copy();
  const projection = beginRunProjection();
  let entries: JournalEntry[] = [...(await store.journal(run, '0', partSize))];
  const first = await store.bodies(run, ['m1']);
  let bodies = first.map((body) => ({ id: 'm1' as const satisfies `m${number}` as `m${number}`, body }));
  let { version, nonce } = start;
  const advance = (command: Command): void => {
    const moment = { run, at: at + version, nonce: `long${version}` };
    const { decision, verdicts } = decide(plan, state, { commands: [command], moment });
    if (decision.events.length === 0) throw new Error(JSON.stringify(verdicts));
    state.apply(decision.writes);
    [version, nonce] = [version + 1, moment.nonce];
    for (const [n, event] of decision.events.entries()) entries.push({ id: `${version}-${n}`, at: moment.at, event });
    for (const { id, body } of decision.bodies) bodies.push({ id, body });
  };
  for (;;) {
    while (activationsIn(state) < until && entries.length < partSize) advance(speaking(state));
    for (const entry of entries) project(projection, entry);
    const checkpoint = JSON.stringify(checkpointOf(state));
    const { digest } = await putSegment(blobs, { entries, bodies, projection: snapshotOf(projection), checkpoint });
    const part = {
      to: version,
      digest,
      checkpoint: version,
      messages: Number(bodies.at(-1)?.id.slice(1)),
      ...contentsOf(entries, state.list('archive/journal').at(-1)),
    };
    const [from, last] = [state.list('archive/journal').at(-1)?.to ?? 0, { version, nonce }];
    [entries, bodies] = [[], []];
    advance({ type: 'archive', from, ...part });
    if (activationsIn(state) < until) continue;
    await site.connection.hset(`${site.prefix}:run:${run}:records`, { ...last, version: String(last.version) });
    const changes = { events: entries.map(({ event }) => event), bodies: [], memory: [] };
    const agenda = { wakes: [], later: [], settled: [] };
    const decision = { ...changes, ...agenda, writes: writesFrom(before, state) };
    const { type } = await store.commit({ run, ...last, next: nonce, at: at + version, decision, before });
    if (type !== 'committed') throw new Error(`the archive is ${type}`);
    await store.archive?.trim(run, part);
    await store.archive?.sweep(run, part, new Set());
    return;
  }
}

/** Returns the writes that make one state of another one. */
const writesFrom = (before: State, after: State): readonly Write[] => [
  ...[...after.records].map(([key, value]): Write => ({ type: 'set', key, value })),
  ...[...before.records.keys()].flatMap((key): Write[] =>
    after.records.get(key) !== undefined ? [] : [{ type: 'delete', key }],
  ),
  ...[...before.lists.keys()].map((key): Write => ({ type: 'trim', key, keep: 0 })),
  ...[...after.lists].map(([key, entries]): Write => ({ type: 'append', key, entries })),
];
