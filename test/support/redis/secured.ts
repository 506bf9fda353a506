import type { Certificates } from './tls.ts';

/** Settings with which servers and sentinels accept encrypted connections of users with passwords only. */
export interface Security {
  readonly certificates: Certificates;
  /** Password of the servers among each other. */
  readonly password: string;
  /** Name and password of the user of Millrace, who has the permissions that the guide lists. */
  readonly user: { readonly name: string; readonly password: string };
}

const permissions = '~{millrace}:* &{millrace}:* +@all -@admin -@dangerous +info +client|list +client|unblock';

/** Returns the arguments of a server that listens on a port. */
export const securedSettings = ({ certificates, password, user }: Security, port: number): readonly string[] => [
  ...['--port', '0', ...certificates.settings(port), '--tls-replication', 'yes'],
  ...['--requirepass', password, '--masterauth', password],
  ...['--user', user.name, 'on', `>${user.password}`, ...permissions.split(' ')],
];
