/** Returns the message of a refused connection, with its cure. */
export const refusalText = (host: string, address: string): string =>
  `${host === address ? address : `${host} (${address})`} is no public address, so it is not connected to. The operator of the process can allow it with MILLRACE_OUTBOUND_ALLOW.`;
