/**
 * Format in which this build stores runs and the work of its background processes. It increases with every change that
 * an earlier build would misread or continue wrongly: of the fold, of the records, of the meaning of a job or a key.
 * Builds from before formats were checked count as format 1. See docs/adr/0019.
 */
export const storedFormat = 3;

/** The formats whose runs and orders a build of `format` takes over, the latest first. */
export const formatsBefore = (format: number): readonly number[] =>
  Array.from({ length: format - 1 }, (_, at) => format - 1 - at);
