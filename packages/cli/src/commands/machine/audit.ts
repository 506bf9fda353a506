import type { Command } from 'commander';
import type { Cli } from '../../process/cli.ts';

interface AuditFlags {
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
    .action(async (runs: readonly string[], flags: AuditFlags) => {
      const { auditRuns } = await import('../../resources/audit-runs.ts');
      await auditRuns(cli, { ...flags, runs });
    });
}
