/** Lease of one kind of work in an installation. */
export interface Lease {
  /** Resolves as soon as this process holds the lease, or when the signal is aborted. */
  whenHeld(signal: AbortSignal): Promise<void>;
  /** Gives the lease back, so that another process takes it at once. */
  close(): Promise<void>;
}

/** Lease of the caretaker: the agenda, the counts of wakes, and the recovery of jobs. */
export const agendaLease = 'agenda';
