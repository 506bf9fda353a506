/** Statuses of runs that have not ended. `waiting`: nothing continues before a person or program acts. */
export const activeStatuses = ['running', 'waiting', 'paused', 'stopping'] as const;

/** The statuses of runs that have ended. */
export const endedStatuses = ['completed', 'failed', 'cancelled', 'terminated'] as const;

/** Statuses of runs for display. */
export const runStatuses = [...activeStatuses, ...endedStatuses] as const;

/** One of {@link runStatuses}. */
export type RunStatus = (typeof runStatuses)[number];

/** Status of a run that has ended. */
export type EndedStatus = (typeof endedStatuses)[number];

const ended: ReadonlySet<string> = new Set(endedStatuses);

/** Returns whether a run with this status has ended. */
export const isEnded = (status: string): status is EndedStatus => ended.has(status);
