import { oneLine } from '../kit/values/format.ts';

/** Characters of an output that lists come with. */
const headLength = 40;

/** Returns the first words of an output as a line, with an ellipsis if there are more. */
export const headWords = (head: string): string => `${oneLine(head)}${head.length < headLength ? '' : '…'}`;
