import { useIsInMemory } from '../../api/use-storage.ts';

/** A command of the command line; it names the server where that is the only way to its runs. */
export const ServerCommand = ({ children }: { readonly children: string }) => (
  <code>
    {useIsInMemory() && `MILLRACE_URL=${location.origin} `}
    {children}
  </code>
);
