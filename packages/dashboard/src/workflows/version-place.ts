/** Version of a workflow that an address names, by its hash; absent: the current one, or all. */
export interface VersionPlace {
  readonly version?: string;
}

/** Returns the version that the query of an address names. */
export const parseVersion = ({ version }: Readonly<Record<string, unknown>>): VersionPlace =>
  typeof version === 'string' && /^[0-9a-f]{32}$/.test(version) ? { version } : {};
