/** Returns the beginning of a body as text; the rest is not read. Nothing that a server sends fills the memory. */
export async function beginningOf(body: AsyncIterable<Uint8Array>, characters: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    // Leaving the loop closes the connection.
    if (text.length >= characters) break;
  }
  return text.slice(0, characters);
}
