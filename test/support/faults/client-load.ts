import { setTimeout as sleep } from 'node:timers/promises';
import { ApiProblem, Millrace } from '@millrace/client';
import type { WebhookReceiver } from '../http/webhook-receiver.ts';

/*
 * Clients of the HTTP API that do without a pause what an installation is for, and write down what was acknowledged: people who
 * answer, signals, streams, batches, schedules, webhooks and budgets. At the end everything that was acknowledged must be there,
 * and have come to what it comes to without a fault.
 */

/** Clients that work until they are told to finish. */
export interface ClientLoad {
  /** Number of runs that were started and followed to their end, or to their answer. */
  done(): number;
  /** Resolves when so many more are done, with the time that took in milliseconds. */
  untilDone(more: number): Promise<number>;
  /** Ends the load, waits for all that is under way, and examines it. */
  finish(): Promise<ClientLoadOutcome>;
}

/** What clients have seen. */
export interface ClientLoadOutcome {
  /** Numbers of what was done, by kind. */
  readonly done: Readonly<Record<string, number>>;
  /** Number of requests that had to be repeated. */
  readonly repeated: number;
  /** Number of streams that did not show the end of their run, because a failover had set its journal back. */
  readonly setBack: number;
  /** Longest time in which nothing was done, in milliseconds. */
  readonly longestGapMs: number;
  /** Deliveries to the webhook, and those of them that came more than once, under one id. */
  readonly deliveries: { readonly all: number; readonly again: number };
  /** All that must not be, in words. */
  readonly broken: readonly string[];
}

const agent = (id: string, delayMs: number) =>
  `    - {id: ${id}, type: agent, config: {provider: scripted, name: m, params: {default: {text: 'said by ${id}', delay_ms: ${delayMs}}}}}`;

const chain = `graph:
  id: chain
  nodes:
${agent('A', 60)}
${agent('B', 60)}
${agent('C', 60)}
  edges: [{from: A, to: B}, {from: B, to: C}]
`;
const question = `graph:
  id: question
  nodes:
    - {id: Ask, type: human, config: {description: What shall it be?}}
    - {id: Again, type: human, config: {description: And then?}}
  edges: [{from: Ask, to: Again}]
`;
const waiting = `graph:
  id: waiting
  nodes: [{id: Wait, type: wait_for, config: {event: go}}]
`;
const units = 12;
const spending = `graph:
  id: spending
  budget: {tokens: 60}
  nodes:
    - {id: Source, type: passthrough, config: {}}
${agent('Each', 20)}
    - {id: Join, type: passthrough, config: {}}
  edges:
    - {from: Source, to: Each, dynamic: {type: map, config: {split_type: lines, max_parallel: 4}}}
    - {from: Each, to: Join}
`;

const batchRows = 20;
/** Interval of the schedule, in milliseconds. */
const tickMs = 5000;
/** Time in which a stream shows the end of its run, in milliseconds. */
const streamedWithinMs = 20_000;
/** Time in which webhooks are delivered after the load. */
const deliveredWithinMs = 120_000;

/** Starts the clients of an API whose webhooks reach the receiver. */
export async function startClientLoad(url: string, receiver: WebhookReceiver): Promise<ClientLoad> {
  let [repeated, setBack, longestGapMs, lastAt, isOver] = [0, 0, 0, performance.now(), false];
  const millrace = new Millrace({
    url,
    retries: 200,
    onWait: () => {
      repeated += 1;
    },
  });
  const done = { answers: 0, signals: 0, streams: 0, batches: 0, budgets: 0 };
  const broken: string[] = [];
  const ended = new Set<string>();
  const listeners = new Set<() => void>();
  const total = () => Object.values(done).reduce((sum, count) => sum + count, 0);
  const note = (kind: keyof typeof done) => {
    done[kind] += 1;
    longestGapMs = Math.max(longestGapMs, performance.now() - lastAt);
    lastAt = performance.now();
    for (const listener of listeners) listener();
  };
  const check = (holds: boolean, what: string) => {
    if (!holds) broken.push(what);
  };
  const idle = new Set<string>();

  const answer = async () => {
    const run = await millrace.runs.start({ yaml: question });
    for (let asked = 0; asked < 2; asked++) {
      let { tasks } = await run.describe();
      for (; tasks.length === 0; { tasks } = await run.describe()) await sleep(50);
      await given(() => millrace.tasks.answer(tasks[0]?.id ?? '', `answer ${asked + 1}`));
      note('answers');
    }
    const { output } = await run.result({ timeout: '5m' });
    check(output === 'answer 2', `${run.id} came to ${JSON.stringify(output)} instead of the second answer`);
    ended.add(run.id);
  };
  const signal = async () => {
    const run = await millrace.runs.start({ yaml: waiting });
    await run.signal('go', { data: 'went', eventId: 'one' });
    await given(() => run.signal('go', { data: 'went again', eventId: 'one' }));
    const { output } = await run.result({ timeout: '5m' });
    check(output === 'went', `${run.id} came to ${JSON.stringify(output)} instead of its first signal`);
    ended.add(run.id);
    note('signals');
  };
  const stream = async () => {
    const run = await millrace.runs.start({ yaml: chain }, { input: 'Go.' });
    const seen: string[] = [];
    const stop = new AbortController();
    const reading = (async () => {
      for await (const { id } of run.events({ signal: stop.signal })) seen.push(id);
      return 'read';
    })();
    const { output } = await run.result({ timeout: '5m' });
    // What a failover has lost is made again under ids that the stream has shown.
    const isRead = (await Promise.race([reading, sleep(streamedWithinMs)])) === 'read';
    stop.abort();
    if (!isRead) setBack += 1;
    await reading.catch(() => undefined);
    check(new Set(seen).size === seen.length, `${run.id} streamed an event twice`);
    check(output === 'said by C', `${run.id} came to ${JSON.stringify(output)}`);
    ended.add(run.id);
    note('streams');
  };
  const batch = async () => {
    const rows = Array.from({ length: batchRows }, (_, at) => ({ input: `row ${at}` }));
    const { id } = await millrace.batches.start({ yaml: chain }, { rows, parallel: 5 });
    while ((await millrace.batches.get(id)).status !== 'finished') await sleep(300);
    const runs = new Set<string>();
    for await (const row of millrace.batches.rows(id)) {
      check(row.status === 'completed', `row ${row.row} of batch ${id} is ${row.status}: ${row.error?.message}`);
      if (row.runId !== undefined) runs.add(row.runId);
    }
    check(runs.size === batchRows, `batch ${id} has ${runs.size} runs for ${batchRows} rows`);
    for (const run of runs) ended.add(run);
    note('batches');
  };
  const spend = async () => {
    const input = Array.from({ length: units }, (_, at) => `unit ${at}`).join('\n');
    const run = await millrace.runs.start({ yaml: spending }, { input });
    for await (const _ of run.events({ types: ['run.finished'] }));
    const { status, budget } = await run.describe();
    const { limit, spent } = budget ?? { limit: {}, spent: { tokens: Number.POSITIVE_INFINITY } };
    check(spent.tokens <= (limit.tokens ?? 0), `${run.id} has spent ${spent.tokens} of ${limit.tokens} tokens`);
    check(status === 'terminated', `${run.id} is ${status} instead of stopped by its budget`);
    idle.add(run.id);
    note('budgets');
  };

  const lane = async (work: () => Promise<void>) => {
    while (!isOver) {
      try {
        await work();
      } catch (error) {
        broken.push(String(error));
        await sleep(1000);
      }
    }
  };
  await millrace.webhooks.create({ url: `${receiver.url}/hook`, events: ['run.completed'] });
  const run = { workflow: { yaml: chain }, input: 'Go.' };
  await millrace.schedules.create({ id: 'often', cron: `*/${tickMs / 1000} * * * * *`, missed: 'all', run });
  const working = Promise.all([answer, answer, signal, stream, stream, batch, spend].map(lane));

  /** Checks that each time of the schedule has one run, which has completed. */
  const checkTicks = async (): Promise<number> => {
    await millrace.schedules.change('often', { paused: true });
    const runs = new Set<string>();
    let after: number | undefined;
    for await (const { at, outcome, runId } of millrace.schedules.ticks('often')) {
      check(outcome === 'started' && runId !== undefined, `the time ${at} of the schedule is ${outcome}`);
      check(runId === undefined || !runs.has(runId), `${runId} belongs to two times of the schedule`);
      check(after === undefined || after - at === tickMs, `no time of the schedule between ${at} and ${after}`);
      after = at;
      if (runId === undefined) continue;
      runs.add(runId);
      await millrace.runs.get(runId).result({ timeout: '5m' });
      ended.add(runId);
    }
    return runs.size;
  };
  /** Waits until the webhook has the end of each run. */
  const checkDeliveries = async () => {
    const idsOf = new Map<string, Set<string>>();
    const read = () => {
      idsOf.clear();
      for (const { headers, body } of receiver.received) {
        const { data } = JSON.parse(body) as { readonly data: { readonly runId: string } };
        idsOf.set(data.runId, (idsOf.get(data.runId) ?? new Set()).add(String(headers['webhook-id'])));
      }
      return [...ended].filter((id) => !idsOf.has(id));
    };
    const until = performance.now() + deliveredWithinMs;
    while (read().length > 0 && performance.now() < until) await sleep(500);
    for (const id of read()) broken.push(`the webhook was not told of the end of ${id}`);
    for (const [id, ids] of idsOf) check(ids.size === 1, `the end of ${id} was delivered under ${[...ids].join(', ')}`);
    const all = receiver.received.length;
    return { all, again: all - idsOf.size };
  };

  return {
    done: total,
    untilDone(more) {
      const [began, aim] = [performance.now(), total() + more];
      return new Promise((resolve) => {
        const listener = () => {
          if (total() < aim) return;
          listeners.delete(listener);
          resolve(performance.now() - began);
        };
        listeners.add(listener);
      });
    },
    async finish() {
      isOver = true;
      await working;
      const ticks = await checkTicks();
      const deliveries = await checkDeliveries();
      return { done: { ...done, ticks }, repeated, setBack, longestGapMs, deliveries, broken };
    },
  };
}

/** Does what may have been done before, when the response was lost. */
async function given(act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    const codes = ['TASK_ANSWERED', 'RUN_ENDED', 'TASK_UNKNOWN'];
    if (!(error instanceof ApiProblem) || !codes.includes(error.code)) throw error;
  }
}
