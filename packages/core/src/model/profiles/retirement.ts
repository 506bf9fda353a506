import type { ModelProfile } from './model-lookup.ts';

/** Dates by which retirements are judged, as in `2027-01-14`. */
export interface RetirementDates {
  readonly today: string;
  /** Retirements up to this day are announced. */
  readonly announcedUntil: string;
}

/** The end of a model on its vendor's own host. */
export interface Retirement {
  readonly type: 'retiring' | 'retired';
  /** Date, as in `2027-01-14`. */
  readonly date: string;
  readonly replacement?: string;
  /** Model that answers, and is paid for, after that date. */
  readonly routesTo?: string;
}

/** Returns the retirement of a model, if it is near or over. */
export function retirementOf(
  { ownHost, retires, replacement, routes_to }: ModelProfile,
  { today, announcedUntil }: RetirementDates,
): Retirement | undefined {
  if (!ownHost || retires == null) return undefined;
  if (retires > announcedUntil) return undefined;
  return {
    type: retires > today ? 'retiring' : 'retired',
    date: retires,
    ...(replacement === undefined ? {} : { replacement }),
    ...(routes_to === undefined ? {} : { routesTo: routes_to }),
  };
}

/** Returns a retirement in words, as in `retires on 2027-01-14; use "gpt-6-sol"`. */
export function describeRetirement({ type, date, replacement, routesTo }: Retirement): string {
  const verb = type === 'retiring' ? 'retires' : 'retired';
  const then =
    routesTo === undefined
      ? ''
      : `; "${routesTo}" answers ${type === 'retiring' ? 'then' : 'instead'}, at its own price`;
  return `${verb} on ${date}${then}${replacement === undefined ? '' : `; use "${replacement}"`}`;
}
