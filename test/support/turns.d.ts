/**
 * Watches the turns of the event loop; the returned function stops and returns the longest one in milliseconds. A timer sees
 * the time and the processor time between two of its ticks; the lesser of them bounds the processor time of each turn
 * in between from above, less than a tick too high: a process that waits for a core uses none, and one whose other threads
 * compute has not more than the time.
 */
export declare function watchTurns(): () => number;
