import type { Amount, Failure, Picture } from './picture.ts';
import type { Usage } from './usage.ts';

/** Fields of the events that change a picture; each event has those that its function reads. */
export interface Fields {
  readonly activation: string;
  readonly activations: readonly string[];
  readonly scope: string;
  readonly graph: string;
  readonly node: number;
  readonly part: string;
  readonly unit?: number;
  readonly parent: string;
  readonly kind: 'map' | 'tree';
  readonly units: readonly unknown[];
  readonly groupSize: number;
  readonly members: readonly number[];
  readonly limit: number | null;
  readonly iteration: number;
  readonly status: string;
  readonly inFlight?: string;
  readonly inner?: true;
  readonly caller?: { readonly scope: string; readonly node: number };
  readonly outputs: readonly unknown[];
  readonly routes: readonly { readonly edge: number; readonly dropped?: true }[];
  readonly state?: { readonly write: unknown };
  readonly failure?: unknown;
  readonly wait: {
    readonly kind: 'human' | 'budget' | 'event';
    readonly prompt: string;
    readonly event?: { readonly name: string; readonly until?: number };
  };
  readonly until: number;
  readonly step: number;
  readonly text?: string;
  readonly amount: Amount;
  readonly charge?: Amount;
  readonly budget?: Partial<Amount>;
  readonly usage?: Omit<Usage, 'calls' | 'unpriced'>;
  readonly nodeId?: string;
  readonly error?: Failure;
}

/** An event, with its time in milliseconds since 1970. */
export type Applied = Fields & { readonly at: number };

/** Change of a picture by an event of one type; events without one say nothing that the picture has. */
export type Change = (picture: Picture, event: Applied) => void;
