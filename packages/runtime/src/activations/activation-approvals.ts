import type { AskedCall, Event, JournalEntry } from '@millrace/core';

type Of<T extends Event['type']> = Extract<Event, { type: T }>;

/** A call of a tool that people were asked about, with what came of it. Times are milliseconds since 1970. */
export interface ActivationApproval extends Omit<AskedCall, 'parameters'> {
  readonly askedAt: number;
  /** Absent: nobody has decided yet. */
  readonly decision?: Of<'tool.decided'>['decision'];
  readonly decidedAt?: number;
  /** Name of the person who decided, if it is known. */
  readonly by?: string;
  readonly reason?: string;
  /** Arguments that were approved in place of those of the model, as JSON. */
  readonly sent?: string;
  /** Step that has made the call. */
  readonly step?: number;
}

/** Calls that an activation has asked about, by their places. */
export type Approvals = ReadonlyMap<number, ActivationApproval>;

/** Returns the calls after an event of the activation; a call that is asked about again replaces the earlier one of its place. */
export function withApproval(approvals: Approvals, { at, event }: JournalEntry): Approvals {
  switch (event.type) {
    case 'tool.asked':
      return changed(approvals, event.place, asked(event, at));
    case 'tool.decided': {
      const before = approvals.get(event.place);
      return before === undefined ? approvals : changed(approvals, event.place, decided(before, event, at));
    }
    case 'step.started': {
      const { approval, step } = event;
      if (approval === undefined) return approvals;
      return new Map([...approvals].map(([place, one]) => [place, one.hash === approval ? { ...one, step } : one]));
    }
    // Woken without decisions, as in a fork, it asks again where it still has to.
    case 'activation.renewed':
      return new Map([...approvals].filter(([, { decision }]) => decision !== undefined));
    // The activation at which a run is forked begins anew.
    case 'run.forked':
      return new Map();
    default:
      return approvals;
  }
}

const changed = (approvals: Approvals, place: number, call: ActivationApproval): Approvals =>
  new Map([...approvals, [place, call]]);

function asked(event: Of<'tool.asked'>, askedAt: number): ActivationApproval {
  const { place, question, tool, server, arguments: written, rule, hash, until } = event;
  return {
    ...{ place, tool, arguments: written, rule, hash, askedAt },
    ...(question === undefined ? {} : { question }),
    ...(server === undefined ? {} : { server }),
    ...(until === undefined ? {} : { until }),
  };
}

function decided(
  before: ActivationApproval,
  { decision, hash, arguments: sent, reason, by }: Of<'tool.decided'>,
  decidedAt: number,
): ActivationApproval {
  return {
    ...before,
    ...{ decision, hash, decidedAt },
    ...(sent === undefined ? {} : { sent }),
    ...(reason === undefined ? {} : { reason }),
    ...(by === undefined ? {} : { by }),
  };
}
