import type { JournalEntry } from '@millrace/core';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';

const page = 500;

/** `millrace journal`: what happened in a run, event by event. */
export function addJournal(program: Command, cli: Cli): void {
  program
    .command('journal')
    .description('print the journal of a run')
    .argument('<run>', 'its id')
    .option('--json', 'print JSON lines')
    .action(async (run: string, { json }: { json?: boolean }) => printJournal(cli, run, json === true));
}

async function printJournal(cli: Cli, run: string, json: boolean): Promise<void> {
  const { describe } = await import('../follow.ts');
  const { withSession } = await import('../session.ts');
  await withSession(cli, {}, async (session) => {
    await describe(session, run);
    let entries = await session.runtime.store.journal(run, '0', page);
    while (entries.length > 0) {
      for (const entry of entries) cli.terminal.data(json ? JSON.stringify(entry) : entryText(entry));
      entries = await session.runtime.store.journal(run, entries.at(-1)?.id ?? '0', page);
    }
  });
}

function entryText({ id, at, event: { type, ...facts } }: JournalEntry): string {
  return `${id.padEnd(8)} ${new Date(at).toISOString()} ${type.padEnd(20)} ${JSON.stringify(facts)}`;
}
