import type { ProjectedEvent } from '../engine/records/journal-event.ts';

/** An entry of a journal as a projection reads it: a stored one, or one that the API has published. */
export interface ProjectedEntry {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly event: ProjectedEvent;
}

/** The events of some types, as a projection reads them. */
export type Of<T extends ProjectedEvent['type']> = Extract<ProjectedEvent, { readonly type: T }>;
