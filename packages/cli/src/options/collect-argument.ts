/** Collects the values of a repeatable option in their order. */
export const collect = (value: string, earlier: string[] = []): string[] => [...earlier, value];
