/** A run of a workflow: `run_` and a time-ordered hex number. Contains neither `:` nor `.`. */
export type RunId = string;
/** One time a node is due: `a<sequence>` within its run. */
export type ActivationId = `a${number}`;
/** A stored message body: `m<sequence>` within its run. */
export type MessageId = `m${number}`;
/** A group of activations that settle together: `s<sequence>` within its run; `s0` is the root graph. */
export type ScopeId = `s${number}`;

/** The root graph's scope: every run has it from its first event on. */
export const rootScope: ScopeId = 's0';

/** A request to work on one activation. The token makes it unique: it is the nonce of the commit that asked for it. */
export interface Wake {
  readonly run: RunId;
  readonly activation: ActivationId;
  readonly token: string;
}

/** The wake as one string, `<run>.<activation>.<token>`: the job's id in the queue and its member on the agenda. */
export const wakeId = (wake: Wake): string => `${wake.run}.${wake.activation}.${wake.token}`;

/** The inverse of {@link wakeId}; undefined for a string that is not one. */
export function parseWakeId(id: string): Wake | undefined {
  const [run, activation, token, ...rest] = id.split('.');
  if (!run || !activation || !token || rest.length > 0 || !/^a\d+$/.test(activation)) return undefined;
  return { run, activation: activation as ActivationId, token };
}
