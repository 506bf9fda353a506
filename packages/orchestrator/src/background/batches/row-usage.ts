import type { RowUsage, RunDescription } from '@millrace/runtime';
import { usageFields } from '@millrace/runtime';

/** Returns the usage of a run as rows keep it. */
export function rowUsageOf(usage: RunDescription['usage']): RowUsage {
  const fields: Readonly<Partial<Record<keyof RowUsage, number | undefined>>> = usage;
  return amounts((name) => fields[name]);
}

/** Returns what a run has used since its usage was recorded; absent: it never was. */
export const spentBetween = (recorded: RowUsage = {}, usage: RunDescription['usage']): RowUsage => {
  const now = rowUsageOf(usage);
  return amounts((name) => (now[name] ?? 0) - (recorded[name] ?? 0));
};

/** Returns the amounts that are not zero, in whole numbers. */
const amounts = (amountOf: (name: keyof RowUsage) => number | undefined): RowUsage =>
  Object.fromEntries(
    usageFields.map((name) => [name, Math.round(amountOf(name) ?? 0)] as const).filter(([, amount]) => amount !== 0),
  );
