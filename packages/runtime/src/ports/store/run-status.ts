/** Statuses of runs for display. `waiting`: nothing continues before a person or program acts. */
export const runStatuses = [
  'running',
  'waiting',
  'paused',
  'stopping',
  'completed',
  'failed',
  'cancelled',
  'terminated',
] as const;
/** One of {@link runStatuses}. */
export type RunStatus = (typeof runStatuses)[number];

/** The statuses of runs that have ended. */
export const endedStatuses = ['completed', 'failed', 'cancelled', 'terminated'] as const;

/** Status of a run that has ended. */
export type EndedStatus = (typeof endedStatuses)[number];

/** Returns whether a run with this status has ended. */
export const isEnded = (status: string): status is EndedStatus => endedStatuses.some((ended) => ended === status);
