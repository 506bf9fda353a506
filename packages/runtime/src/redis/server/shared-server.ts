/** A server that the commands of one folder share. */
export interface SharedServer {
  readonly url: string;
  /** Whether this call started it; else it was running. */
  readonly started: boolean;
  usedByOthers(): boolean;
  /** Stops using it; the last user stops the server. */
  release(): Promise<void>;
}
