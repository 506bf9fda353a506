import type { JournalEntry } from '@millrace/core';
import type { Command } from 'commander';
import { withSession } from '../../client/session.ts';
import { CommandError, exitCodes } from '../../exit/exit.ts';
import { archiveUnreadable } from '../../exit/file-refusals.ts';
import type { Cli } from '../../process/cli.ts';
import { resolveRun, rethrowUnknownRun } from '../../requests/resolve-run.ts';

/** `millrace journal`: prints the events of a run. */
export function addJournal(program: Command, cli: Cli): void {
  program
    .command('journal')
    .description('print the journal of a run')
    .addHelpText('after', '\nExample:\n  millrace journal run_0199a1b2 --json')
    .argument('[run]', 'id of the run, or the beginning of it')
    .option('--file <path>', 'read a run that was archived before its removal, without the names of nodes')
    .option('--json', 'print JSON lines')
    .action(async (run: string | undefined, { file, json }: { file?: string; json?: boolean }) => {
      const print = (entry: ShownEntry) => cli.terminal.data(json ? JSON.stringify(entry) : entryText(entry));
      if (file !== undefined && run === undefined) await printArchived(cli, file, print);
      else if (run !== undefined && file === undefined) await printJournal(cli, run, print);
      else await refuse();
    });
}

/** An entry without the tokens of wakes. */
type ShownEntry = Pick<JournalEntry, 'id' | 'at'> & { readonly event: { readonly type: string } };
type Print = (entry: ShownEntry) => void;

async function refuse(): Promise<never> {
  throw new CommandError(exitCodes.invalid, 'Give the id of a run, or --file with the path of an archived one.');
}

async function printArchived(cli: Cli, named: string, print: Print): Promise<void> {
  const { RequestError } = await import('@millrace/core');
  const { plainEntries, readRunArchive } = await import('@millrace/runtime');
  const { archiveFile } = await import('../../requests/run-source.ts');
  const file = await archiveFile(cli, named);
  let entries = 0;
  try {
    for await (const entry of plainEntries(readRunArchive(file))) {
      print(entry);
      entries += 1;
    }
  } catch (error) {
    if (error instanceof RequestError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw archiveUnreadable(`${named} cannot be read as an archived run: ${reason}.`);
  }
  if (entries === 0) throw archiveUnreadable(`${named} is not an archived run: it holds no journal.`);
}

async function printJournal(cli: Cli, named: string, print: Print): Promise<void> {
  await withSession(cli, {}, async (session) => {
    const run = await resolveRun(session, named);
    try {
      // The API returns entries in the form of the journal.
      for await (const event of session.millrace.runs.get(run).journal()) print(event as JournalEntry);
    } catch (error) {
      rethrowUnknownRun(run)(error);
    }
  });
}

function entryText({ id, at, event: { type, ...facts } }: ShownEntry): string {
  return `${id.padEnd(8)} ${new Date(at).toISOString()} ${type.padEnd(20)} ${JSON.stringify(facts)}`;
}
