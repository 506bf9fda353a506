/** Whether a URL holds a user name or a password, as in `https://ann:secret@example.com`: no request can be made with one. */
export function holdsCredentials(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}
