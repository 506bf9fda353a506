/** Statuses of a row of a batch. `invalid`: no run can be started for the row. */
export const rowStatuses = ['invalid', 'waiting', 'running', 'completed', 'failed', 'cancelled', 'terminated'] as const;

/** Status of a row of a batch. */
export type RowStatus = (typeof rowStatuses)[number];
