/** Returns how to call this program again in the same place: npm says so when it has started it, and its path is then only npm's. */
export const programName = ({ npm_command: npm }: NodeJS.ProcessEnv): string =>
  npm === undefined ? 'millrace' : 'npx millrace';

/** Returns a text with the commands in it as they are called here: those in backticks, after a colon and on lines of their own. */
export const asCalled = (text: string, program: string): string =>
  program === 'millrace' ? text : text.replaceAll(namedCommands, `$1${program} `);

const namedCommands = /((?:`|: |^ +)(?:[A-Z_]+=\S+ )*)millrace (?=[a-z])/gm;
