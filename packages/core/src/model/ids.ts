/** A run of a workflow: `run_` and a time-ordered hex number. Contains neither `:` nor `.`. */
export type RunId = string;
/** One time a node is due: `a<sequence>` within its run. */
export type ActivationId = `a${number}`;
/** A stored message body: `m<sequence>` within its run. */
export type MessageId = `m${number}`;
/** A group of activations that settle together: `s<sequence>` within its run; `s0` is the root graph. */
export type ScopeId = `s${number}`;

/** The root graph's scope: every run has it from its first event on. */
export const rootScope: ScopeId = 's0';

/** A request to work on one activation. The token makes it unique: it is the nonce of the commit that asked for it. */
export interface Wake {
  readonly run: RunId;
  readonly activation: ActivationId;
  readonly token: string;
  /** Whose workers are woken; absent: those of the default queue. */
  readonly queue?: QueueName;
  /** How far others go before it: 1 goes before 2, and who has none goes before both. */
  readonly priority?: number;
}

/** A queue that some workers serve and others do not; see {@link queueName}. */
export type QueueName = string;

/** What nodes without a queue of their own are put in. */
export const defaultQueue: QueueName = 'default';

/** What a queue may be called. */
export const queueName = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,48}[A-Za-z0-9])?$/;

/** The largest number that a priority may be. */
export const maxPriority = 1000;

/** An alarm of a run: `alarm/` and what it is for, such as `alarm/timeout`. Contains neither `:` nor `.`. */
export type AlarmId = `alarm/${string}`;

/** An alarm that goes off. The token makes it unique, as it does a wake: one that was set anew has another one. */
export interface DueAlarm {
  readonly run: RunId;
  readonly alarm: AlarmId;
  readonly token: string;
}

/** Something that is to happen in a run at a time of its own. */
export type AgendaItem = Wake | DueAlarm;

/** A wake as one string, `<run>.<activation>.<token>`: the job's id in its queue. */
export const wakeId = (wake: Wake): string => `${wake.run}.${wake.activation}.${wake.token}`;

/**
 * What is due as one string, its member on the agenda: an alarm's is `<run>.alarm/<name>.<token>`, a wake's its id, and
 * `.<queue>.<priority>` behind that where it has one of the two, so that whoever wakes it again knows where.
 */
export function agendaItemId(due: AgendaItem): string {
  if ('alarm' in due) return `${due.run}.${due.alarm}.${due.token}`;
  const { queue, priority } = due;
  if (queue === undefined && priority === undefined) return wakeId(due);
  return `${wakeId(due)}.${queue ?? ''}.${priority ?? ''}`;
}

/** The inverse of {@link agendaItemId}; undefined for a string that is not one. */
export function parseAgendaItemId(id: string): AgendaItem | undefined {
  const [run, what, token, queue = '', priority = '', ...rest] = id.split('.');
  if (!run || !what || !token || rest.length > 0) return undefined;
  // The patterns are those of the ids.
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
