/** Workflow and run that an address names for the form of a new run. */
export interface StartPlace {
  /** A published workflow: `NAME`, or `NAME@HASH`. */
  readonly workflow?: string;
  /** Run whose task and settings the form begins with. */
  readonly from?: string;
}

/** Returns the place that the query of an address describes. */
export function parseStartPlace({ workflow, from }: Readonly<Record<string, unknown>>): StartPlace {
  return {
    ...(typeof workflow === 'string' && workflow !== '' ? { workflow } : {}),
    ...(typeof from === 'string' && from !== '' ? { from } : {}),
  };
}
