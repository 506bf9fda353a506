import { resolve } from 'node:path';
import type { RateRule, ToolRule, Vocabulary } from '@millrace/core';
import { defaultTenant, omitUndefined, tenantOf } from '@millrace/core';
import type { ConsumeOptions, Runtime, WorkerIdentity, WorkerReporter } from '@millrace/runtime';
import {
  createGuardedFetch,
  createOutboundPolicy,
  Instrumentations,
  KeyedMutex,
  realClock,
  startWorkerReporter,
  version,
} from '@millrace/runtime';
import type { Logger } from 'pino';
import { activate } from './activate/activate.ts';
import { AttemptSupervisor } from './context/attempt-supervisor.ts';
import { createMemoryCache } from './context/memory-cache.ts';
import { createSecrets } from './context/secrets.ts';
import type { WorkerContext } from './context/worker-context.ts';
import { ForeignFormatLog } from './context/worker-context.ts';
import { createReadableFiles } from './files/confined-path.ts';
import { DigestCache } from './files/known-digests.ts';
import { RunFolders } from './files/run-folders.ts';
import { createSkills } from './host/skills.ts';
import { programEnvironment, secretFromEnvironment } from './programs/config.ts';
import { createInterpreters } from './programs/interpreter.ts';
import type { SandboxLevel } from './programs/sandbox.ts';
import { createSandbox } from './programs/sandbox.ts';

/** Options of {@link startWorker}. */
export interface WorkerOptions {
  readonly runtime: Pick<Runtime, 'runs' | 'queue'> &
    Partial<Pick<Runtime, 'clock' | 'instrumentation' | 'models' | 'store'>>;
  readonly vocabulary: Vocabulary;
  /** Activations worked on at a time, of each queue. */
  readonly concurrency: number;
  /** Queues whose activations it works on, see ConsumeOptions; default: the default queue. */
  readonly queues?: ConsumeOptions['queues'];
  /** Shown in journals and lists of workers. */
  readonly name: string;
  readonly log: Logger;
  /** The value of a variable that a secret field names; default: the environment of the process. */
  readonly secret?: (name: string) => string | undefined;
  /** Directory in which programs of nodes leave their files, run by run; default: `.millrace/workspaces`. */
  readonly workspaces?: string;
  /** Directory with the skills of agents, a folder each; default: `.agents/skills`. */
  readonly skills?: string;
  /** Isolation of the programs of nodes; default: the best that the machine offers. */
  readonly sandbox?: SandboxLevel;
  /** MiB that each program can keep in each of its temporary file systems, which bubblewrap makes; default: 512. */
  readonly sandboxTmpMb?: number;
  /**
   * Addresses that workflows may reach beside public ones, see createOutboundPolicy; default: this machine for runs of the
   * default tenant, and none for those of other tenants.
   */
  readonly outbound?: readonly string[];
  /**
   * Folders of this machine that memories may read; default: all files for runs of the default tenant, none for those of
   * others.
   */
  readonly memoryFiles?: readonly string[];
  /** Makes the requests to addresses that workflows name; default: a `fetch` that reaches what `outbound` allows. */
  readonly fetch?: typeof globalThis.fetch;
  /** Number of workers that may die while they execute an activation; then it fails with WORKER_DIED. Default: 3. */
  readonly maxDeaths?: number;
  /** Rate limits of models; a workflow can only tighten them. */
  readonly rateLimits?: readonly RateRule[];
  /** Policy for calls of tools; those of workflows can only be stricter. */
  readonly toolPolicy?: readonly ToolRule[];
  /**
   * Called for each step that a node asks for, with its whole request: also for steps of replays that take a recorded result, of
   * which instrumentation sees nothing.
   */
  readonly onStep?: WorkerContext['onStep'];
}

/** A running worker. */
export interface RunningWorker {
  /** Results that are on their way to the store, whose jobs are off the queue already. */
  pending(): number;
  /** Takes no new jobs and waits for the active ones. */
  close(): Promise<void>;
}

/** Workspaces whose files a worker knows without reading them. */
const knownWorkspaces = 200;

/** Works on activations from the queue until it is closed. */
export function startWorker({
  runtime,
  vocabulary,
  concurrency,
  queues,
  name,
  log,
  secret = secretFromEnvironment,
  workspaces = '.millrace/workspaces',
  skills = '.agents/skills',
  sandbox = 'auto',
  sandboxTmpMb,
  outbound,
  fetch,
  memoryFiles,
  maxDeaths = 3,
  rateLimits = [],
  toolPolicy = [],
  onStep,
}: WorkerOptions): RunningWorker {
  runtime.runs.tenantEvents.followWatchers();
  const directory = resolve(workspaces);
  const digests = new DigestCache(knownWorkspaces);
  const folders = new RunFolders({
    directory,
    runs: runtime.runs,
    forget: (folder) => digests.forgetBelow(folder),
    report: (error) => log.warn({ error }, 'the workspaces of ended runs could not be removed; trying again'),
  });
  const worker: WorkerContext = {
    runs: runtime.runs,
    clock: runtime.clock ?? realClock,
    vocabulary,
    worker: name,
    log,
    ...createSecrets(secret),
    fetchFor: fetch === undefined ? fetchByTenant(outbound) : () => fetch,
    workspaces: directory,
    readableFiles: createReadableFiles({ allowed: memoryFiles, workspaces: directory }),
    skills: createSkills(skills),
    interpreters: createInterpreters({ env: programEnvironment(), workspaces: directory }),
    sandbox: createSandbox(sandbox, omitUndefined({ log, env: programEnvironment(), tmpMb: sandboxTmpMb })),
    memories: createMemoryCache(runtime.runs.memories),
    digests,
    folders,
    maxDeaths,
    models: vocabulary.models,
    rateLimits,
    toolPolicy,
    onStep,
    observationMutex: new KeyedMutex(),
    supervisor: new AttemptSupervisor(runtime.runs, name),
    foreignFormatLog: new ForeignFormatLog(log),
    instrumentation: runtime.instrumentation ?? new Instrumentations(),
    pendingSettlements: new Map(),
  };
  const followed = runtime.models?.follow();
  folders.start();
  const reporter = reportState(runtime, { name, version, concurrency });
  const consumer = runtime.queue.consume(
    (wake, signal, deaths) => activate(worker, wake, signal, deaths),
    omitUndefined({ concurrency, name, queues, isolatedFrom: Math.max(1, maxDeaths - 1) }),
  );
  return {
    pending: () => worker.pendingSettlements.size,
    async close() {
      await consumer.close();
      await Promise.all(worker.pendingSettlements.values());
      await folders.close();
      reporter?.close();
      followed?.close();
    },
  };
}

/** Starts to report the state of a worker to operators; does nothing where no other process could read it. */
function reportState(
  { store, instrumentation }: WorkerOptions['runtime'],
  identity: WorkerIdentity,
): WorkerReporter | undefined {
  if (store?.durable !== true) return undefined;
  const reporter = startWorkerReporter(store.registry, identity);
  instrumentation?.add(reporter.instrumentation);
  return reporter;
}

function fetchByTenant(outbound: readonly string[] | undefined): WorkerContext['fetchFor'] {
  const own = createGuardedFetch(createOutboundPolicy(outbound ?? ['loopback']));
  const others = createGuardedFetch(createOutboundPolicy(outbound ?? []));
  return (run) => (tenantOf(run) === defaultTenant ? own : others);
}
