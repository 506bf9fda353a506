import type { Command } from 'commander';
import type { Cli } from '../../process/cli.ts';

interface AuditFlags {
  readonly all?: boolean;
  readonly tenant?: string;
  readonly repair?: boolean;
  readonly json?: boolean;
}

/** `millrace audit`: whether what is stored of runs is sound. */
export function addAudit(program: Command, cli: Cli): void {
  program
    .command('audit')
    .description('check that what is stored of runs is sound, while they go on')
    .argument('[run...]', 'their ids (default: all that have not ended)')
    .option('--all', 'without ids: look at runs that have ended, too')
    .option('--tenant <name>', 'the runs of this tenant (default: those started without one)')
    .option('--repair', 'look after what nobody looks after any more, so that it goes on')
    .option('--json', 'print a JSON array of {run, type, violations, mended}')
    .action(async (runs: readonly string[], flags: AuditFlags) => {
      const { auditRuns } = await import('../../resources/audit-runs.ts');
      await auditRuns(cli, { ...flags, runs });
    });
}
