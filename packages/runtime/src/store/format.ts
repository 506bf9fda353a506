/**
 * The format in which this build stores runs and what it does by itself. It grows by one with every change that an
 * earlier build would read or carry on wrongly: of the fold, of the records, of what a job or a key means. Builds from
 * before formats were checked count as format 1. See docs/adr/0019.
 */
export const storedFormat = 2;

/** The formats whose runs and orders a build of `format` takes over, the latest first. */
export const formatsBefore = (format: number): readonly number[] =>
  Array.from({ length: format - 1 }, (_, at) => format - 1 - at);
