declare const __LICENCES__: readonly (readonly [name: string, licence: string])[];

/** The packages that the dashboard contains with their versions, and their licences; the build puts them here. */
export const licences = __LICENCES__;
