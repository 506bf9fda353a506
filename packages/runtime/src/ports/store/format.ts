/**
 * Format in which this build stores runs and the work of its background processes. It increases with every change that
 * another build would misread or continue wrongly: of the fold, of the records, of the meaning of a job or a key. The
 * formats 1 to 3 were those of development builds; a number is never used again. See docs/adr/0019.
 */
export const storedFormat = 4;
