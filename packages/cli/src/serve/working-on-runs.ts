/** Beginning of the line that a process prints when it takes activations; the demo waits for that of its workers. */
export const workingOnRuns = 'Working on runs';
