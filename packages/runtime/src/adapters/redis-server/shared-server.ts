/** A server that the commands of one folder share. */
export interface SharedServer {
  readonly url: string;
  /** This call started the server; otherwise it was running. */
  readonly started: boolean;
  usedByOthers(): boolean;
  /** Releases the server; the last user stops it. */
  release(): Promise<void>;
}
