import { useEffect, useState } from 'react';

/** Distance from the top of the page beyond which the list does not move, in pixels. */
const readingFrom = 240;

/** Returns true while the pointer or the focus is in the list, or it is scrolled down; rows must not move then. */
export function useHold() {
  const [isPointed, point] = useState(false);
  const [isFocused, focus] = useState(false);
  const [isScrolled, scroll] = useState(false);
  useEffect(() => {
    const onScroll = () => scroll(window.scrollY > readingFrom);
    window.addEventListener('scroll', onScroll, { passive: true });
    return () => window.removeEventListener('scroll', onScroll);
  }, []);
  return {
    holds: isPointed || isFocused || isScrolled,
    handlers: {
      onPointerEnter: ({ pointerType }: { readonly pointerType: string }) => point(pointerType === 'mouse'),
      onPointerLeave: () => point(false),
      onFocus: () => focus(true),
      onBlur: () => focus(false),
    },
  };
}
