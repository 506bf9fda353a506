import type { RunEvent } from '@millrace/client';

/** Codes of failures for a variable that is missing where the worker runs. */
const codes: ReadonlySet<string> = new Set(['MODEL_AUTH', 'SECRET_MISSING']);

/** This process, as far as workers differ from it. */
interface ThisTerminal {
  /** Name of a worker in this process. */
  readonly worker: string;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Returns a function that reads the journal of a run, entry by entry, and explains a failure for a variable that this terminal has
 * and the worker of the failed activation does not. Each worker and variable is named once.
 */
export function createWorkerHint({ worker: own, environment }: ThisTerminal): (entry: RunEvent) => string | undefined {
  const workers = new Map<string, string>();
  const said = new Set<string>();
  return ({ event }) => {
    if (event.type === 'activation.started') workers.set(event.activation, event.worker);
    if (event.type !== 'activation.failed' || !codes.has(event.error.code)) return undefined;
    const worker = workers.get(event.activation);
    const name = namesIn(event.error.message).find((one) => (environment[one] ?? '') !== '');
    if (worker === undefined || worker === own || name === undefined || said.has(`${worker} ${name}`)) return undefined;
    said.add(`${worker} ${name}`);
    return `This terminal has ${name}, worker ${worker} does not: restart it with the key. Stop it with Ctrl-C, then:\n  ${name}=… millrace up`;
  };
}

/** Names of variables in a message. */
const namesIn = (message: string): readonly string[] => message.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g) ?? [];
