import { setTimeout as sleep } from 'node:timers/promises';
import type { JournalEntry } from '@millrace/core';
import { RequestError } from '@millrace/core';
import { millrace } from '../../support/processes/millrace.ts';
import type { Result } from '../../support/runs/scenario.ts';
import { answerTo } from '../../support/runs/scenario.ts';
import type { Workshop } from '../../support/runs/workshop.ts';
import type { StartedRun } from './fault.ts';
import type { TemporaryPair, TemporaryProcesses } from './temporary-processes.ts';

/** The result of a run and what is wrong with it, as a later version says. */
export interface LaterResult extends StartedRun {
  readonly result: Result;
  readonly violations: readonly { readonly code: string; readonly subject: string; readonly message: string }[];
}

const withinMs = 60_000;

/** Returns true if an error says that a later version has taken a run over. */
export const isTakenByLater = (error: unknown): boolean =>
  error instanceof RequestError && error.code === 'FORMAT_NEWER';

/** Lets the later version, whose processes were killed, come back and end the runs that it has taken over. */
export async function endInLaterVersion(
  { workshop, processes }: { readonly workshop: Workshop; readonly processes: TemporaryProcesses },
  build: string,
  runs: readonly StartedRun[],
): Promise<readonly LaterResult[]> {
  const pair = await processes.join({ build });
  const env = { REDIS_URL: workshop.proxy.url };
  const results = await Promise.all(runs.map(async (one) => ({ ...one, result: await resultIn(pair, one) })));
  const audited = await millrace(['audit', '--json', ...runs.map(({ run }) => run)], { build, env });
  const reports = JSON.parse(audited.stdout) as (Pick<LaterResult, 'violations'> & { run: string })[]; // as its help says
  await pair.kill();
  return results.map((one) => {
    const report = reports.find(({ run }) => run === one.run);
    if (report === undefined) throw new Error(`audit says nothing of ${one.run}: ${audited.stderr}`);
    return { ...one, violations: report.violations };
  });
}

/** Answers what a run asks until it has ended, or too much time is over. */
async function resultIn(pair: TemporaryPair, { run, scenario }: StartedRun): Promise<Result> {
  const giveUp = Date.now() + withinMs;
  for (;;) {
    const reply = await pair.get(`/v1/runs/${run}`);
    const { status, output, outputs, activations, error, tasks } = reply as unknown as RunReply; // the contract's
    if (!['running', 'waiting', 'stopping'].includes(status) || Date.now() > giveUp) {
      const { code, message } = error ?? {};
      return {
        status,
        output: output ?? undefined,
        outputs,
        activations,
        error: error === null ? undefined : `${code}: ${message}`,
      };
    }
    const [task] = tasks;
    if (task !== undefined) {
      const text = answerTo(scenario, (await questionsOf(pair, run)) - 1);
      await pair.post(`/v1/tasks/${task.id}/answer`, { text });
    }
    await sleep(100);
  }
}

async function questionsOf(pair: TemporaryPair, run: string): Promise<number> {
  const { data } = await pair.get(`/v1/runs/${run}/events?limit=200`);
  return (data as JournalEntry[]).filter(({ event }) => event.type === 'activation.suspended').length;
}

interface RunReply {
  readonly status: string;
  readonly output: string | null;
  readonly outputs: Readonly<Record<string, string>>;
  readonly activations: number;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly tasks: readonly { readonly id: string }[];
}
