/** Why an address is not connected to, and who can change that. */
export const refusalText = (host: string, address: string): string =>
  `${host === address ? address : `${host} (${address})`} is no public address, so it is not connected to. Whoever runs the process can allow it with MILLRACE_OUTBOUND_ALLOW.`;
