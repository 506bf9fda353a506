import type { RunId } from '@millrace/core';
import { omitUndefined } from '@millrace/core/omit-undefined';
import { activeStatuses } from '@millrace/core/run-status';
import type { AgendaByRun, Inspection, RunCursor, RunQuery, Runs, Runtime } from '@millrace/runtime';
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

/**
 * Audits runs one after the other, and ends with 1 when something is wrong that was not repaired, or a run is listed whose
 * data is missing.
 */
async function audit(cli: Cli, order: AuditOrder): Promise<void> {
  const { runs, repair, json } = order;
  const { inspectRun, readAgenda } = await import('@millrace/runtime');
  await withMachine(cli, { command: 'audit' }, async (session) => {
    const { runtime, vocabulary } = session.machine;
    const { store, queue } = runtime;
    const agenda = await readAgenda(store);
    const options = { store, queue, vocabulary, agenda, ...(repair ? { repair: true as const } : {}) };
    const tally: Tally = { sound: 0, mended: 0, wrong: 0, busy: 0, absent: 0 };
    const printer = json ? jsonArray(cli) : linePrinter(cli);
    for await (const chosen of runs.length > 0 ? resolved(session, runs) : chosenRuns(runtime, order, agenda)) {
      const { run } = chosen;
      const inspection = await inspectRun(run, options);
      // Retention may have removed it meanwhile.
      if (inspection.type === 'absent' && runs.length === 0 && !(await isListed(runtime, chosen, { ...order, agenda })))
        continue;
      printer.print(run, inspection);
      tally[kindOf(inspection)]++;
    }
    printer.end();
    if (!json) cli.terminal.say(summaryOf(order, tally));
    cli.exit = exitOf(tally, runs);
  });
}

/** A run to be audited; `startedAt` is its place in the list that has it. */
type ChosenRun = Pick<RunCursor, 'run'> & Partial<RunCursor>;

async function* resolved(session: Session, runs: readonly RunId[]): AsyncGenerator<ChosenRun> {
  for (const run of runs) yield { run: await resolveRun(session, run) };
}

/** Counts of runs of each kind. */
type Tally = Record<ReturnType<typeof kindOf>, number>;

function kindOf(inspection: Inspection): 'sound' | 'mended' | 'wrong' | 'busy' | 'absent' {
  if (inspection.type !== 'inspected') return inspection.type;
  if (isSound(inspection)) return 'sound';
  return isMended(inspection) ? 'mended' : 'wrong';
}

function summaryOf({ runs, all, tenant }: AuditOrder, { sound, mended, wrong, busy, absent }: Tally): string {
  const seen = sound + mended + wrong + busy;
  const looked = `${seen} ${seen === 1 ? 'run' : 'runs'} looked at, ${sound} of them sound.`;
  if (runs.length > 0) return looked;
  const missing = `The data of ${absent} more ${absent === 1 ? 'run that is' : 'runs that are'} listed is missing.`;
  const summary = absent === 0 ? looked : `${looked} ${missing}`;
  const tenantRuns = tenant === undefined ? 'runs started without a tenant' : `runs of tenant ${tenant}`;
  const which = all ? `all ${tenantRuns}` : `the ${tenantRuns} that have not ended (--all: those that have ended, too)`;
  return `${summary} These are ${which}, and all that are looked after.`;
}

function exitOf({ wrong, absent }: Tally, asked: readonly RunId[]): ExitCode {
  if (wrong > 0) return exitCodes.failed;
  if (absent === 0) return exitCodes.completed;
  return asked.length > 0 ? exitCodes.notFound : exitCodes.failed;
}

interface Printer {
  print(run: RunId, inspection: Inspection): void;
  end(): void;
}

const linePrinter = ({ terminal }: Cli): Printer => ({
  print(run, inspection) {
    for (const line of linesOf(run, inspection)) terminal.report(line);
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

/** Yields the runs of a tenant that have not ended, or all of them, and those of all tenants on the agenda. */
async function* chosenRuns(
  { runs }: Runtime,
  { all, tenant }: AuditOrder,
  agenda: AgendaByRun,
): AsyncGenerator<ChosenRun> {
  for (const run of agenda.keys()) yield { run };
  const ofTenant = tenant === undefined ? {} : { tenant };
  for (const ofStatus of all ? [{}] : activeStatuses.map((status) => ({ status })))
    for await (const cursor of listed(runs, { ...ofTenant, ...ofStatus })) if (!agenda.has(cursor.run)) yield cursor;
}

async function* listed(runs: Pick<Runs, 'list'>, query: Omit<RunQuery, 'limit'>): AsyncGenerator<RunCursor> {
  let after: RunCursor | undefined;
  do {
    const page = await runs.list({ ...query, limit: pageSize, ...omitUndefined({ after }) });
    yield* page.runs;
    after = page.next;
  } while (after !== undefined);
}

/** Returns whether the list or the agenda that names a run still has it. */
async function isListed(
  { store }: Pick<Runtime, 'store'>,
  { run, startedAt }: ChosenRun,
  { agenda, tenant }: Pick<AuditOrder, 'tenant'> & { readonly agenda: AgendaByRun },
): Promise<boolean> {
  if (startedAt === undefined) return (await store.onAgenda(agenda.get(run) ?? [])).length > 0;
  const atThatTime = { since: startedAt, until: startedAt + 1, limit: pageSize };
  const { runs } = await store.runs({ ...atThatTime, ...omitUndefined({ tenant }) });
  return runs.some((one) => one.run === run);
}

const isSound = (inspection: Inspection): boolean =>
  inspection.type === 'inspected' && inspection.violations.length === 0;

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
