import type { RunId } from '@millrace/core';
import { omitUndefined } from '@millrace/core/omit-undefined';
import type { Inspection, RunCursor, RunQuery, RunStatus, Runs, Runtime } from '@millrace/runtime';
import type { Command } from 'commander';
import type { Session } from '../../client/session.ts';
import { withMachine } from '../../client/session.ts';
import type { ExitCode } from '../../exit/exit.ts';
import { exitCodes } from '../../exit/exit.ts';
import type { Cli } from '../../process/cli.ts';
import { resolveRun } from '../../requests/resolve-run.ts';

/** Runs that are audited, and the repair. */
interface AuditOrder {
  /** Empty: all that have not ended. */
  readonly runs: readonly RunId[];
  /** Includes those that have ended. */
  readonly all?: boolean;
  readonly tenant?: string;
  readonly repair?: boolean;
  readonly json?: boolean;
}

/** `millrace audit`: checks the stored data of runs. */
export function addAudit(program: Command, cli: Cli): void {
  program
    .command('audit')
    .description('check the stored data of runs, also of runs that are executing, and find runs that have stalled')
    .addHelpText('after', '\nExample:\n  millrace audit --repair')
    .argument('[run...]', 'ids of runs (default: all runs that have not ended)')
    .option('--all', 'without ids: check runs that have ended, too')
    .option('--tenant <name>', 'runs of this tenant (default: runs without a tenant)')
    .option('--repair', 'queue lost work again, so that stalled runs continue')
    .option('--json', 'print a JSON array of {run, type, violations, mended}')
    .action((runs: readonly RunId[], flags: Omit<AuditOrder, 'runs'>) => audit(cli, { ...flags, runs }));
}

/** Audits runs one after the other, and ends with 1 when something is wrong that was not repaired. */
async function audit(cli: Cli, order: AuditOrder): Promise<void> {
  const { runs, repair, json } = order;
  const { inspectRun } = await import('@millrace/runtime');
  await withMachine(cli, { command: 'audit' }, async (session) => {
    const { runtime, vocabulary } = session.machine;
    const { store, queue } = runtime;
    const options = { store, queue, vocabulary, ...(repair ? { repair: true as const } : {}) };
    const tally: Tally = { sound: 0, mended: 0, wrong: 0, absent: 0 };
    const printer = json ? jsonArray(cli) : linePrinter(cli);
    for await (const run of runs.length > 0 ? resolved(session, runs) : chosenRuns(runtime, order)) {
      const inspection = await inspectRun(run, options);
      printer.print(run, inspection);
      tally[kindOf(inspection)]++;
    }
    printer.end();
    if (!json) cli.terminal.say(summaryOf(order, tally));
    cli.exit = exitOf(tally, runs);
  });
}

async function* resolved(session: Session, runs: readonly RunId[]): AsyncGenerator<RunId> {
  for (const run of runs) yield resolveRun(session, run);
}

/** Counts of runs of each kind. */
type Tally = Record<ReturnType<typeof kindOf>, number>;

function kindOf(inspection: Inspection): 'sound' | 'mended' | 'wrong' | 'absent' {
  if (inspection.type === 'absent') return 'absent';
  if (isSound(inspection)) return 'sound';
  return isMended(inspection) ? 'mended' : 'wrong';
}

function summaryOf({ runs, all, tenant }: AuditOrder, { sound, mended, wrong }: Tally): string {
  const seen = sound + mended + wrong;
  const summary = `${seen} ${seen === 1 ? 'run' : 'runs'} looked at, ${sound} of them sound.`;
  if (runs.length > 0) return summary;
  const tenantRuns = tenant === undefined ? 'runs started without a tenant' : `runs of tenant ${tenant}`;
  const which = all ? `all ${tenantRuns}` : `the ${tenantRuns} that have not ended (--all: those that have ended, too)`;
  return `${summary} These are ${which}, and all that are looked after.`;
}

function exitOf({ wrong, absent }: Tally, asked: readonly RunId[]): ExitCode {
  if (wrong > 0) return exitCodes.failed;
  return asked.length > 0 && absent > 0 ? exitCodes.notFound : exitCodes.completed;
}

interface Printer {
  print(run: RunId, inspection: Inspection): void;
  end(): void;
}

const linePrinter = ({ terminal }: Cli): Printer => ({
  print(run, inspection) {
    for (const line of linesOf(run, inspection)) terminal.data(line);
  },
  end: () => undefined,
});

/** Prints each run as soon as it was inspected: there may be any number of them. */
function jsonArray({ terminal }: Cli): Printer {
  let before = '[';
  return {
    print(run, inspection) {
      if (before !== '[') terminal.data(`${before},`);
      else terminal.data(before);
      before = JSON.stringify({ run, ...inspection }, null, 2);
    },
    end() {
      terminal.data(before === '[' ? '[]' : `${before}\n]`);
    },
  };
}

const pageSize = 200;
const unended: readonly RunStatus[] = ['running', 'waiting', 'paused', 'stopping'];

/** Yields the runs of a tenant that have not ended, or all of them, and those of all tenants on the agenda. */
async function* chosenRuns({ store, runs }: Runtime, { all, tenant }: AuditOrder): AsyncGenerator<RunId> {
  const onAgenda = new Set((await store.agenda()).map(({ run }) => run));
  for (const run of onAgenda) yield run;
  const ofTenant = tenant === undefined ? {} : { tenant };
  for (const ofStatus of all ? [{}] : unended.map((status) => ({ status })))
    for await (const run of listed(runs, { ...ofTenant, ...ofStatus })) if (!onAgenda.has(run)) yield run;
}

async function* listed(runs: Pick<Runs, 'list'>, query: Omit<RunQuery, 'limit'>): AsyncGenerator<RunId> {
  let after: RunCursor | undefined;
  do {
    const page = await runs.list({ ...query, limit: pageSize, ...omitUndefined({ after }) });
    for (const { run } of page.runs) yield run;
    after = page.next;
  } while (after !== undefined);
}

const isSound = (inspection: Inspection): boolean =>
  inspection.type !== 'inspected' || inspection.violations.length === 0;

/** Violations that can be repaired without knowing what was lost. */
const repairable: ReadonlySet<string> = new Set(['AGENDA_DIFFERS', 'STALLED']);

/** Tests if a repair has removed all violations. */
const isMended = (inspection: Inspection): boolean =>
  inspection.type === 'inspected' &&
  inspection.mended > 0 &&
  inspection.violations.every(({ code }) => repairable.has(code));

function linesOf(run: RunId, inspection: Inspection): readonly string[] {
  switch (inspection.type) {
    case 'absent':
      return [`${run} is not there`];
    case 'busy':
      return [`${run} changes too fast to be looked at; try again`];
    case 'inspected': {
      const { violations, mended } = inspection;
      const lines = violations.map(({ code, subject, message }) => `${run} ${code} ${subject}: ${message}`);
      if (mended > 0) return [...lines, `${run} is looked after again: ${mended} entries were put right`];
      const isStalled = violations.some(({ code }) => code === 'STALLED');
      return isStalled ? [...lines, `${run} continues with: millrace audit --repair ${run}`] : lines;
    }
  }
}
