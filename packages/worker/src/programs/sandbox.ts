import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { RunId } from '@millrace/core';
import { defaultTenant, NodeError, tenantOf } from '@millrace/core';
import type { Logger } from 'pino';
import type { ProcessCommand } from './child-process.ts';
import { runProcess } from './child-process.ts';
import { findProgram } from './interpreter.ts';
import { markProgram } from './program-mark.ts';

/**
 * Levels of isolation of the programs of nodes. `bubblewrap`: no network, no other processes, and of the files
 * only the system's, to read, and the workspace. `limits`: caps on memory, processor time, processes and file sizes.
 * `auto`: bubblewrap where it works, otherwise limits where they work. Bubblewrap comes with limits where they work.
 */
export type SandboxLevel = 'auto' | 'bubblewrap' | 'limits' | 'none';

/** Isolates programs from the machine. */
export interface Sandbox {
  /**
   * Returns the command that runs another one, whose working directory is the only one that it may write to. Throws
   * SANDBOX_MISSING where the level cannot be kept, and SANDBOX_REQUIRED where the run's tenant needs bubblewrap.
   */
  confine(command: ProcessCommand, program: { readonly seconds: number; readonly run: RunId }): Promise<ProcessCommand>;
  /** Throws SANDBOX_REQUIRED where the run's tenant may not start an MCP server as a command, which is never confined. */
  assertMayStartServers(run: RunId): void;
}

const gibibyte = 1024 ** 3;
/** Number of cores that a program may keep busy for all of its time. */
const cores = 8;
const probeTimeoutMs = 5_000;

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
  readonly bwrap?: string;
  readonly prlimit?: string;
}

/** Returns a sandbox. The machine's abilities are probed for the first program, and kept. */
export function createSandbox(level: SandboxLevel, { log, env }: { log: Logger; env: ProcessCommand['env'] }): Sandbox {
  let means: Promise<SandboxTools> | undefined;
  return {
    async confine(command, { seconds, run }) {
      means ??= chosen(level, { log, env });
      const { bwrap, prlimit } = await means;
      if (bwrap === undefined) assertTrusted(level, run, noBubblewrap(run));
      const inside = bwrap === undefined ? marked(command) : bubblewrapped(command, bwrap);
      return prlimit === undefined ? inside : limited(inside, prlimit, seconds);
    },
    assertMayStartServers: (run) => assertTrusted(level, run, noServers(run)),
  };
}

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
  const find = (name: string) => findProgram(name, { path: env['PATH'] ?? '', workspace: '/' });
  const nothing: ProcessCommand = { file: (await find('true')) ?? '/bin/true', args: [], cwd: tmpdir(), env };
  const prlimit = level === 'none' ? undefined : await find('prlimit');
  const limits = prlimit !== undefined && (await works(limited(nothing, prlimit, 1)));
  const bwrap = level === 'auto' || level === 'bubblewrap' ? await find('bwrap') : undefined;
  const bubblewrap = bwrap !== undefined && (await works(bubblewrapped(nothing, bwrap)));
  return { ...(bubblewrap ? { bwrap } : {}), ...(limits ? { prlimit } : {}) };
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

/** The arguments go by a pipe, so that the values of variables are not in the list of processes. */
function bubblewrapped({ file, args, cwd, env }: ProcessCommand, bwrap: string): ProcessCommand {
  const inner = { ...env, HOME: '/tmp', TMPDIR: '/tmp' };
  const words = [
    '--unshare-all',
    '--die-with-parent',
    '--new-session',
    '--clearenv',
    ...Object.entries(inner).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
    ...[...systemPaths, ...homesOf(file)].flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--bind', cwd, cwd, '--chdir', cwd],
  ];
  return { file: bwrap, args: ['--args', '3', '--', file, ...args], cwd, env: {}, extra: words.join('\0') };
}

/** Parts of an installation, such as a virtual environment, that an interpreter in its folder `bin` reads. */
const installationParts = ['bin', 'lib', 'lib64', 'pyvenv.cfg'];

/** Paths beside the system's that an interpreter needs. What else is in the folder of its installation stays hidden. */
function homesOf(file: string): string[] {
  const paths = [file, realpathSync(file)].flatMap((path) =>
    basename(dirname(path)) === 'bin' ? installationParts.map((part) => join(dirname(path), '..', part)) : [path],
  );
  return [...new Set(paths)].filter((path) => !path.startsWith('/usr/'));
}
