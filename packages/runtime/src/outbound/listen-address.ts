import { createServer } from 'node:net';
import { RequestError } from '@millrace/core';

/** Address of a server. */
export interface ListenAddress {
  /** 0: any free port. */
  readonly port: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
}

/** Throws RequestError, `PORT_TAKEN` or `ADDRESS_UNUSABLE`, if no server can listen at an address at the moment. */
export function assertListenable(address: ListenAddress): Promise<void> {
  const { port, host = '127.0.0.1' } = address;
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, address)));
    server.listen(port, host, () => server.close(() => resolve()));
  });
}

/** Returns the error of a server that cannot listen, as one that says what to do; other errors as they are. */
export function listenError(error: unknown, { port, host = '127.0.0.1' }: ListenAddress): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    const message = `Something else listens on port ${port} of ${host}. Choose another port.`;
    return new RequestError('PORT_TAKEN', message);
  }
  if (code === 'EACCES') {
    const message = `The system does not let this user listen on port ${port} of ${host}. Choose a port from 1024 on.`;
    return new RequestError('ADDRESS_UNUSABLE', message);
  }
  if (typeof code !== 'string' || !foreign.has(code)) return error;
  const message = `This machine has no address ${host}. Choose 127.0.0.1 for this machine alone, or 0.0.0.0 for all of its addresses.`;
  return new RequestError('ADDRESS_UNUSABLE', message);
}

/** Codes for an address of another machine, and for a name that leads to none. */
const foreign: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'EAI_AGAIN', 'EINVAL', 'ENOTFOUND']);
