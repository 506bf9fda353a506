import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const openssl = (args: readonly string[]) => execute('openssl', args);

/** A certificate authority that nobody knows, and a certificate of it for `localhost`. */
export interface Certificates {
  /** File of the certificate of the authority. */
  readonly authority: string;
  /** Arguments of a redis-server that listens on a port with TLS only. */
  settings(port: number): readonly string[];
  remove(): Promise<void>;
}

/** Makes them in a directory of their own. */
export async function makeCertificates(): Promise<Certificates> {
  const directory = await mkdtemp(join(tmpdir(), 'millrace-tls-'));
  const at = (name: string) => join(directory, name);
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  await openssl([
    'req',
    '-x509',
    ...key,
    '-keyout',
    at('ca.key'),
    '-out',
    at('ca.crt'),
    '-days',
    '2',
    '-subj',
    '/CN=Test',
  ]);
  await openssl(['req', ...key, '-keyout', at('redis.key'), '-out', at('redis.csr'), '-subj', '/CN=localhost']);
  await writeFile(at('names'), 'subjectAltName=DNS:localhost\n');
  const authority = ['-CA', at('ca.crt'), '-CAkey', at('ca.key'), '-CAcreateserial'];
  const request = ['-req', '-in', at('redis.csr'), '-out', at('redis.crt'), '-days', '2', '-extfile', at('names')];
  await openssl(['x509', ...request, ...authority]);
  return {
    authority: at('ca.crt'),
    settings: (port) => [
      ...['--tls-port', String(port), '--tls-cert-file', at('redis.crt'), '--tls-key-file', at('redis.key')],
      ...['--tls-ca-cert-file', at('ca.crt'), '--tls-auth-clients', 'no'],
    ],
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}
