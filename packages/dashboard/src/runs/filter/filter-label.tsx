import { ListFilter } from 'lucide-react';

/** Content of the button that opens the form of filters. */
export const FilterLabel = () => (
  <>
    <ListFilter aria-hidden size={14} /> Filter
  </>
);
