import type { RunEvent } from '@millrace/client';

/** Codes of failures for a variable that is missing where the worker runs. */
const codes: ReadonlySet<string> = new Set(['MODEL_AUTH', 'SECRET_MISSING']);

/** This process, as far as workers differ from it. */
interface ThisTerminal {
  /** Name of a worker in this process. */
  readonly worker: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Returns whether this process executes runs, and with them what fails before a worker announces it. */
  executes(): boolean;
}

/**
 * Returns a function that reads the journal of a run, entry by entry, and explains a failure for a variable that this terminal has
 * and the worker of the failed activation does not. Each worker and variable is named once.
 */
export function createWorkerHint({
  worker: own,
  environment,
  executes,
}: ThisTerminal): (entry: RunEvent) => string | undefined {
  const workers = new Map<string, string>();
  const said = new Set<string>();
  return ({ event }) => {
    if (event.type === 'activation.started') workers.set(event.activation, event.worker);
    if (event.type !== 'activation.failed' || !codes.has(event.error.code)) return undefined;
    // What fails at once was not announced: the worker is not known.
    const worker = workers.get(event.activation);
    if (worker === own || (worker === undefined && executes())) return undefined;
    const name = namesIn(event.error.message).find((one) => (environment[one] ?? '') !== '');
    const other = worker === undefined ? 'the worker that executes it' : `worker ${worker}`;
    if (name === undefined || said.has(`${other} ${name}`)) return undefined;
    said.add(`${other} ${name}`);
    return `This terminal has ${name}, ${other} does not: restart it with the key. Stop it with Ctrl-C, then:\n  ${name}=… millrace up`;
  };
}

/** Names of variables in a message. */
const namesIn = (message: string): readonly string[] => message.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g) ?? [];
