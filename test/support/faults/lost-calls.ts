import { EventEmitter, once } from 'node:events';
import { createVocabulary } from '@millrace/catalog';
import type { JournalEntry, RunId, UnknownRule } from '@millrace/core';
import { questionOf, textMessage, textOf } from '@millrace/core';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { McpHttpServer } from '../http/mcp-http.ts';
import { serveMcp } from '../http/mcp-http.ts';
import type { Fleet } from '../runs/fleet.ts';
import { openFleet } from '../runs/fleet.ts';
import { workflowIn } from '../runs/stage.ts';

/*
 * Workers are killed while the agents of many runs are at chosen points of a call that must not be made twice. A server
 * counts what is executed, and a run of each rule is at each point, so one killed process is a kill of all of these runs.
 */

/**
 * Points at which the worker of a run dies: the call has begun, and is not executed; it is executed, and not answered; the
 * answer is on its way to the journal; the journal has it, and the next call of the model is under way.
 */
const points = ['begin', 'execute', 'complete', 'completed'] as const;
type Point = (typeof points)[number];

const rules = ['tell', 'verify', 'ask', 'repeat', 'fail'] as const satisfies readonly UnknownRule[];

/** What decides about the calls of a run: a rule for unknown outcomes, or a person who approves each call. */
type Way = UnknownRule | 'approval';
const ways: readonly Way[] = [...rules, 'approval'];

const keyName = 'dev.millrace/idempotencyKey';

/** A server whose tool `pay` stops at the point of a payment, at its first call, and that counts what it executes. */
async function openBank() {
  const called = new Map<string, number>();
  /** The keys with which a payment was executed. */
  const paid = new Map<string, unknown[]>();
  const arrivals = new EventEmitter().setMaxListeners(0);
  const never = new Promise<never>(() => undefined);
  const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
  const create = () => {
    const server = new McpServer({ name: 'bank', version: '1.0.0' });
    const inputSchema = z.object({ ref: z.string() });
    server.registerTool('pay', { description: 'Pays.', inputSchema }, async ({ ref }, context) => {
      const count = (called.get(ref) ?? 0) + 1;
      called.set(ref, count);
      const stop = (point: Point) => count === 1 && ref.endsWith(`/${point}`);
      const arrive = () => arrivals.emit(ref);
      if (stop('begin')) {
        arrive();
        return never;
      }
      paid.set(ref, [...(paid.get(ref) ?? []), context.mcpReq._meta?.[keyName]]);
      if (stop('execute')) {
        arrive();
        return never;
      }
      if (stop('complete')) arrive();
      return text(`paid ${ref}`);
    });
    server.registerTool('find', { description: 'Finds a payment.', inputSchema }, ({ ref }) =>
      text(paid.has(ref) ? `${ref} is paid` : `${ref} is not paid`),
    );
    return server;
  };
  const http: McpHttpServer = await serveMcp(create);
  return {
    url: http.url,
    paid,
    /** Resolves when the call of a payment is at its point. */
    arrival: (ref: string) => once(arrivals, ref),
    close: () => http.close(),
  };
}

type Bank = Awaited<ReturnType<typeof openBank>>;

/** The fields of the entry of `tooling` that decide about its calls. */
function fieldsOf(way: Way): string {
  if (way === 'approval') return 'policy: [{ tool: pay, do: ask }]';
  return `on_unknown: { pay: ${way === 'verify' ? '{ verify: { tool: find, arguments: { ref: $.ref } } }' : way} }`;
}

const vocabulary = createVocabulary();

const payment = (bank: Bank, ref: string, way: Way) =>
  workflowIn(
    `
graph:
  id: paying
  nodes:
    - id: Cashier
      type: agent
      config:
        provider: scripted
        name: m
        params:
          default: { tool_calls: [{ name: pay, arguments: { ref: ${ref} } }] }
          rules:
            - { when: { last_role: tool }, reply: { text: 'told: {last}', delay_ms: ${ref.endsWith('/completed') ? 3000 : 0} } }
        tooling:
          - type: mcp_remote
            config: { server: '${bank.url}', timeout: 300 }
            ${fieldsOf(way)}
`,
    vocabulary,
  );

/** A payment of one run, and what came of it. */
interface Payment {
  readonly ref: string;
  readonly way: Way;
  readonly run: RunId;
}

/** Number of kills, and what must not happen: each list is empty if all is well. */
export interface LostCallsReport {
  kills: number;
  /** Payments whose outcome was unknown. */
  unknown: number;
  readonly paidTwice: string[];
  /** Payments that were executed before a person had approved them. */
  readonly unapproved: string[];
  readonly hidden: string[];
  readonly violations: unknown[];
}

/** Kills workers in so many rounds, each with so many payments of each rule at each point. */
export async function killAtCalls({ rounds, copies }: { rounds: number; copies: number }): Promise<LostCallsReport> {
  const report: LostCallsReport = { kills: 0, unknown: 0, paidTwice: [], unapproved: [], hidden: [], violations: [] };
  const fleet = await openFleet();
  const bank = await openBank();
  try {
    for (let round = 0; round < rounds; round++) await killRound({ fleet, bank, report }, { round, copies });
  } finally {
    await fleet.close();
    await bank.close();
  }
  return report;
}

interface Site {
  readonly fleet: Fleet;
  readonly bank: Bank;
  readonly report: LostCallsReport;
}

async function killRound(site: Site, { round, copies }: { round: number; copies: number }): Promise<void> {
  const { fleet, bank, report } = site;
  const variables = {
    MILLRACE_CONCURRENCY: String(2 * copies * ways.length * points.length),
    // A call that is approved may be under way at each of the deaths, which is no reason to give its run up here.
    MILLRACE_MAX_WORKER_DEATHS: '10',
  };
  const addWorker = () => fleet.startWorker(variables);
  const payments: Payment[] = [];
  const arrivals: Promise<unknown>[] = [];
  const begin = async (way: Way, point: Point, copy: number): Promise<void> => {
    const ref = `${round}.${copy}/${way}/${point}`;
    // Before the run starts, as its call may come at once.
    const arrival = bank.arrival(ref);
    const run = await fleet.runtime.runs.start({ workflow: payment(bank, ref, way), input: 'pay' });
    const isPaid = ({ event }: JournalEntry) => event.type === 'step.completed' && event.step === 2;
    arrivals.push(point === 'completed' ? until(fleet, run, isPaid) : arrival);
    payments.push({ ref, way, run });
  };
  const beginAll = async (chosen: readonly Way[]) => {
    for (let copy = 0; copy < copies; copy++)
      for (const way of chosen) for (const point of points) await begin(way, point, copy);
  };
  await beginAll(['approval']);
  await killAtApprovals(site, payments, addWorker);
  const first = await addWorker();
  await beginAll(rules);
  await Promise.all(arrivals);
  await first.kill();
  report.kills += payments.length;

  const second = await addWorker();
  const asked = await Promise.all(payments.filter(({ way }) => way === 'ask').map((one) => answerTruly(site, one)));
  // The worker dies while, or just before, it takes the answers.
  await second.kill();
  report.kills += asked.filter(Boolean).length;
  const third = await addWorker();
  await Promise.all(payments.map((one) => conclude(site, one)));
  await third.kill();
  report.violations.push(...(await fleet.inspect(payments.map(({ run }) => run))).violations);
}

/** Kills a worker when calls wait for a person, and one that is told of the decisions. */
async function killAtApprovals(
  { fleet, bank, report }: Site,
  payments: readonly Payment[],
  addWorker: Fleet['startWorker'],
): Promise<void> {
  const asking = await addWorker();
  const questions = await Promise.all(
    payments.map(async ({ run, ref }) => {
      const { event } = await until(fleet, run, (entry) => entry.event.type === 'tool.asked');
      if (event.type !== 'tool.asked') throw new Error('nobody was asked');
      if (bank.paid.has(ref)) report.unapproved.push(ref);
      return { run, activation: event.activation, place: event.place };
    }),
  );
  await asking.kill();
  const deciding = await addWorker();
  for (const { run, activation, place } of questions)
    await fleet.runtime.runs.decide(run, { activation, place }, { decision: 'approve' });
  await deciding.kill();
  report.kills += 2 * payments.length;
}

/** Recovery of jobs of two dead workers takes its time on a slow machine. */
const longestWaitMs = 600_000;

async function until({ runtime }: Fleet, run: RunId, holds: (entry: JournalEntry) => boolean): Promise<JournalEntry> {
  for await (const entry of runtime.runs.watch(run, '0', AbortSignal.timeout(longestWaitMs)))
    if (holds(entry)) return entry;
  throw new Error(`run ${run} came to nothing that was waited for`);
}

const isEnd = ({ event }: JournalEntry): boolean => event.type === 'run.finished';

/** Answers the question about a payment as the bank knows it; returns whether there was one. */
async function answerTruly({ fleet, bank }: Site, { run, ref }: Payment): Promise<boolean> {
  const { event } = await until(fleet, run, (entry) => entry.event.type === 'activation.suspended' || isEnd(entry));
  if (event.type !== 'activation.suspended') return false;
  const message = textMessage('user', bank.paid.has(ref) ? 'happened' : 'did not happen', 'person');
  await fleet.runtime.runs.answer(run, questionOf(event), { message });
  return true;
}

/** Waits for the end of a run. A call that a person has had made again may be lost, too: then the person is asked again. */
async function finish({ fleet, bank }: Site, { run, ref }: Payment): Promise<void> {
  let asked = 0;
  for await (const { event } of fleet.runtime.runs.watch(run, '0', AbortSignal.timeout(longestWaitMs))) {
    if (event.type !== 'activation.suspended' || ++asked === 1) continue;
    const message = textMessage('user', bank.paid.has(ref) ? 'happened' : 'did not happen', 'person');
    await fleet.runtime.runs.answer(run, questionOf(event), { message });
  }
}

/** Waits for the end of a run, and notes what must not have happened. */
async function conclude(site: Site, payment: Payment): Promise<void> {
  const { fleet, bank, report } = site;
  const { run, way, ref } = payment;
  await finish(site, payment);
  const journal = await fleet.journal(run);
  const wasUnknown = journal.some(({ event }) => event.type === 'step.unknown');
  const { output, warnings, status } = (await fleet.runtime.runs.describe(run)) ?? {};
  const keys = bank.paid.get(ref) ?? [];
  const mayRepeat = way === 'repeat' && wasUnknown;
  if (keys.length > 1 && !(mayRepeat && new Set(keys).size === 1)) report.paidTwice.push(ref);
  if (wasUnknown) report.unknown++;
  // The model was given the answer of the bank, or the run says that its outcome is unknown.
  const wasAnswered = output !== undefined && textOf(output).includes(`paid ${ref}`);
  const isTold = warnings?.latest.some(({ code }) => code === 'W_TOOL_OUTCOME_UNKNOWN') === true;
  if (!wasAnswered && !wasUnknown) report.hidden.push(`${ref}: ${status}`);
  if (wasUnknown && !isTold) report.hidden.push(`${ref}: no warning`);
  if (wasUnknown && way === 'fail' && status !== 'failed') report.hidden.push(`${ref}: ${status}`);
}
