import { tmpdir } from 'node:os';
import type { RunId } from '@millrace/core';
import { defaultTenant, NodeError, tenantOf } from '@millrace/core';
import type { Logger } from 'pino';
import type { ProcessCommand } from './child-process.ts';
import { assertStartable, runProcess } from './child-process.ts';
import { foldersOf } from './config.ts';
import { findProgram } from './interpreter.ts';
import { markProgram } from './program-mark.ts';

/**
 * Levels of isolation of the programs of nodes. `bubblewrap`: no network, no other processes, no capabilities, another
 * user, and of the files only the system's, to read, and the workspace. `limits`: caps on memory, processor time, processes
 * and file sizes. `auto`: bubblewrap where it works, otherwise limits where they work. Bubblewrap comes with limits where
 * they work.
 */
export type SandboxLevel = 'auto' | 'bubblewrap' | 'limits' | 'none';

/** A program that is confined. */
export interface ConfinedProgram {
  readonly seconds: number;
  readonly run: RunId;
  /** Paths that it may read beside the system's, see {@link Interpreter}. */
  readonly installation?: readonly string[];
}

/** Isolates programs from the machine. */
export interface Sandbox {
  /**
   * Returns the command that runs another one, whose working directory is the only one that it may write to. Throws
   * SANDBOX_MISSING where the level cannot be kept, SANDBOX_REQUIRED where the run's tenant needs bubblewrap, and
   * PROGRAM_ARGUMENT_INVALID for a command that no process can have.
   */
  confine(command: ProcessCommand, program: ConfinedProgram): Promise<ProcessCommand>;
  /** Throws SANDBOX_REQUIRED where the run's tenant may not start an MCP server as a command, which is never confined. */
  assertMayStartServers(run: RunId): void;
}

const gibibyte = 1024 ** 3;
/** Number of cores that a program may keep busy for all of its time. */
const cores = 8;
const probeTimeoutMs = 5_000;
/** MiB that a program may keep in each of its temporary file systems, which are in the memory of the machine. */
const defaultTmpMb = 512;
/** User and group of programs in bubblewrap: `nobody`. On the machine, their files belong to the user of the worker. */
const nobody = '65534';

/** Files of the system that a program may read, for the interpreter and its libraries. */
const systemPaths = [
  '/usr',
  '/bin',
  '/lib',
  '/lib64',
  '/etc/alternatives',
  '/etc/fonts',
  '/etc/ld.so.cache',
  '/etc/localtime',
  // Not the keys beside them, which a worker of root could read.
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
];

/** Paths of the tools that confine programs on this machine. */
export interface SandboxTools {
  readonly bwrap?: Bubblewrap;
  readonly prlimit?: string;
}

/** Bubblewrap on this machine, and what its version can do. */
export interface Bubblewrap {
  readonly path: string;
  /** Programs cannot make user namespaces: from 0.8 on, unless it is installed setuid. */
  readonly forbidsNamespaces: boolean;
  /** Temporary file systems have a size: from 0.7 on. */
  readonly boundsMemory: boolean;
}

/** Options of {@link createSandbox}. */
export interface SandboxOptions {
  readonly log: Logger;
  /** Environment of the worker. */
  readonly env: ProcessCommand['env'];
  /** MiB that a program may keep in each of `/tmp` and `/dev/shm`; default: 512. */
  readonly tmpMb?: number;
}

/** Returns a sandbox. The machine's abilities are probed for the first program, and kept. */
export function createSandbox(level: SandboxLevel, { log, env, tmpMb = defaultTmpMb }: SandboxOptions): Sandbox {
  let means: Promise<SandboxTools> | undefined;
  return {
    async confine(command, { seconds, run, installation = [] }) {
      assertStartable(command);
      means ??= chosen(level, { log, env });
      const { bwrap, prlimit } = await means;
      if (bwrap === undefined) assertTrusted(level, run, noBubblewrap(run));
      const inside = bwrap === undefined ? marked(command) : bubblewrapped(command, bwrap, { installation, tmpMb });
      return prlimit === undefined ? inside : limited(inside, prlimit, seconds);
    },
    assertMayStartServers: (run) => assertTrusted(level, run, noServers(run)),
  };
}

/** Returns whether this process is root's, so that the rights of programs depend on their sandbox alone. */
export const runsAsRoot = (): boolean => process.getuid?.() === 0;

const noBubblewrap = (run: RunId): string =>
  `Programs of the tenant "${tenantOf(run)}" run in bubblewrap only, which does not work where the worker runs. Install \`bwrap\` there and allow user namespaces.`;

const noServers = (run: RunId): string =>
  `The tenant "${tenantOf(run)}" may not start MCP servers as commands, because they run outside of the sandbox. Reach the server by its URL.`;

/** Levels by which the operator lets programs of all tenants reach what the worker reaches. */
const opened: ReadonlySet<SandboxLevel> = new Set(['limits', 'none']);

/** Throws when a run's tenant may not reach what the worker reaches. */
function assertTrusted(level: SandboxLevel, run: RunId, denial: string): void {
  if (opened.has(level) || tenantOf(run) === defaultTenant) return;
  throw new NodeError(
    'SANDBOX_REQUIRED',
    `${denial} MILLRACE_SANDBOX=limits on the worker lets programs of all tenants reach what the worker reaches.`,
  );
}

async function chosen(level: SandboxLevel, { log, env }: SandboxOptions): Promise<SandboxTools> {
  const means = await probeSandboxTools(level, env);
  if (level === 'bubblewrap' && means.bwrap === undefined) {
    throw new NodeError(
      'SANDBOX_MISSING',
      'Programs must run in bubblewrap, which does not work on the machine of this worker. Install `bwrap` there and allow user namespaces, or choose another sandbox.',
    );
  }
  const { bwrap, prlimit } = means;
  log.info({ bubblewrap: bwrap !== undefined, limits: prlimit !== undefined }, 'programs of nodes are confined');
  return means;
}

/** Probes the tools that this level may use on this machine. */
export async function probeSandboxTools(level: SandboxLevel, env: ProcessCommand['env']): Promise<SandboxTools> {
  // A file that may not be executed is no tool.
  const find = (name: string) => findProgram(name, { folders: foldersOf(env), workspace: '/' }).catch(() => undefined);
  const nothing: ProcessCommand = { file: (await find('true')) ?? '/bin/true', args: [], cwd: tmpdir(), env };
  const prlimit = level === 'none' ? undefined : await find('prlimit');
  const path = level === 'auto' || level === 'bubblewrap' ? await find('bwrap') : undefined;
  if (prlimit !== undefined) {
    const bwrap = await usableBubblewrap(path, nothing, prlimit);
    if (bwrap !== undefined) return { bwrap, prlimit };
    if (await works(limited(nothing, prlimit, 1))) return { prlimit };
  }
  const bwrap = await usableBubblewrap(path, nothing);
  return bwrap === undefined ? {} : { bwrap };
}

/** Versions of bubblewrap, newest first. A program that runs shows what this one can do. */
const versions = [
  { forbidsNamespaces: true, boundsMemory: true },
  { forbidsNamespaces: false, boundsMemory: true },
  { forbidsNamespaces: false, boundsMemory: false },
];

/** Returns bubblewrap if a program runs in it, with limits if `prlimit` is given; undefined also without a path. */
async function usableBubblewrap(
  path: string | undefined,
  nothing: ProcessCommand,
  prlimit?: string,
): Promise<Bubblewrap | undefined> {
  if (path === undefined) return undefined;
  for (const version of versions) {
    const bwrap = { path, ...version };
    const confined = bubblewrapped(nothing, bwrap, { installation: [], tmpMb: defaultTmpMb });
    if (await works(prlimit === undefined ? confined : limited(confined, prlimit, 1))) return bwrap;
  }
  return undefined;
}

async function works(command: ProcessCommand): Promise<boolean> {
  const options = { timeoutMs: probeTimeoutMs, signal: new AbortController().signal };
  // The system may refuse to start it.
  const ended = await runProcess(command, options).catch(() => undefined);
  return ended?.code === 0;
}

/** Without a PID namespace, processes in other groups are found by their mark. */
function marked(command: ProcessCommand): ProcessCommand {
  const mark = markProgram();
  return { ...command, env: { ...command.env, ...mark.env }, killRest: mark.kill };
}

function limited(command: ProcessCommand, prlimit: string, seconds: number): ProcessCommand {
  const caps = [
    '--core=0',
    `--as=${4 * gibibyte}`,
    `--fsize=${gibibyte}`,
    '--nproc=4096',
    `--cpu=${Math.ceil(seconds) * cores}`,
  ];
  return { ...command, file: prlimit, args: [...caps, '--', command.file, ...command.args] };
}

/**
 * Namespaces of its own, and another user without capabilities. Without the latter, a program of a worker that runs as root
 * could mount the system's files again, to write.
 */
const isolation = [
  ...['--unshare-all', '--unshare-user', '--uid', nobody, '--gid', nobody, '--cap-drop', 'ALL'],
  ...['--die-with-parent', '--new-session', '--clearenv'],
];

interface Reach {
  readonly installation: readonly string[];
  readonly tmpMb: number;
}

/**
 * Everything but the workspace is read-only or has a size. The arguments go by a pipe, so that the values of variables are
 * not in the list of processes. Bubblewrap separates them by NUL characters, so a NUL within one of them would make further
 * options of it.
 */
function bubblewrapped(command: ProcessCommand, bwrap: Bubblewrap, { installation, tmpMb }: Reach): ProcessCommand {
  assertStartable(command);
  const { file, args, cwd, env } = command;
  const inner = { ...env, HOME: '/tmp', TMPDIR: '/tmp' };
  const size = bwrap.boundsMemory ? ['--size', String(tmpMb * 1024 * 1024)] : [];
  const options = [
    ...isolation,
    ...(bwrap.forbidsNamespaces ? ['--disable-userns'] : []),
    ...Object.entries(inner).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...[...size, '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ...[...size, '--tmpfs', '/tmp'],
    ...[...systemPaths, ...installation].flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--bind', cwd, cwd, '--remount-ro', '/', '--chdir', cwd],
  ];
  // Bubblewrap itself looks at nothing in the workspace.
  return { file: bwrap.path, args: ['--args', '3', '--', file, ...args], cwd: '/', env: {}, extra: options.join('\0') };
}
