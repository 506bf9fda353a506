/** Systems that are compared with, and the programs that give them the same work. */
export const peers = {
  dbos: { title: 'DBOS with PostgreSQL', program: 'dbos.mjs' },
  langgraph: { title: 'LangGraph with PostgreSQL', program: 'langgraph.mjs' },
} as const;

/** Name of a peer. */
export type PeerName = keyof typeof peers;

/** Times of all peers, or the reason for which there are none. */
export type Peers = Readonly<Record<PeerName, PeerTimes>> | string;

/** Times of a peer: milliseconds per step of a chain and per unit of a map, and steps per second of many chains. */
export type PeerTimes = Readonly<Record<'chain' | 'throughput' | 'map', number>>;
