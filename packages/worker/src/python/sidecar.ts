import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { MessageLimits } from '@millrace/core';
import { describeExceeded, NodeError } from '@millrace/core';
import { z } from 'zod';
import { assertStartable, drained } from '../programs/child-process.ts';
import { markProgram } from '../programs/program-mark.ts';
import { readMessageLines, readPrintedLines } from '../programs/read-lines.ts';

/** Options of the process. */
export interface SidecarOptions {
  /** Folder with the functions. */
  readonly directory: string;
  /** Name or path of the Python that runs them. */
  readonly python: string;
  /** Complete environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  /** Gets what functions print. */
  readonly onOutput: (line: string) => void;
}

/** Time limit of one answer. */
export interface CallLimit {
  /** From the call of the function on: the start of its process does not count. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Importing the modules of functions can take a while. */
export const loadingMs = 120_000;

/** A process that answers requests until it is closed; a new one takes the place of one that has died. */
export interface Sidecar {
  /** Calls a function; throws an Error with the text of what the function raised. */
  ask(request: Readonly<Record<string, unknown>>, patience: CallLimit): Promise<unknown>;
  close(): Promise<void>;
}

const program = fileURLToPath(new URL('../../src/python/sidecar.py', import.meta.url));

/** Limits of one answer. The process refuses a larger result itself, so only one that prints to the pipe exceeds them. */
const answerLimits: MessageLimits = { bytes: 16 * 1024 * 1024, values: 1_000_000, depth: 500 };

const Answer = z.union([
  z.object({ ready: z.literal(true) }),
  z.object({ id: z.number(), error: z.string() }),
  z.object({ id: z.number(), value: z.unknown() }),
]);

/**
 * A Python function can be stopped only by ending its process. A process with a call that took too long gets no new
 * calls; it is ended when its other calls have been answered, and the next call starts another one. No call counts as made before the
 * modules of its process are loaded, so whoever gives up before ends no process that others wait for.
 */
export function createSidecar(options: SidecarOptions): Sidecar {
  const all = new Set<PythonProcess>();
  let current: PythonProcess | undefined;
  const usable = (): PythonProcess => {
    if (current?.isUsable()) return current;
    const started = startProcess(options, () => all.delete(started));
    all.add(started);
    current = started;
    return started;
  };
  return {
    async ask(request, patience) {
      for (;;) {
        const one = usable();
        await within(one.loaded, patience.signal);
        // It may have died, or been given up, in between.
        if (one.isUsable()) return one.ask(request, patience);
      }
    },
    async close() {
      await Promise.all([...all].map((one) => one.end()));
    },
  };
}

interface PythonProcess extends Pick<Sidecar, 'ask'> {
  /** Fulfilled when the modules of the functions are loaded. */
  readonly loaded: Promise<void>;
  isUsable(): boolean;
  end(): Promise<void>;
}

interface PendingCall {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

function startProcess({ directory, python, env, onOutput: printed }: SidecarOptions, gone: () => void): PythonProcess {
  // A separate group: Ctrl-C at a terminal lets the worker finish, and active calls are still answered.
  const mark = markProgram();
  const command = {
    file: python,
    args: ['-u', program, directory, String(answerLimits.bytes)],
    env: { ...env, ...mark.env },
  };
  assertStartable(command);
  const child = spawn(command.file, command.args, {
    env: command.env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const waiting = new Map<number, PendingCall>();
  let noteLoaded = () => {};
  let noteUnusable = (_reason: Error) => {};
  const loaded = new Promise<void>((resolve, reject) => {
    [noteLoaded, noteUnusable] = [resolve, reject];
  });
  // The calls that wait for it may have been given up.
  loaded.catch(() => undefined);
  let asked = 0;
  let usable = true;
  const settle = (id: number): PendingCall | undefined => {
    const one = waiting.get(id);
    waiting.delete(id);
    if (!usable && waiting.size === 0) kill(child);
    return one;
  };
  const over = (reason: Error) => {
    usable = false;
    clearTimeout(unloaded);
    noteUnusable(reason);
    for (const one of waiting.values()) one.reject(reason);
    waiting.clear();
    gone();
  };
  const unloaded = setTimeout(() => {
    over(
      new NodeError('FUNCTION_TIMEOUT', `The modules of the functions were not loaded within ${loadingMs / 1000} s.`),
    );
    kill(child);
  }, loadingMs);
  readPrintedLines(child.stderr, printed);
  readAnswers(child.stdout, {
    onAnswer(answer) {
      if ('ready' in answer) {
        clearTimeout(unloaded);
        noteLoaded();
      } else if ('error' in answer) settle(answer.id)?.reject(new Error(answer.error));
      else settle(answer.id)?.resolve(answer.value);
    },
    // Its answers cannot be told apart from what else it prints.
    onInvalid(error) {
      over(error);
      kill(child);
    },
  });
  child.on('error', (error) =>
    over(
      new NodeError(
        'FUNCTION_PROCESS_ENDED',
        `The process of Python functions, ${python}, cannot be started: ${error.message}`,
      ),
    ),
  );
  const closed = once(child, 'close');
  // `over` is called when it cannot be started.
  closed.catch(() => undefined);
  // Processes that functions have started may hold the output; they end with the process group.
  child.once('exit', () => {
    // Its answers may still be on their way, but it takes no further call.
    usable = false;
    void mark.kill().then(() => drained(child, closed));
  });
  child.on('close', () =>
    over(new NodeError('FUNCTION_PROCESS_ENDED', 'The process of Python functions ended during the call.')),
  );
  // `close` rejects the calls that wait for an answer.
  child.stdin.on('error', () => undefined);
  return {
    loaded,
    isUsable: () => usable,
    async ask(request, { timeoutMs, signal }) {
      const id = asked++;
      let timer: ReturnType<typeof setTimeout> | undefined;
      let abort = () => {};
      try {
        return await new Promise((resolve, reject) => {
          waiting.set(id, { resolve, reject });
          abort = () => reject(signal?.reason);
          signal?.addEventListener('abort', abort);
          const late = () =>
            reject(
              new NodeError('FUNCTION_TIMEOUT', `The function did not answer within ${(timeoutMs ?? 0) / 1000} s.`),
            );
          if (timeoutMs !== undefined) timer = setTimeout(late, timeoutMs);
          child.stdin.write(`${JSON.stringify({ ...request, id })}\n`);
        });
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        if (waiting.has(id)) {
          usable = false;
          settle(id);
        }
      }
    },
    async end() {
      kill(child);
      await closed.catch(() => undefined);
    },
  };
}

/** Waits for a promise unless the signal is aborted. */
async function within(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal?.reason);
    signal?.addEventListener('abort', abort);
  });
  try {
    await Promise.race([promise, aborted]);
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

interface AnswerReader {
  readonly onAnswer: (answer: z.infer<typeof Answer>) => void;
  readonly onInvalid: (error: NodeError) => void;
}

/** Number of characters of an invalid line that a message shows. */
const shownCharacters = 100;

function readAnswers(output: Readable, { onAnswer, onInvalid }: AnswerReader): void {
  readMessageLines(output, {
    limits: answerLimits,
    onExceeded: (limit) => onInvalid(invalidAnswer(`an answer that ${describeExceeded(limit, answerLimits)}`)),
    onLine(line) {
      const answer = answerIn(line);
      if (answer === undefined) onInvalid(invalidAnswer(`a line that is no answer: ${line.slice(0, shownCharacters)}`));
      else onAnswer(answer);
    },
  });
}

/** Returns the answer in a line; undefined if the line is something else. */
function answerIn(line: string): z.infer<typeof Answer> | undefined {
  try {
    return Answer.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

const invalidAnswer = (how: string): NodeError =>
  new NodeError(
    'PYTHON_REPLY_INVALID',
    `The process with the Python functions sent ${how}. It was ended, with all of its calls. Find the function that writes to the pipe of the process, and have it return less, or use \`print\`.`,
  );

function kill({ pid }: ChildProcessWithoutNullStreams): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}
