import { Ellipsis } from 'lucide-react';
import { Menu } from '../controls/menu.tsx';
import { CopyItems } from './copy-as.tsx';
import type { Copied } from './definition.ts';

/** Menu that copies actions as commands and as requests, where there is no place for buttons. */
export const CopyMenu = ({ of }: { readonly of: Readonly<Record<string, Copied>> }) => (
  <Menu label={<Ellipsis aria-hidden size={16} />} name="Copy as a command">
    <CopyItems of={of} />
  </Menu>
);
