/** Scrolls a row of links, of which a narrow screen shows a part, to the link of the current page. */
export const showCurrent = (link: HTMLAnchorElement | null): void => {
  if (link?.ariaCurrent === 'page') link.scrollIntoView({ block: 'nearest', inline: 'center' });
};
