const colors = ['--running', '--waiting', '--completed', '--terminated', '--accent', '--failed', '--quiet'] as const;

/** Returns the token of the colour of a stack by its place. */
export const stackColor = (at: number): (typeof colors)[number] => colors[Math.min(at, colors.length - 1)] ?? '--quiet';
