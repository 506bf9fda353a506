import { NodeError } from '../../model/errors.ts';
import type { ListKey } from '../records/keys.ts';

/** Limits of the size of one run; see the guide on performance. */
export interface RunLimits {
  /** Items of one fan-out. */
  readonly fanOutItems: number;
  /** Messages that wait at one node. */
  readonly waitingMessages: number;
  /**
   * Units of a fan-out that one commit stores, or whose results it joins: Redis executes nothing else meanwhile, and a process
   * decides and folds them in one turn of its event loop.
   */
  readonly unitsPerCommit: number;
  /** Characters that one commit may write. */
  readonly commitCharacters: number;
  /** Bytes that a tenant has stored: uploaded files, contents of runs, and tables of batches. */
  readonly storedBytes: number;
}

/** Limits of a process that sets no others. */
export const defaultRunLimits: RunLimits = {
  fanOutItems: 250_000,
  waitingMessages: 250_000,
  unitsPerCommit: 1000,
  commitCharacters: 256 * 1024 * 1024,
  storedBytes: 10 * 1024 * 1024 * 1024,
};

/** Throws NodeError if a list of a run is longer than its limit. */
export function assertWithinLimits(limits: RunLimits, key: ListKey, size: number): void {
  if (size <= limits.fanOutItems && size <= limits.waitingMessages) return;
  const [kind = '', ...rest] = key.split('/');
  if (kind === 'units') assertFanOutFits(size, limits);
  const scopes = scopesInKey[kind];
  if (scopes === undefined || size <= limits.waitingMessages) return;
  const node = rest.slice(scopes).join('/');
  throw new NodeError(
    'INBOX_TOO_LARGE',
    `More than ${limits.waitingMessages.toLocaleString('en')} messages would wait at node "${node}". Clear its context with clear_context, bound it with context_window, or raise MILLRACE_MAX_WAITING_MESSAGES.`,
  );
}

/** Number of scopes before the node id in the keys of message lists, by kind. */
const scopesInKey: { readonly [kind: string]: number | undefined } = {
  recent: 1,
  kept: 1,
  outputs: 1,
  pending: 2,
  joined: 2,
};

/** Throws NodeError if a fan-out has more items than its limit. */
export function assertFanOutFits(items: number, { fanOutItems }: Pick<RunLimits, 'fanOutItems'>): void {
  if (items <= fanOutItems) return;
  throw new NodeError(
    'FAN_OUT_TOO_LARGE',
    `A fan-out would have ${items.toLocaleString('en')} items or more; it may have ${fanOutItems.toLocaleString('en')}. Cut the input into larger items, start a batch, or raise MILLRACE_MAX_FAN_OUT_ITEMS.`,
  );
}
