import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, sep } from 'node:path';
import type { RunId } from '@millrace/core';
import { defaultTenant, NodeError, tenantOf } from '@millrace/core';
import type { Logger } from 'pino';
import type { ProcessCommand } from './child-process.ts';
import { assertStartable, runProcess } from './child-process.ts';
import { findProgram, foldersOf } from './interpreter.ts';
import { markProgram } from './program-mark.ts';

/**
 * Levels of isolation of the programs of nodes. `bubblewrap`: no network, no other processes, no capabilities, another
 * user, and of the files only the system's, to read, and the workspace. `limits`: caps on memory, processor time, processes
 * and file sizes. `auto`: bubblewrap where it works, otherwise limits where they work. Bubblewrap comes with limits where
 * they work.
 */
export type SandboxLevel = 'auto' | 'bubblewrap' | 'limits' | 'none';

/** Isolates programs from the machine. */
export interface Sandbox {
  /**
   * Returns the command that runs another one, whose working directory is the only one that it may write to. Throws
   * SANDBOX_MISSING where the level cannot be kept, SANDBOX_REQUIRED where the run's tenant needs bubblewrap, and
   * PROGRAM_ARGUMENT_INVALID for a command that no process can have.
   */
  confine(command: ProcessCommand, program: { readonly seconds: number; readonly run: RunId }): Promise<ProcessCommand>;
  /** Throws SANDBOX_REQUIRED where the run's tenant may not start an MCP server as a command, which is never confined. */
  assertMayStartServers(run: RunId): void;
}

const gibibyte = 1024 ** 3;
/** Number of cores that a program may keep busy for all of its time. */
const cores = 8;
const probeTimeoutMs = 5_000;
/** Bytes that a program may keep in each of its temporary file systems, which are in the memory of the machine. */
const temporaryBytes = gibibyte / 2;
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
  '/etc/ssl',
];

/** Paths of the tools that confine programs on this machine. */
export interface SandboxTools {
  readonly bwrap?: Bubblewrap;
  readonly prlimit?: string;
}

/** Bubblewrap on this machine. */
interface Bubblewrap {
  readonly path: string;
  /** Options that it needs for isolation, and that this version knows. */
  readonly isolation: readonly string[];
}

/** Returns a sandbox. The machine's abilities are probed for the first program, and kept. */
export function createSandbox(level: SandboxLevel, { log, env }: { log: Logger; env: ProcessCommand['env'] }): Sandbox {
  let means: Promise<SandboxTools> | undefined;
  return {
    async confine(command, { seconds, run }) {
      assertStartable(command);
      means ??= chosen(level, { log, env });
      const { bwrap, prlimit } = await means;
      if (bwrap === undefined) assertTrusted(level, run, noBubblewrap(run));
      const inside = bwrap === undefined ? marked(command) : bubblewrapped(command, bwrap);
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

async function chosen(
  level: SandboxLevel,
  { log, env }: { log: Logger; env: ProcessCommand['env'] },
): Promise<SandboxTools> {
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
  const find = (name: string) => findProgram(name, { folders: foldersOf(env), workspace: '/' });
  const nothing: ProcessCommand = { file: (await find('true')) ?? '/bin/true', args: [], cwd: tmpdir(), env };
  const prlimit = level === 'none' ? undefined : await find('prlimit');
  const limits = prlimit !== undefined && (await works(limited(nothing, prlimit, 1)));
  const path = level === 'auto' || level === 'bubblewrap' ? await find('bwrap') : undefined;
  const bwrap = path === undefined ? undefined : await usableBubblewrap(path, nothing);
  return { ...(bwrap ? { bwrap } : {}), ...(limits ? { prlimit } : {}) };
}

/** Bubblewrap before 0.8, or installed setuid, cannot forbid further user namespaces. */
async function usableBubblewrap(path: string, nothing: ProcessCommand): Promise<Bubblewrap | undefined> {
  for (const isolation of [[...isolated, '--disable-userns'], isolated]) {
    const bwrap = { path, isolation };
    if (await works(bubblewrapped(nothing, bwrap))) return bwrap;
  }
  return undefined;
}

async function works(command: ProcessCommand): Promise<boolean> {
  const { code } = await runProcess(command, { timeoutMs: probeTimeoutMs, signal: new AbortController().signal });
  return code === 0;
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
 * Namespaces of its own, another user without capabilities. Without the latter, a program of a worker that runs as root could
 * mount the system's files again, to write.
 */
const isolated = [
  ...['--unshare-all', '--unshare-user', '--uid', nobody, '--gid', nobody, '--cap-drop', 'ALL'],
  ...['--die-with-parent', '--new-session', '--clearenv'],
];

const boundedTmpfs = (path: string): readonly string[] => ['--size', String(temporaryBytes), '--tmpfs', path];

/**
 * The arguments go by a pipe, so that the values of variables are not in the list of processes. Bubblewrap separates them by
 * NUL characters, so a NUL within one of them would make further options of it.
 */
function bubblewrapped(command: ProcessCommand, { path, isolation }: Bubblewrap): ProcessCommand {
  assertStartable(command);
  const { file, args, cwd, env } = command;
  const inner = { ...env, HOME: '/tmp', TMPDIR: '/tmp' };
  const words = [
    ...isolation,
    ...Object.entries(inner).flatMap(([name, value]) => ['--setenv', name, value]),
    ...[
      '--proc',
      '/proc',
      '--dev',
      '/dev',
      ...boundedTmpfs('/dev/shm'),
      '--remount-ro',
      '/dev',
      ...boundedTmpfs('/tmp'),
    ],
    ...[...systemPaths, ...homesOf(file, cwd)].flatMap((home) => ['--ro-bind-try', home, home]),
    ...['--bind', cwd, cwd, '--remount-ro', '/', '--chdir', cwd],
  ];
  return { file: path, args: ['--args', '3', '--', file, ...args], cwd, env: {}, extra: words.join('\0') };
}

/** Parts of an installation, such as a virtual environment, that an interpreter in its folder `bin` reads. */
const installationParts = ['bin', 'lib', 'lib64', 'pyvenv.cfg'];

/** Paths beside the system's and the workspace that an interpreter needs. What else is in the folder of its installation stays hidden. */
function homesOf(file: string, workspace: string): string[] {
  const paths = [file, realpathSync(file)].flatMap((path) =>
    basename(dirname(path)) === 'bin' ? installationParts.map((part) => join(dirname(path), '..', part)) : [path],
  );
  return [...new Set(paths)].filter((path) => !path.startsWith('/usr/') && !path.startsWith(`${workspace}${sep}`));
}
