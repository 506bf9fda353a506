import { tmpdir } from 'node:os';
import type { Finding } from '@millrace/runtime';
import { runProcess } from './programs/child-process.ts';
import { foldersOf, programEnvironment } from './programs/config.ts';
import { findProgram } from './programs/interpreter.ts';
import type { Bubblewrap, SandboxLevel, SandboxTools } from './programs/sandbox.ts';
import { probeSandboxTools, runsAsRoot } from './programs/sandbox.ts';

/** Looks at this machine as a place for a worker: its Python, and how programs of nodes are confined. Never throws. */
export async function diagnoseMachine(level: SandboxLevel): Promise<readonly Finding[]> {
  const env = programEnvironment();
  return [await python(env), await sandbox(level, env), ...(runsAsRoot() ? [root] : [])];
}

type Environment = ReturnType<typeof programEnvironment>;

const askingMs = 5000;

async function python(env: Environment): Promise<Finding> {
  const file = await findProgram('python3', { folders: foldersOf(env), workspace: '/' }).catch(() => undefined);
  if (file === undefined) {
    return {
      level: 'weak',
      subject: 'Python',
      message: 'there is no python3: python nodes and functions in Python fail here',
      cure: 'Install python3 where workers run.',
    };
  }
  const signal = new AbortController().signal;
  const { code, stdout } = await runProcess(
    { file, args: ['--version'], cwd: tmpdir(), env },
    { timeoutMs: askingMs, signal },
  );
  if (code === 0) return { level: 'good', subject: 'Python', message: `${stdout.start.toString().trim()} (${file})` };
  return {
    level: 'weak',
    subject: 'Python',
    message: `${file} does not start: python nodes and functions in Python fail here`,
    cure: `See what \`${file} --version\` says.`,
  };
}

async function sandbox(level: SandboxLevel, env: Environment): Promise<Finding> {
  const subject = 'sandbox';
  const means = await probeSandboxTools(level, env);
  const message = reachOf(level, means);
  if (means.bwrap !== undefined) {
    if (isCurrent(means.bwrap)) return { level: 'good', subject, message };
    return { level: 'weak', subject, message, cure: 'Install bubblewrap 0.8 or newer, and not setuid.' };
  }
  const cure = 'Install `bubblewrap` where workers run, and allow user namespaces.';
  if (level === 'bubblewrap') return { level: 'bad', subject, message, cure };
  return { level: 'weak', subject, message, cure: level === 'auto' ? cure : 'Set MILLRACE_SANDBOX to auto.' };
}

const rootMessage =
  'Workers run as root here: a program that leaves its sandbox, and every unconfined program, has all of the machine';

const root: Finding = {
  level: 'weak',
  subject: 'user',
  message: rootMessage,
  cure: 'Run workers as a user of their own.',
};

/** Says in one line what programs of nodes may reach on this machine, and that the worker is root's. */
export async function describeSandbox(level: SandboxLevel): Promise<string> {
  const reach = reachOf(level, await probeSandboxTools(level, programEnvironment()));
  return runsAsRoot() ? `${reach}. ${rootMessage}` : reach;
}

const isCurrent = ({ boundsMemory, forbidsNamespaces }: Bubblewrap): boolean => boundsMemory && forbidsNamespaces;

const weaknessesOf = ({ boundsMemory }: Bubblewrap): string =>
  boundsMemory
    ? 'lets them make user namespaces'
    : 'lets them make user namespaces and fill the memory with files in /tmp';

function reachOf(level: SandboxLevel, { bwrap, prlimit }: SandboxTools): string {
  const limits = prlimit === undefined ? 'without limits' : 'with limits on memory and time';
  const all = "the worker's files, network and secrets";
  if (bwrap !== undefined) {
    const weaknesses = isCurrent(bwrap) ? '' : `. This bubblewrap ${weaknessesOf(bwrap)}`;
    return `programs of nodes run in bubblewrap, ${limits}: without network, and with write access to the workspace only${weaknesses}`;
  }
  switch (level) {
    case 'bubblewrap':
      return 'programs of nodes do not run: MILLRACE_SANDBOX requires bubblewrap, which does not work here';
    case 'auto':
      return `bubblewrap does not work here: programs of the tenant default run ${limits} and reach ${all}; those of other tenants do not run`;
    case 'limits':
    case 'none':
      return `MILLRACE_SANDBOX=${level}: programs of all tenants run ${limits} and reach ${all}`;
  }
}
