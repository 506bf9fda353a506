import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import type { Cli } from './process/cli.ts';

type AddCommand = (program: Command, cli: Cli) => void;

/** Modules of commands by the names of the commands, in the groups and the order of `--help`. */
const groups: Readonly<Record<string, Readonly<Record<string, () => Promise<AddCommand>>>>> = {
  Start: {
    demo: async () => (await import('./commands/machine/demo.ts')).addDemo,
    init: async () => (await import('./commands/machine/init.ts')).addInit,
    check: async () => (await import('./commands/machine/check.ts')).addCheck,
    schema: async () => (await import('./commands/machine/schema.ts')).addSchema,
    models: async () => (await import('./commands/models/models.ts')).addModels,
    test: async () => (await import('./commands/quality/test.ts')).addTest,
    record: async () => (await import('./commands/quality/record.ts')).addRecord,
    run: async () => (await import('./commands/start/run.ts')).addRun,
    dev: async () => (await import('./commands/start/dev.ts')).addDev,
    up: async () => (await import('./commands/machine/up.ts')).addUp,
  },
  Runs: {
    runs: async () => (await import('./commands/runs/runs.ts')).addRuns,
    show: async () => (await import('./commands/runs/show.ts')).addShow,
    open: async () => (await import('./commands/runs/open.ts')).addOpen,
    watch: async () => (await import('./commands/runs/watch.ts')).addWatch,
    logs: async () => (await import('./commands/runs/logs.ts')).addLogs,
    journal: async () => (await import('./commands/runs/journal.ts')).addJournal,
    artifacts: async () => (await import('./commands/runs/artifacts.ts')).addArtifacts,
    usage: async () => (await import('./commands/runs/usage.ts')).addUsage,
    pause: async () => (await import('./commands/control/control.ts')).addPause,
    resume: async () => (await import('./commands/control/control.ts')).addResume,
    stop: async () => (await import('./commands/control/control.ts')).addStop,
    signal: async () => (await import('./commands/control/control.ts')).addSignal,
    retry: async () => (await import('./commands/control/control.ts')).addRetry,
    replay: async () => (await import('./commands/start/replay.ts')).addReplay,
    fork: async () => (await import('./commands/start/fork.ts')).addFork,
    cancel: async () => (await import('./commands/control/control.ts')).addCancel,
    rm: async () => (await import('./commands/control/control.ts')).addRm,
    bulk: async () => (await import('./commands/resources/bulk.ts')).addBulk,
  },
  Questions: {
    tasks: async () => (await import('./commands/tasks/tasks.ts')).addTasks,
    answer: async () => (await import('./commands/tasks/answer.ts')).addAnswer,
    claim: async () => (await import('./commands/tasks/claim.ts')).addClaim,
    release: async () => (await import('./commands/tasks/claim.ts')).addRelease,
  },
  Publish: {
    workflows: async () => (await import('./commands/resources/workflows.ts')).addWorkflows,
    batch: async () => (await import('./commands/resources/batch.ts')).addBatch,
    schedule: async () => (await import('./commands/resources/schedule.ts')).addSchedule,
    webhooks: async () => (await import('./commands/resources/webhooks.ts')).addWebhooks,
    intake: async () => (await import('./commands/resources/intake.ts')).addIntake,
    mcp: async () => (await import('./commands/machine/mcp.ts')).addMcp,
  },
  Operate: {
    worker: async () => (await import('./commands/machine/worker.ts')).addWorker,
    serve: async () => (await import('./commands/machine/serve.ts')).addServe,
    doctor: async () => (await import('./commands/doctor/doctor.ts')).addDoctor,
    operations: async () => (await import('./commands/resources/operations.ts')).addOperations,
    queues: async () => (await import('./commands/resources/operations.ts')).addQueues,
    limits: async () => (await import('./commands/resources/limits.ts')).addLimits,
    keys: async () => (await import('./commands/resources/keys.ts')).addKeys,
    audit: async () => (await import('./commands/machine/audit.ts')).addAudit,
    blobs: async () => (await import('./commands/machine/blobs.ts')).addBlobs,
    'redis-url': async () => (await import('./commands/machine/redis-url.ts')).addRedisUrl,
    completion: async () => (await import('./commands/machine/completion.ts')).addCompletion,
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
 * Creates the command `millrace` for some arguments. Loads only the module of the command in the arguments, or else those of
 * all commands; each command loads its other modules when it runs.
 */
export async function createProgram(cli: Cli, [name = '']: readonly string[]): Promise<Command> {
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
      writeOut: (text) => cli.terminal.data(text.trimEnd()),
      writeErr: (text) => cli.terminal.say(text.trimEnd()),
    });
  // The completion script needs all commands.
  const isNamed = name !== 'completion' && commands.has(name);
  const needed = [...commands].filter(([command]) => !isNamed || command === name);
  for (const add of await Promise.all(needed.map(([, load]) => load()))) add(program, cli);
  for (const command of program.commands) command.helpGroup(headings.get(command.name()) ?? '');
  // Added last: commands would inherit it with its heading.
  return program.commandsGroup('Operate:').helpCommand('help [command]', 'describe a command');
}

function version(): string {
  const manifest: { version: string } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return manifest.version;
}
