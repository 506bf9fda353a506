interface SkipLinkProps {
  /** Selectors of elements; the first one that is visible takes the focus. */
  readonly to: readonly string[];
  readonly children: string;
}

/** Link, visible while it has the focus, that moves the focus past everything before an element. */
export const SkipLink = ({ to, children }: SkipLinkProps) => (
  // biome-ignore lint/a11y/useValidAnchor: it leads to a place in the page, which has no id of its own
  <a
    className="skip-link"
    href="#content"
    onClick={(event) => {
      event.preventDefault();
      focusFirst(to);
    }}
  >
    {children}
  </a>
);

function focusFirst(selectors: readonly string[]): void {
  const all = selectors.flatMap((selector) => [...document.querySelectorAll<HTMLElement>(selector)]);
  all.find((element) => element.checkVisibility())?.focus();
}
