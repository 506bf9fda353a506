import { tmpdir } from 'node:os';
import type { Finding } from '@millrace/runtime';
import { programEnvironment } from './config.ts';
import { runChild } from './host/child.ts';
import { findProgram } from './host/interpreter.ts';
import type { SandboxLevel } from './host/sandbox.ts';
import { probeMeans } from './host/sandbox.ts';

/** Looks at this machine as a place for a worker: its Python, and how programs of nodes are confined. Never throws. */
export async function diagnoseMachine(level: SandboxLevel): Promise<readonly Finding[]> {
  const env = programEnvironment();
  return Promise.all([python(env), sandbox(level, env)]);
}

type Environment = ReturnType<typeof programEnvironment>;

const askingMs = 5000;

async function python(env: Environment): Promise<Finding> {
  const file = await findProgram('python3', { path: env['PATH'] ?? '', workspace: '/' }).catch(() => undefined);
  if (file === undefined) {
    return {
      level: 'weak',
      subject: 'Python',
      message: 'there is no python3: python nodes and functions in Python fail here',
      cure: 'Install python3 where workers run.',
    };
  }
  const signal = new AbortController().signal;
  const { code, stdout } = await runChild(
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
  const { bwrap, prlimit } = await probeMeans(level, env);
  const limits = prlimit === undefined ? 'no limits' : 'limits on memory and time';
  if (bwrap !== undefined) {
    return {
      level: 'good',
      subject,
      message: `bubblewrap, with ${limits}: no network, only the workspace to write to`,
    };
  }
  const cure = 'Install `bubblewrap` where workers run, and allow user namespaces.';
  if (level === 'bubblewrap') {
    return { level: 'bad', subject, message: 'MILLRACE_SANDBOX asks for bubblewrap, which does not work here', cure };
  }
  return {
    level: 'weak',
    subject,
    message: `${limits} only: programs of python nodes see the machine's files and network`,
    cure: level === 'auto' ? cure : 'Set MILLRACE_SANDBOX to auto.',
  };
}
