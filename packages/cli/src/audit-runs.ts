import type { RunId } from '@millrace/core';
import type { Inspection, RunPlace, Runtime } from '@millrace/runtime';
import { inspectRun } from '@millrace/runtime';
import type { Cli } from './cli.ts';
import type { ExitCode } from './exit.ts';
import { exitCodes } from './exit.ts';
import { withMachine } from './session.ts';

/** Which runs are audited, and what is done about it. */
export interface AuditOrder {
  /** Empty: all that have not ended. */
  readonly runs: readonly RunId[];
  readonly tenant?: string;
  readonly repair?: boolean;
  readonly json?: boolean;
}

/** Audits runs one after the other, and ends with 1 when something is wrong that was not repaired. */
export async function auditRuns(cli: Cli, { runs, tenant, repair, json }: AuditOrder): Promise<void> {
  await withMachine(cli, { command: 'audit' }, async ({ machine: { runtime, vocabulary } }) => {
    const chosen = runs.length > 0 ? runs : await liveRuns(runtime, tenant);
    const options = { store: runtime.store, vocabulary, ...(repair ? { mend: true as const } : {}) };
    const found: Audited[] = [];
    const tell = json ? () => undefined : (line: string) => cli.terminal.data(line);
    for (const run of chosen) {
      const inspection = await inspectRun(run, options);
      found.push({ run, ...inspection });
      linesOf(run, inspection).forEach(tell);
    }
    if (json) cli.terminal.data(JSON.stringify(found, null, 2));
    else cli.terminal.say(summaryOf(found));
    cli.exit = exitOf(found, runs);
  });
}

function summaryOf(found: readonly Audited[]): string {
  const seen = found.filter(({ type }) => type !== 'absent');
  return `${seen.length} ${seen.length === 1 ? 'run' : 'runs'} looked at, ${seen.filter(isSound).length} of them sound.`;
}

type Audited = { readonly run: RunId } & Inspection;

function exitOf(found: readonly Audited[], asked: readonly RunId[]): ExitCode {
  if (!found.every((one) => isSound(one) || isMended(one))) return exitCodes.failed;
  const isMissing = asked.length > 0 && found.some(({ type }) => type === 'absent');
  return isMissing ? exitCodes.notFound : exitCodes.completed;
}

const pageSize = 200;
const ended = new Set(['completed', 'failed', 'cancelled', 'terminated']);

/** All runs of a tenant that have not ended, and all that are looked after, whosever they are. */
async function liveRuns({ store, runs }: Runtime, tenant: string | undefined): Promise<readonly RunId[]> {
  const live = new Set((await store.agenda()).map(({ run }) => run));
  let after: RunPlace | undefined;
  do {
    const page = await runs.list({
      limit: pageSize,
      ...(tenant === undefined ? {} : { tenant }),
      ...(after === undefined ? {} : { after }),
    });
    for (const { run, status } of page.runs) if (!ended.has(status)) live.add(run);
    after = page.next;
  } while (after !== undefined);
  return [...live];
}

const isSound = (inspection: Inspection): boolean =>
  inspection.type !== 'inspected' || inspection.violations.length === 0;

/** All that was wrong is right now. */
const isMended = (inspection: Inspection): boolean =>
  inspection.type === 'inspected' &&
  inspection.mended > 0 &&
  inspection.violations.every(({ code }) => code === 'AGENDA_DIFFERS');

function linesOf(run: RunId, inspection: Inspection): readonly string[] {
  switch (inspection.type) {
    case 'absent':
      return [`${run} is not there`];
    case 'busy':
      return [`${run} goes on too fast to be looked at; try again`];
    case 'inspected': {
      const { violations, mended } = inspection;
      const lines = violations.map(({ code, subject, message }) => `${run} ${code} ${subject}: ${message}`);
      return mended === 0 ? lines : [...lines, `${run} is looked after again: ${mended} entries were put right`];
    }
  }
}
