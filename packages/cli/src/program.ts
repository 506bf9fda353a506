import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addCancel, addPause, addResume, addRetry, addRm, addSignal, addStop } from './commands/control/control.ts';
import { addDoctor } from './commands/doctor/doctor.ts';
import { addAudit } from './commands/machine/audit.ts';
import { addBlobs } from './commands/machine/blobs.ts';
import { addCheck } from './commands/machine/check.ts';
import { addCompletion } from './commands/machine/completion.ts';
import { addDemo } from './commands/machine/demo.ts';
import { addInit } from './commands/machine/init.ts';
import { addMcp } from './commands/machine/mcp.ts';
import { addRedisUrl } from './commands/machine/redis-url.ts';
import { addSchema } from './commands/machine/schema.ts';
import { addServe } from './commands/machine/serve.ts';
import { addUp } from './commands/machine/up.ts';
import { addWorker } from './commands/machine/worker.ts';
import { addModels } from './commands/models/models.ts';
import { addRecord } from './commands/quality/record.ts';
import { addTest } from './commands/quality/test.ts';
import { addBatch } from './commands/resources/batch.ts';
import { addBulk } from './commands/resources/bulk.ts';
import { addIntake } from './commands/resources/intake.ts';
import { addKeys } from './commands/resources/keys.ts';
import { addLimits } from './commands/resources/limits.ts';
import { addOperations, addQueues } from './commands/resources/operations.ts';
import { addSchedule } from './commands/resources/schedule.ts';
import { addWebhooks } from './commands/resources/webhooks.ts';
import { addWorkflows } from './commands/resources/workflows.ts';
import { addArtifacts } from './commands/runs/artifacts.ts';
import { addJournal } from './commands/runs/journal.ts';
import { addLogs } from './commands/runs/logs.ts';
import { addOpen } from './commands/runs/open.ts';
import { addRuns } from './commands/runs/runs.ts';
import { addShow } from './commands/runs/show.ts';
import { addUsage } from './commands/runs/usage.ts';
import { addWatch } from './commands/runs/watch.ts';
import { addDev } from './commands/start/dev.ts';
import { addFork } from './commands/start/fork.ts';
import { addReplay } from './commands/start/replay.ts';
import { addRun } from './commands/start/run.ts';
import { addAnswer } from './commands/tasks/answer.ts';
import { addClaim, addRelease } from './commands/tasks/claim.ts';
import { addTasks } from './commands/tasks/tasks.ts';
import type { Cli } from './process/cli.ts';

type AddCommand = (program: Command, cli: Cli) => void;

/** What adds commands, by their names, in the groups and the order of `--help`. */
const groups: Readonly<Record<string, Readonly<Record<string, AddCommand>>>> = {
  Start: {
    demo: addDemo,
    init: addInit,
    check: addCheck,
    schema: addSchema,
    models: addModels,
    test: addTest,
    record: addRecord,
    run: addRun,
    dev: addDev,
    up: addUp,
  },
  Runs: {
    runs: addRuns,
    show: addShow,
    open: addOpen,
    watch: addWatch,
    logs: addLogs,
    journal: addJournal,
    artifacts: addArtifacts,
    usage: addUsage,
    pause: addPause,
    resume: addResume,
    stop: addStop,
    signal: addSignal,
    retry: addRetry,
    replay: addReplay,
    fork: addFork,
    cancel: addCancel,
    rm: addRm,
    bulk: addBulk,
  },
  Questions: {
    tasks: addTasks,
    answer: addAnswer,
    claim: addClaim,
    release: addRelease,
  },
  Publish: {
    workflows: addWorkflows,
    batch: addBatch,
    schedule: addSchedule,
    webhooks: addWebhooks,
    intake: addIntake,
    mcp: addMcp,
  },
  Operate: {
    worker: addWorker,
    serve: addServe,
    doctor: addDoctor,
    operations: addOperations,
    queues: addQueues,
    limits: addLimits,
    keys: addKeys,
    audit: addAudit,
    blobs: addBlobs,
    'redis-url': addRedisUrl,
    completion: addCompletion,
  },
};

const commands = new Map(Object.values(groups).flatMap((group) => Object.entries(group)));

/** Headings of the groups by the names of their commands. */
const headings = new Map(
  Object.entries(groups).flatMap(([heading, group]) =>
    Object.keys(group).map((name) => [name, `${heading}:`] as const),
  ),
);

/**
 * Creates the command `millrace` for some arguments: with the command in the arguments only, or else with all of them. Each command
 * loads what it needs when it runs.
 */
export function createProgram(cli: Cli, [name = '']: readonly string[]): Command {
  const program = new Command('millrace')
    .description('Runs YAML graphs of agents, people and code as durable background work.')
    .version(version())
    .option('-v, --verbose', 'report details, such as the Redis that the command has joined')
    .hook('preAction', () => {
      cli.verbose = program.opts<{ verbose?: boolean }>().verbose === true;
    })
    .showHelpAfterError('(--help explains the command)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => cli.terminal.report(text.trimEnd()),
      writeErr: (text) => cli.terminal.say(text.trimEnd()),
    });
  // The completion script needs all commands.
  const isNamed = name !== 'completion' && commands.has(name);
  const needed = [...commands].filter(([command]) => !isNamed || command === name);
  for (const [, add] of needed) add(program, cli);
  for (const command of program.commands) command.helpGroup(headings.get(command.name()) ?? '');
  // Added last: commands would inherit it with its heading.
  return program.commandsGroup('Operate:').helpCommand('help [command]', 'describe a command');
}

function version(): string {
  const manifest: { version: string } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return manifest.version;
}
