const tickMs = 5;
/**
 * Watches the turns of the event loop; the returned function stops and returns the longest one in milliseconds. A timer sees
 * the time and the processor time between two of its ticks; the lesser of them bounds the processor time of each turn
 * in between from above, less than a tick too high: a process that waits for a core uses none, and one whose other threads
 * compute has not more than the time.
 */
export function watchTurns() {
    let longest = 0;
    let before = { at: performance.now(), cpu: process.cpuUsage() };
    const look = () => {
        const now = { at: performance.now(), cpu: process.cpuUsage() };
        const cpuMs = (now.cpu.user - before.cpu.user + now.cpu.system - before.cpu.system) / 1000;
        longest = Math.max(longest, Math.min(now.at - before.at, cpuMs));
        before = now;
    };
    const timer = setInterval(look, tickMs);
    return () => {
        clearInterval(timer);
        look();
        return longest;
    };
}
//# sourceMappingURL=turns.js.map