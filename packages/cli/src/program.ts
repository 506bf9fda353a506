import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import type { Cli } from './cli.ts';
import { addAnswer } from './commands/answer.ts';
import { addArtifacts } from './commands/artifacts.ts';
import { addAudit } from './commands/audit.ts';
import { addBatch } from './commands/batch.ts';
import { addBulk } from './commands/bulk.ts';
import { addCancel } from './commands/cancel.ts';
import { addCheck } from './commands/check.ts';
import { addDemo } from './commands/demo.ts';
import { addDoctor } from './commands/doctor.ts';
import { addFork } from './commands/fork.ts';
import { addIntake } from './commands/intake.ts';
import { addJournal } from './commands/journal.ts';
import { addKeys } from './commands/keys.ts';
import { addLimits } from './commands/limits.ts';
import { addMcp } from './commands/mcp.ts';
import { addPause } from './commands/pause.ts';
import { addReplay } from './commands/replay.ts';
import { addResume } from './commands/resume.ts';
import { addRetry } from './commands/retry.ts';
import { addRm } from './commands/rm.ts';
import { addRun } from './commands/run.ts';
import { addRuns } from './commands/runs.ts';
import { addSchedule } from './commands/schedule.ts';
import { addSchema } from './commands/schema.ts';
import { addServe } from './commands/serve.ts';
import { addSignal } from './commands/signal.ts';
import { addStop } from './commands/stop.ts';
import { addUp } from './commands/up.ts';
import { addWatch } from './commands/watch.ts';
import { addWorker } from './commands/worker.ts';
import { addWorkflows } from './commands/workflows.ts';

const commands = [
  addDemo,
  addCheck,
  addSchema,
  addRun,
  addRuns,
  addWatch,
  addJournal,
  addArtifacts,
  addAnswer,
  addPause,
  addResume,
  addStop,
  addSignal,
  addRetry,
  addReplay,
  addFork,
  addCancel,
  addRm,
  addUp,
  addWorker,
  addServe,
  addDoctor,
  addAudit,
  addIntake,
  addLimits,
  addKeys,
  addMcp,
  addWorkflows,
  addBatch,
  addSchedule,
  addBulk,
];

/** The command `millrace` with all its subcommands. Only what a command needs is loaded, when it runs. */
export function createProgram(cli: Cli): Command {
  const program = new Command('millrace')
    .description('Runs YAML graphs of agents, people and code as durable background work.')
    .version(version())
    .showHelpAfterError('(--help explains the command)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => cli.terminal.data(text.trimEnd()),
      writeErr: (text) => cli.terminal.say(text.trimEnd()),
    });
  for (const add of commands) add(program, cli);
  return program;
}

function version(): string {
  const manifest: { version: string } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return manifest.version;
}
