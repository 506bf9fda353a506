/**
 * Returns the ETag of what is shown of a run as of an event. The time distinguishes the event from others of the same id: of a
 * run that was removed and started again, or of a commit that a failover of Redis has lost.
 */
export const entityTag = ({ event, at }: { readonly event: string; readonly at: number }): string => `"${event}-${at}"`;
