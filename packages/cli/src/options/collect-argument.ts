/** Values of an option that may be repeated, in their order. */
export const collect = (value: string, earlier: string[] = []): string[] => [...earlier, value];
