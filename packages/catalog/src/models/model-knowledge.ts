import type { ModelKnowledge, ModelLookup, RetirementDates } from '@millrace/core';

/** Days before a retirement from which on it is announced. */
const announcedDays = 180;
const dayMs = 86_400_000;

/** Returns the dates by which retirements are judged today. */
export function retirementDates(): RetirementDates {
  const now = Date.now();
  return { today: dateOf(now), announcedUntil: dateOf(now + announcedDays * dayMs) };
}

/** Returns the knowledge by which models are checked today. */
export const knowledgeOf = (lookup: ModelLookup): ModelKnowledge => ({ lookup, ...retirementDates() });

const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
