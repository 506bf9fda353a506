/** Id of a run: `run_` and a time-ordered hex number. Contains neither `:` nor `.`. */
export type RunId = string;
/** Id of an activation: `a<sequence>` within its run. */
export type ActivationId = `a${number}`;
/** Id of a stored message body: `m<sequence>` within its run. */
export type MessageId = `m${number}`;
/** Id of a group of activations that settle together: `s<sequence>` within its run; `s0` is the root graph. */
export type ScopeId = `s${number}`;

/** Scope of the root graph, which every run has from its first event on. */
export const rootScope: ScopeId = 's0';

/** A request to work on one activation. The token, the nonce of the commit that woke it, makes it unique. */
export interface Wake {
  readonly run: RunId;
  readonly activation: ActivationId;
  readonly token: string;
  /** The queue whose workers are woken; absent: the default queue. */
  readonly queue?: QueueName;
  /** Priority: 1 goes before 2, and a wake without a priority goes first. */
  readonly priority?: number;
}

/** Name of a queue that some workers serve and others do not; see {@link queueName}. */
export type QueueName = string;

/** Queue of nodes that name none. */
export const defaultQueue: QueueName = 'default';

/** Pattern of queue names. */
export const queueName = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,48}[A-Za-z0-9])?$/;

/** Largest number of a priority. */
export const maxPriority = 1000;

/** Id of an alarm of a run: `alarm/` and its purpose, such as `alarm/timeout`. Contains neither `:` nor `.`. */
export type AlarmId = `alarm/${string}`;

/** An alarm that is due. As with a wake, the token makes it unique: an alarm that was set again has another one. */
export interface DueAlarm {
  readonly run: RunId;
  readonly alarm: AlarmId;
  readonly token: string;
}

/** An entry of the agenda. */
export type AgendaItem = Wake | DueAlarm;

/** Returns a wake as one string, `<run>.<activation>.<token>`. */
export const wakeId = (wake: Wake): string => `${wake.run}.${wake.activation}.${wake.token}`;

/**
 * Returns an agenda item as one string, its member in the sorted set. An alarm is `<run>.alarm/<name>.<token>`; a wake
 * is its id, followed by `.<queue>.<priority>` if it has one of the two, so that it can be queued again in the same
 * place.
 */
export function agendaItemId(due: AgendaItem): string {
  if ('alarm' in due) return `${due.run}.${due.alarm}.${due.token}`;
  const { queue, priority } = due;
  if (queue === undefined && priority === undefined) return wakeId(due);
  return `${wakeId(due)}.${queue ?? ''}.${priority ?? ''}`;
}

/** Parses the result of {@link agendaItemId}; undefined for any other string. */
export function parseAgendaItemId(id: string): AgendaItem | undefined {
  const [run, what, token, queue = '', priority = '', ...rest] = id.split('.');
  if (!run || !what || !token || rest.length > 0) return undefined;
  // The casts are safe: the patterns are those of the ids.
  if (/^a\d+$/.test(what))
    return {
      run,
      activation: what as ActivationId,
      token,
      ...(queue === '' ? {} : { queue }),
      ...(priority === '' ? {} : { priority: Number(priority) }),
    };
  return queue === '' && what.startsWith('alarm/') ? { run, alarm: what as AlarmId, token } : undefined;
}
