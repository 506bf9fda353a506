/** Names of the profiles. */
export const profileNames = ['agents', 'instant', 'waits'] as const;
/** One of {@link profileNames}. */
export type ProfileName = (typeof profileNames)[number];

/** Runs that the load consists of. */
export interface Profile {
  /** Workflow of the runs. */
  readonly yaml: string;
  /**
   * Number of runs in progress for each activation that the workers can execute at a time. Short runs need many: the next
   * run starts when the event that reports the end of the one before has arrived, which takes a quarter of a second.
   */
  readonly runsPerSlot: number;
  /** Each run asks one question, which is answered when it appears. */
  readonly asks: boolean;
}

/** Profiles of load; `modelUrl` is the address of the model server. */
export const profileOf = (name: ProfileName, modelUrl: string): Profile => profiles[name](modelUrl);

const profiles: Readonly<Record<ProfileName, (modelUrl: string) => Profile>> = {
  /** Five agents in a row, each with one call of a model over HTTP. */
  agents: (modelUrl) => ({ yaml: chainOf(5, 'load-agents', agent(modelUrl)), runsPerSlot: 2, asks: false }),
  /** Twenty nodes in a row that do nothing: the limit of the engine. */
  instant: () => ({ yaml: chainOf(20, 'load-instant', () => 'passthrough, config: {}'), runsPerSlot: 25, asks: false }),
  /** A person between two nodes that do nothing. */
  waits: () => ({
    yaml: chainOf(3, 'load-waits', (at) =>
      at === 1 ? 'human, config: {description: Go on?}' : 'passthrough, config: {}',
    ),
    runsPerSlot: 25,
    asks: true,
  }),
};

const agent = (modelUrl: string) => () =>
  `agent, config: {provider: openai, base_url: "${modelUrl}", api_key: none, name: load, role: Answer in a few words.}`;

function chainOf(length: number, id: string, node: (at: number) => string): string {
  const nodes = Array.from({ length }, (_, at) => `    - {id: n${at}, type: ${node(at)}}`);
  const edges = nodes.slice(1).map((_, at) => `    - {from: n${at}, to: n${at + 1}}`);
  return ['graph:', `  id: ${id}`, '  nodes:', ...nodes, '  edges:', ...edges, ''].join('\n');
}
