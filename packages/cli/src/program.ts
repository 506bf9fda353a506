import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addAudit } from './commands/machine/audit.ts';
import { addCheck } from './commands/machine/check.ts';
import { addDemo } from './commands/machine/demo.ts';
import { addDoctor } from './commands/machine/doctor.ts';
import { addMcp } from './commands/machine/mcp.ts';
import { addSchema } from './commands/machine/schema.ts';
import { addServe } from './commands/machine/serve.ts';
import { addUp } from './commands/machine/up.ts';
import { addWorker } from './commands/machine/worker.ts';
import { addBatch } from './commands/resources/batch.ts';
import { addBulk } from './commands/resources/bulk.ts';
import { addIntake } from './commands/resources/intake.ts';
import { addKeys } from './commands/resources/keys.ts';
import { addLimits } from './commands/resources/limits.ts';
import { addSchedule } from './commands/resources/schedule.ts';
import { addWorkflows } from './commands/resources/workflows.ts';
import { addAnswer } from './commands/runs/answer.ts';
import { addArtifacts } from './commands/runs/artifacts.ts';
import { addCancel } from './commands/runs/cancel.ts';
import { addFork } from './commands/runs/fork.ts';
import { addJournal } from './commands/runs/journal.ts';
import { addPause } from './commands/runs/pause.ts';
import { addReplay } from './commands/runs/replay.ts';
import { addResume } from './commands/runs/resume.ts';
import { addRetry } from './commands/runs/retry.ts';
import { addRm } from './commands/runs/rm.ts';
import { addRun } from './commands/runs/run.ts';
import { addRuns } from './commands/runs/runs.ts';
import { addSignal } from './commands/runs/signal.ts';
import { addStop } from './commands/runs/stop.ts';
import { addWatch } from './commands/runs/watch.ts';
import type { Cli } from './process/cli.ts';

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
