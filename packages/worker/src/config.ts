/** The value of a variable that a secret field names, from this worker's own environment, at the moment of the call. */
export const secretFromEnvironment = (name: string): string | undefined => process.env[name];
