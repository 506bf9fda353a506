/** Returns how to call this program again in the same place: npm says so when it has started it, and its path is then only npm's. */
export const programName = ({ npm_command: npm }: NodeJS.ProcessEnv): string =>
  npm === undefined ? 'millrace' : 'npx millrace';
